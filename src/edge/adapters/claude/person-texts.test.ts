import { expect, it } from "vitest";
import { Shown } from "./hooks.ts";

const says = (content: string) => ({ type: "system", subtype: "informational", content });
const BLOCKED = "UserPromptSubmit operation blocked by hook:\n";

it("SHOW-1 Conduct's texts are shown with the answer, without the hook's name", () => {
  const shown = new Shown();
  const answer = shown.beside({ continue: true }, ["A\nB", undefined, "C says: x"]);
  expect(answer).toEqual({ continue: true, systemMessage: "A\nB\n\nC says: x" });
  const lines = "A\nB\n\nC says: x".replace(/^/gm, "PostToolUse:Bash says: ");
  expect(shown.plain(says(lines))).toEqual(says("A\nB\n\nC says: x"));
});

it("SHOW-2 without texts the answer stays unchanged", () => {
  const answer = {};
  expect(new Shown().beside(answer, [undefined, ""])).toBe(answer);
});

it("SHOW-3 a reply blocks the message, and the person sees only the reply", () => {
  const shown = new Shown();
  expect(shown.reply(["Not elevated.", "elevated: off"])).toEqual({
    decision: "block",
    reason: "Not elevated.\nelevated: off",
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true },
  });
  const text = "Not elevated.\nelevated: off";
  expect(shown.plain(says(BLOCKED + text))).toEqual(says(text));
  const result = { type: "result", num_turns: 0, result: BLOCKED + text };
  expect(shown.plain(result)).toEqual({ ...result, result: text });
  expect(shown.plain(result)).toBe(result);
});

it.each([
  says("Stop says: hello"),
  says(`${BLOCKED}their own`),
  { type: "result", result: `${BLOCKED}their own` },
  { type: "result", result: "Done." },
  { type: "assistant" },
])("SHOW-4 texts of others stay unchanged: $type $content $result", (message) => {
  const shown = new Shown();
  shown.beside({}, ["mine"]);
  shown.reply(["mine"]);
  expect(shown.plain(message)).toBe(message);
});
