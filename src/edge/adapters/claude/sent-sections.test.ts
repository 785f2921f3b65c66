import { expect, it } from "vitest";
import type { BuiltPrompt, BuiltSection, PromptZone } from "../../../base/words/prompt.ts";
import { Told } from "./hooks.ts";

function prompt(sections: { readonly [contributor: string]: string }, ofTurn: { readonly [id: string]: string } = {}) {
  const built = (zone: PromptZone) => (entry: [string, string]) => section(...entry, zone);
  const all = [...Object.entries(sections).map(built("static")), ...Object.entries(ofTurn).map(built("turn"))];
  return { sections: all } as unknown as BuiltPrompt;
}
function section(contributor: string, content: string, zone: PromptZone): BuiltSection {
  const text = `## ${contributor}\n\n${content}`;
  return {
    contributor,
    source: "builtin",
    zone,
    priority: 1,
    heading: contributor,
    text,
    tokens: 1,
    hash: content,
    lines: { from: 1, to: 3 },
  };
}
const CHANGED = "Your instructions have changed. From now on these parts of them read:";
const changed = (contributor: string, content: string) => `${CHANGED}\n\n## ${contributor}\n\n${content}`;

it("TOLD-1 the system prompt has the lasting sections; sections of the turn go with each message", () => {
  const told = new Told();
  const first = prompt({ A: "a", B: "b" }, { Time: "10:00" });
  expect(told.begin(first, false)).toBe("## A\n\na\n\n## B\n\nb");
  expect(told.say(first)).toBe("For this turn:\n\n## Time\n\n10:00");
  expect(told.say(first)).toBe("For this turn:\n\n## Time\n\n10:00");
  expect(told.say(prompt({ A: "a", B: "b" }))).toBeUndefined();
});

it("TOLD-2 only changed lasting sections are sent, and only once", () => {
  const told = new Told();
  told.begin(prompt({ A: "a", B: "b" }), false);
  expect(told.say(prompt({ A: "a", B: "new" }))).toBe(changed("B", "new"));
  expect(told.say(prompt({ A: "a", B: "new" }))).toBeUndefined();
  expect(told.say(prompt({ A: "a", B: "b" }))).toBe(changed("B", "b"));
});

it("TOLD-3 a removed section is withdrawn by its name, and may come back", () => {
  const told = new Told();
  told.begin(prompt({ A: "a", B: "b" }), false);
  expect(told.say(prompt({ A: "a" }))).toBe('These parts of your instructions no longer apply: "B".');
  expect(told.say(prompt({ A: "a" }))).toBeUndefined();
  expect(told.say(prompt({ A: "a", B: "b" }))).toBe(changed("B", "b"));
});

it("TOLD-4 a compacted conversation has lost the sections in its messages", () => {
  const told = new Told();
  told.begin(prompt({ A: "a" }), false);
  told.say(prompt({ A: "new" }));
  told.forget();
  expect(told.say(prompt({ A: "new" }))).toBe(changed("A", "new"));
});

it.each([
  { resumed: true, says: changed("A", "a3") },
  { resumed: false, says: undefined },
])("TOLD-5 sections sent in messages still count after a resume ($resumed)", ({ resumed, says }) => {
  const told = new Told();
  told.begin(prompt({ A: "a1" }), false);
  told.say(prompt({ A: "a2" }));
  told.begin(prompt({ A: "a3" }), resumed);
  expect(told.say(prompt({ A: "a3" }))).toBe(says);
});
