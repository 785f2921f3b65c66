import { describe, expect, it } from "vitest";
import type { Decision } from "../../../../base/words/decision.ts";
import { canAsk, fromDecision, fromDelivered, fromStop, isMessage, isPause } from "./translate.ts";

const plain = { asks: true, own: false };
const deny: Decision = {
  kind: "deny",
  id: "d_1",
  rule: "r",
  code: "policy",
  reason: 'No "é" <b>.',
  missing: [],
  next: "Stop.",
  others: [],
  attemptsLeft: 1,
  endTurn: false,
};
const ask: Decision = {
  kind: "ask",
  id: "d_2",
  rule: "r",
  approval: "a_1",
  question: "May I?",
  inputHash: "h",
  expiresAt: 1,
};
const allow: Decision = { kind: "allow", id: "d_3", advice: [] };

describe("decisions", () => {
  it("ANS-1 an allow is an empty answer, so that the runtime's own rules apply; Conduct's own tools are allowed", () => {
    expect(fromDecision(allow, plain)).toEqual({});
    const own = { hookEventName: "PreToolUse", permissionDecision: "allow" };
    expect(fromDecision(allow, { ...plain, own: true })).toEqual({ hookSpecificOutput: own });
  });

  it("ANS-2 advice is sent with an allow, but grants nothing", () => {
    const advised: Decision = { ...allow, advice: [{ rule: "r", text: "Mind.", level: "warn" }] };
    const said = { hookEventName: "PreToolUse", additionalContext: "Mind." };
    expect(fromDecision(advised, plain)).toEqual({ hookSpecificOutput: said });
  });

  it("ANS-3 a denial contains its reason word for word, and ends the turn only if it says so", () => {
    const answer = fromDecision(deny, plain);
    expect(answer.hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
    expect(JSON.stringify(answer)).toContain(JSON.stringify('No "é" <b>.').slice(1, -1));
    expect(answer.continue).toBeUndefined();
    expect(fromDecision({ ...deny, endTurn: true }, plain)).toMatchObject({ continue: false });
  });

  it("ANS-4 a question goes to a person, and is a denial if no person can be asked", () => {
    expect(fromDecision(ask, plain).hookSpecificOutput).toMatchObject({ permissionDecision: "ask" });
    expect(fromDecision(ask, { ...plain, asks: false }).hookSpecificOutput).toMatchObject({
      permissionDecision: "deny",
    });
  });

  it.each([
    { mode: "default", asker: true, asks: true },
    { mode: "default", asker: false, asks: false },
    { mode: "bypassPermissions", asker: true, asks: false },
    { mode: "auto", asker: true, asks: false },
    { mode: "dontAsk", asker: true, asks: false },
  ])("ANS-5 in mode $mode with an asker ($asker), the runtime can ask: $asks", ({ mode, asker, asks }) => {
    expect(canAsk({ permission_mode: mode }, asker)).toBe(asks);
  });
});

describe("results, stops and prompts", () => {
  const result = { outcome: "ok", parts: [{ kind: "text", text: "t" }] } as const;
  const shape = { parts: result.parts, replace: () => "replaced" };

  it.each([
    { changed: false, feedback: undefined, output: undefined },
    { changed: true, feedback: undefined, output: { updatedToolOutput: "replaced" } },
    { changed: false, feedback: "F", output: { additionalContext: "F" } },
    { changed: true, feedback: "F", output: { updatedToolOutput: "replaced", additionalContext: "F" } },
  ])(
    "ANS-6 a delivered result with changed $changed and feedback $feedback becomes a hook answer",
    ({ changed, feedback, output }) => {
      const answer = fromDelivered({ result, changed, ...(feedback === undefined ? {} : { feedback }) }, shape);
      expect(answer).toEqual(
        output === undefined ? {} : { hookSpecificOutput: { hookEventName: "PostToolUse", ...output } },
      );
    },
  );

  it("ANS-7 a refused stop blocks with its feedback", () => {
    expect(fromStop({ done: false, feedback: "Write it." })).toEqual({ decision: "block", reason: "Write it." });
    expect(fromStop({ done: true, status: "incomplete" })).toEqual({});
  });

  it("ANS-8 a stop is a pause only while a subagent runs", () => {
    expect(isPause({})).toBe(false);
    expect(isPause({ background_tasks: [{ type: "shell" }] })).toBe(false);
    expect(isPause({ background_tasks: [{ type: "shell" }, { type: "subagent" }] })).toBe(true);
  });

  it.each([
    { prompt: "hello", source: undefined, message: true },
    { prompt: "hello", source: "user", message: true },
    { prompt: "<task-notification>\n…", source: undefined, message: false },
    { prompt: "hello", source: "system", message: false },
    { prompt: "hello", source: "schedule_wakeup", message: false },
  ])("ANS-9 the prompt '$prompt' from $source is a message: $message", ({ prompt, source, message }) => {
    expect(isMessage({ prompt, ...(source === undefined ? {} : { source }) })).toBe(message);
  });
});
