import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../base/words/rule.ts";
import { parseRules } from "./parse-rules.ts";
import { writeRule } from "./write-rule.ts";

function rulesOf(text: string) {
  const parsed = parseRules(text, "rules.yaml");
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  return parsed.ruleSet;
}

function packText(name: string): string {
  return readFileSync(new URL(`../../../../packs/${name}/rules.yaml`, import.meta.url), "utf8");
}

const said = ({ place: _place, ...rule }: Rule) => rule;

const EVERY = `actions:
  test: { tool: shell, command: "npm test *", implies: [tested] }
  deploy-web: { tool: shell, command: "npm run deploy *" }
  other: { tool: shell, command: "ls *" }
rules:
  - { id: proof, on: "deploy-*", require: { all: [tested, { not: { call: fetch, same: [url] } }] } }
  - id: login-first
    on: [transfer, refund]
    when: "args.amount > 1000"
    unless: "session.elevated"
    require: { any: [{ call: login, same: { username: user }, where: 'args.ok == true' }, admin_login], within: 90m, counts: allowed }
    atMost: { count: 3, per: [username] }
    effect: ask
    say: "Log {{args.username}} in: # first"
  - { id: fresh, on: write_file, require: { call: read_file, same: [path], fresh: true, since: fetch }, effect: soft-deny }
  - { id: patience, on: shell, set: { timeout: 60, env: { CI: "1" } } }
  - { id: few, on: search, atMost: { count: 2 } }
`;

describe("writeRule", () => {
  it.each([
    { name: "every form", text: EVERY },
    ...["coding", "ops", "data", "research", "support-desk"].map((name) => ({ name, text: packText(name) })),
  ])("WR-1 each rule of $name, written and parsed again, is the same rule with the actions it uses", ({ text }) => {
    const { rules, actions } = rulesOf(text);
    for (const rule of rules) {
      const again = rulesOf(writeRule(rule, actions));
      expect(again.rules.map(said)).toEqual([said(rule)]);
      for (const [name, action] of Object.entries(again.actions)) expect(actions[name]).toEqual(action);
    }
    expect(rules.length).toBeGreaterThan(3);
  });

  it("WR-2 writeRule writes only the actions that the rule uses or that prove its requirements", () => {
    const { rules, actions } = rulesOf(EVERY);
    const [proof] = rules;
    if (proof === undefined) throw new Error("there is one");
    expect(Object.keys(rulesOf(writeRule(proof, actions)).actions)).toEqual(["test", "deploy-web"]);
  });
});
