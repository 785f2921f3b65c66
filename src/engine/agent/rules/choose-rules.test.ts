import { describe, expect, it } from "vitest";
import { rulesOfAgent } from "../../../behavior/policy/rules/rules-policy.ts";
import { parseConfig } from "../config/parse-config.ts";
import { parseRules } from "./parse-rules.ts";

const PACK = `
patterns: { names: ["^a$", "^b$"] }
rules:
  - { id: no-a, on: shell, when: args.command.matches(patterns.names) }
  - { id: ask-b, on: fetch, effect: ask, unless: "args.url == 'x'", why: "It costs." }
  - { id: mild-c, on: read_file, effect: { gentle: "off", standard: remind, strict: deny } }
`;
const rules = new Map([["p", { file: "p/rules.yaml", text: PACK }]]);

function used(entry: string) {
  const parsed = parseConfig(`agents:\n  a:\n    rules:\n      - ${entry}\n`, "conduct.yaml", { rules });
  if ("faults" in parsed)
    return parsed.faults.map(({ line, column, message, hint }) => `${line}:${column} ${message} -> ${hint}`);
  return parsed.agents.flatMap(rulesOfAgent)[0];
}

describe("an entry of rules", () => {
  it.each([
    ["p", ["deny", "ask", "remind"]],
    ["{ pack: p }", ["deny", "ask", "remind"]],
    ["{ pack: p, level: standard }", ["deny", "ask", "remind"]],
    ["{ pack: p, level: gentle }", ["warn", "warn"]],
    ["{ pack: p, level: strict }", ["deny", "deny", "deny"]],
    ["{ pack: p, shadow: [no-a] }", ["shadow", "ask", "remind"]],
    ["{ pack: p, level: gentle, shadow: [ask-b, mild-c] }", ["warn", "shadow"]],
  ])("LVL-10 %s gives the effects %j", (entry, effects) => {
    const set = used(entry);
    expect(set !== undefined && "rules" in set && set.rules.map(({ effect }) => effect)).toEqual(effects);
  });

  it("LVL-11 rules that are off are listed with the place that switched them off, or the level", () => {
    expect(used("{ pack: p, level: gentle, off: [ask-b] }")).toMatchObject({
      rules: [{ id: "no-a", level: "gentle" }],
      off: [
        { id: "ask-b", why: "It costs.", by: { file: "conduct.yaml", line: 4 } },
        { id: "mild-c", level: "gentle", by: undefined },
      ],
    });
  });

  it.each([
    ["{ pack: p, off: [no-b] }", "4:26 p has no rule 'no-b' -> did you mean 'no-a'?"],
    ["{ pack: p, off: [quite-other] }", "4:26 p has no rule 'quite-other' -> conduct policy check p lists its rules"],
    ["{ pack: p, shadow: [no-b] }", "4:29 p has no rule 'no-b' -> did you mean 'no-a'?"],
    ["{ pack: p, except: { ask-c: 'true' } }", "4:30 p has no rule 'ask-c' -> did you mean 'ask-b'?"],
    [
      "{ pack: p, except: { no-a: 'args.' } }",
      expect.stringMatching(/^4:\d+ 'no-a' cannot be used: not an expression/),
    ],
    ["{ pack: p, patterns: { name: x } }", "4:32 p has no pattern 'name' -> did you mean 'names'?"],
    ["{ pack: p, level: mild }", "4:27 'level' must be 'gentle' or 'standard' or 'strict', not \"mild\" -> undefined"],
    ["{ pack: p, levle: gentle }", "4:20 unknown key 'levle' -> did you mean 'level'?"],
    ["{ id: r, on: shell, efect: deny }", "4:29 unknown key 'efect' -> did you mean 'effect'?"],
  ])("LVL-12 the fault in %s is reported once, with its place and the nearest names", (entry, fault) => {
    expect(used(entry)).toEqual([fault]);
  });

  it("LVL-13 an own rule may take the id of a rule that is off, and patterns can be replaced", () => {
    expect(used("{ pack: p, off: [no-a] }\n      - { id: no-a, on: fetch }")).toMatchObject({
      rules: [{ id: "ask-b" }, { id: "mild-c" }, { id: "no-a", on: ["fetch"] }],
    });
    expect(used("{ pack: p, patterns: { names: ^c$ } }")).toMatchObject({
      rules: [{ patterns: { names: ["^c$"] } }, {}, {}],
    });
  });

  it("LVL-14 an unknown pattern in a rule file is a fault with the nearest name", () => {
    const parsed = parseRules(PACK.replace("patterns.names", "patterns.name"), "p");
    expect("faults" in parsed && parsed.faults.map(({ message, hint }) => `${message}; ${hint}`)).toEqual([
      "'when' cannot be used: there is no pattern 'name'; did you mean 'names'?",
    ]);
  });
});
