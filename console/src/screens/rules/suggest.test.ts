import { describe, expect, it } from "vitest";
import { placeAt, suggest } from "./suggest.ts";

/** `|` is the cursor. */
function at(marked: string) {
  return { text: marked.replace("|", ""), position: marked.indexOf("|") };
}

const RULE = "rules:\n  - id: x\n    on: shell\n";

describe("where the cursor is in a rule file", () => {
  it.each([
    ["|", [], "key"],
    ["rules:\n  |", ["rules"], "key"],
    ["rules:\n  - |", ["rules", "[]"], "key"],
    ["rules:\n- id: x\n  |", ["rules", "[]"], "key"],
    [`${RULE}    eff|`, ["rules", "[]"], "key"],
    [`${RULE}    effect: |`, ["rules", "[]", "effect"], "value"],
    [`${RULE}    require:\n      all:\n        - |`, ["rules", "[]", "require", "all", "[]"], "key"],
    [`${RULE}    require: { all: [te|`, ["rules", "[]", "require", "all", "[]"], "value"],
    [`${RULE}    require: { any: [{ call: a, fr|`, ["rules", "[]", "require", "any", "[]"], "key"],
    ["rules:\n  - { id: x, on: |", ["rules", "[]", "on"], "value"],
    ["rules:\n  - { id: x, |", ["rules", "[]"], "key"],
    ["actions:\n  test:\n    |", ["actions", "test"], "key"],
    [`# what|`, undefined, undefined],
    [`${RULE}    say: "read |`, undefined, undefined],
  ] as const)("RC-1 the editor finds the path of the cursor in a rule file: %j", (marked, path, kind) => {
    const { text, position } = at(marked);
    const found = placeAt(text, position);
    expect([found?.path, found?.at]).toEqual([path, kind]);
  });
});

describe("what may be written there", () => {
  const labels = (marked: string) => {
    const { text, position } = at(marked);
    return suggest(text, position, ["deploy", "fetch"])?.options.map(({ label }) => label) ?? [];
  };

  it("RC-2 completion offers the schema's keys, without those already present", () => {
    expect(labels("|")).toEqual(["tools", "actions", "patterns", "rules"]);
    const keys = labels(`${RULE}    |`);
    expect(keys).toContain("effect");
    expect(keys).toContain("require");
    expect(keys).not.toContain("id");
    expect(keys).not.toContain("on");
    expect(labels("actions:\n  test:\n    |")).toEqual(["tool", "command", "implies"]);
  });

  it("RC-3 completion offers the schema's values: effects, true or false", () => {
    expect(labels(`${RULE}    effect: |`)).toEqual([
      "end-turn",
      "deny",
      "soft-deny",
      "ask",
      "warn",
      "remind",
      "shadow",
    ]);
    expect(labels(`${RULE}    require: { call: a, fresh: |`)).toEqual(["true", "false"]);
  });

  it("RC-4 completion offers tools and actions, including those that the text defines", () => {
    expect(labels("rules:\n  - { id: x, on: |")).toEqual(["deploy", "fetch"]);
    expect(labels("actions:\n  mine: { tool: shell }\nrules:\n  - { id: x, on: |")).toEqual([
      "deploy",
      "fetch",
      "mine",
    ]);
    expect(labels(`${RULE}    require: { all: [|`)).toContain("deploy");
  });
});
