import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { ToolSpec } from "../../../base/words/hosting/agent.ts";
import type { RuleSet } from "../../../base/words/rule.ts";
import { parseRules } from "./parse-rules.ts";
import { ruleJsonSchema } from "./rule-file-schema.ts";

/** Faults, or warnings of a file that can be used, as `line:column message -> hint`. */
function told(text: string, tools?: readonly ToolSpec[]): readonly string[] {
  const parsed = parseRules(text, "rules.yaml", tools === undefined ? {} : { tools });
  const all = "faults" in parsed ? parsed.faults : parsed.warnings;
  return all.map(
    ({ line, column, message, hint }) => `${line}:${column} ${message}${hint === undefined ? "" : ` -> ${hint}`}`,
  );
}

function rulesOf(text: string, tools?: readonly ToolSpec[]): RuleSet {
  const parsed = parseRules(text, "rules.yaml", tools === undefined ? {} : { tools });
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults, null, 2));
  return parsed.ruleSet;
}

const rule = (body: string) => `rules:\n  - { id: a, ${body} }\n`;
const leaf = { kind: "call", same: [], fresh: false, counts: "succeeded" } as const;

describe("parseRules", () => {
  it("RF-1 parseRules reads the whole rule language", () => {
    const { actions, rules } = rulesOf(`actions:
  test:   { tool: shell, command: "npm test *", implies: [checked] }
  deploy: { tool: shell, command: "*deploy*" }
rules:
  - id: deploy-needs-proof
    on: deploy
    require: { all: [test, checked] }
  - id: read-before-write
    on: [write_file, edit_file]
    require: { call: read_file, same: { path: path }, fresh: true }
    unless: "!fileExists(args.path)"
  - id: login-first
    on: "bank/transfer*"
    when: "args.amount > 1000"
    require: { any: [{ call: bank/login, same: { username: user } }, { call: bank/admin }], within: 10m }
    atMost: { count: 3, per: [username] }
    effect: ask
    say: "Log {{args.username}} in first."
  - { id: slow, on: shell, set: { timeout: 60, env: { CI: "1" } } }
  - { id: once, on: fetch, require: { not: { call: fetch, same: [url], where: 'args.url.startsWith("http")', since: test, counts: allowed } }, effect: soft-deny }
`);
    expect(actions.test).toEqual({ tool: "shell", command: "npm test *", implies: ["checked"] });
    expect(rules).toEqual([
      {
        id: "deploy-needs-proof",
        on: ["deploy"],
        require: {
          kind: "all",
          of: [
            { ...leaf, call: "test" },
            { ...leaf, call: "checked" },
          ],
        },
        effect: "deny",
        place: { file: "rules.yaml", line: 5 },
      },
      {
        id: "read-before-write",
        on: ["write_file", "edit_file"],
        unless: "!fileExists(args.path)",
        require: { ...leaf, call: "read_file", same: [{ mine: "path", theirs: "path" }], fresh: true },
        effect: "deny",
        place: { file: "rules.yaml", line: 8 },
      },
      {
        id: "login-first",
        on: ["bank/transfer*"],
        when: "args.amount > 1000",
        require: {
          kind: "any",
          of: [
            { ...leaf, call: "bank/login", same: [{ mine: "username", theirs: "user" }], within: 600_000 },
            { ...leaf, call: "bank/admin", within: 600_000 },
          ],
        },
        atMost: { count: 3, per: ["username"] },
        effect: "ask",
        say: "Log {{args.username}} in first.",
        place: { file: "rules.yaml", line: 12 },
      },
      {
        id: "slow",
        on: ["shell"],
        set: { timeout: 60, env: { CI: "1" } },
        effect: "deny",
        place: { file: "rules.yaml", line: 19 },
      },
      {
        id: "once",
        on: ["fetch"],
        require: {
          kind: "not",
          of: {
            ...leaf,
            call: "fetch",
            same: [{ mine: "url", theirs: "url" }],
            where: 'args.url.startsWith("http")',
            since: "test",
            counts: "allowed",
          },
        },
        effect: "soft-deny",
        place: { file: "rules.yaml", line: 20 },
      },
    ]);
  });

  it("RF-2 settings of a require group apply to its calls, and the nearest group wins", () => {
    const [one] = rulesOf(
      rule(
        "on: shell, require: { all: [x/a, { any: [x/b, { call: x/c, within: 1s, counts: succeeded }], since: x/d }, { not: { call: x/e, same: [path], fresh: false } }], within: 1m, counts: allowed, fresh: false }",
      ),
    ).rules;
    const base = { ...leaf, counts: "allowed", within: 60_000 };
    expect(one?.require).toEqual({
      kind: "all",
      of: [
        { ...base, call: "x/a" },
        {
          kind: "any",
          of: [
            { ...base, call: "x/b", since: "x/d" },
            { ...base, call: "x/c", since: "x/d", within: 1_000, counts: "succeeded" },
          ],
        },
        { kind: "not", of: { ...base, call: "x/e", same: [{ mine: "path", theirs: "path" }] } },
      ],
    });
  });

  it("RF-3 rules with toolName and requiredPrior and a tool's prerequisites are read as ordinary rules", () => {
    const { rules } = rulesOf(`tools:
  - { name: pay, prerequisites: [login] }
  - { name: login }
  - { name: audit }
rules:
  - { toolName: audit, requiredPrior: [login, pay], blockMessage: "Log in and pay first." }
  - { toolName: audit, requiredPrior: [login] }
`);
    const at = (line: number) => ({ effect: "deny", place: { file: "rules.yaml", line } });
    expect(rules).toEqual([
      { id: "pay-prerequisites", on: ["pay"], require: { ...leaf, call: "login" }, ...at(2) },
      {
        id: "audit-prerequisites",
        on: ["audit"],
        require: {
          kind: "all",
          of: [
            { ...leaf, call: "login" },
            { ...leaf, call: "pay" },
          ],
        },
        say: "Log in and pay first.",
        ...at(6),
      },
      { id: "audit-prerequisites-2", on: ["audit"], require: { ...leaf, call: "login" }, ...at(7) },
    ]);
  });

  it("RF-4 implies is transitive, even in cycles", () => {
    const { actions } = rulesOf(`actions:
  a: { tool: shell, command: a, implies: [b, x] }
  b: { tool: shell, command: b, implies: [c] }
  c: { tool: shell, command: c, implies: [a] }
`);
    expect(
      Object.fromEntries(Object.entries(actions).map(([name, { implies = [] }]) => [name, [...implies].sort()])),
    ).toEqual({
      a: ["b", "c", "x"],
      b: ["a", "c", "x"],
      c: ["a", "b", "x"],
    });
  });

  it.each([
    ["rules: []", "1:8 'rules' must not be empty"],
    ["{}", "1:1 the file is empty -> start with rules: and one rule below it: - id: NAME, on: TOOL, require: ACTION"],
    ["rulez: []", "1:1 unknown key 'rulez' -> did you mean 'rules'?"],
    ["rules:\n  - { on: shell }", "2:5 'id' is missing -> add an id; every decision of the rule shows it"],
    ["rules:\n  - { id: a }", "2:5 'rules[0]' must have exactly one of 'on', 'toolName'"],
    [rule("on: []"), "2:18 'on' must not be empty"],
    [rule("on: shell, requires: fetch"), "2:25 unknown key 'requires' -> did you mean 'require'?"],
    [rule("on: shell, require: { call: fetch, wihtin: 3m }"), "2:49 unknown key 'wihtin' -> did you mean 'within'?"],
    [
      rule("on: shell, require: [fetch]"),
      "2:34 'require' must be a name, or a map with one of 'call', 'all', 'any', 'not', not a list",
    ],
    [rule("on: shell, require: { all: [] }"), "2:41 'all' must not be empty"],
    [rule("on: shell, require: { any: [{ all: [] }] }"), "2:49 'all' must not be empty"],
    [
      rule("on: shell, require: { call: fetch, any: [task] }"),
      "2:34 'require' must have exactly one of 'call', 'all', 'any', 'not'",
    ],
    [rule("on: shell, require: { call: fetch, same: [] }"), "2:55 'same' must not be empty"],
    [rule("on: shell, require: { call: fetch, same: {} }"), "2:55 'same' must not be empty"],
    [
      rule("on: shell, require: { all: [fetch], same: [url] }"),
      "2:50 'same' applies to a single call, not to a group -> write it with each call: { call: NAME, same: … }",
    ],
    [
      rule("on: shell, require: { call: fetch, within: 10 }"),
      "2:57 'within' must be a duration above 0, such as 90s, 2m or 1.5h, not 10",
    ],
    [
      rule("on: shell, require: { call: fetch, within: 0s }"),
      "2:57 'within' must be a duration above 0, such as 90s, 2m or 1.5h, not \"0s\"",
    ],
    [
      rule("on: shell, require: { call: fetch, within: -5m }"),
      "2:57 'within' must be a duration above 0, such as 90s, 2m or 1.5h, not \"-5m\"",
    ],
    [
      rule("on: shell, require: { call: fetch, counts: succeded }"),
      "2:57 'counts' must be 'succeeded' or 'allowed', not \"succeded\" -> did you mean 'succeeded'?",
    ],
    [rule("on: shell, atMost: { count: 0 }"), "2:42 'count' must be a whole number above 0, not 0"],
    [rule("on: shell, atMost: { per: [x] }"), "2:33 'count' is missing"],
    [
      rule("on: shell, effect: denny"),
      "2:33 'effect' must be one of end-turn, deny, soft-deny, ask, warn, remind, shadow, or a map from levels to effects, not \"denny\" -> did you mean 'deny'?",
    ],
    [
      rule("on: shell, set: { timeout: 3 }, effect: warn"),
      "2:46 'effect' has no effect: a rule that only sets arguments is never violated -> remove it, or add 'require' or 'atMost'",
    ],
    [
      rule("on: shell, say: 'Use {{path}} here'"),
      "2:35 '{{path}}' is not replaced by a value -> use an argument: {{args.NAME}}",
    ],
    [
      rule("on: shell, requiredPrior: [fetch]"),
      "2:25 'requiredPrior' can only be used with 'toolName' -> with 'on', use require: { all: [ … ] }",
    ],
    ["rules:\n  - { toolName: shell }", "2:5 'requiredPrior' is missing"],
    [
      "rules:\n  - { toolName: shell, requiredPrior: [fetch], when: 'true' }",
      "2:48 'when' can only be used with 'on' -> write the rule with on:, require: and say:",
    ],
    [
      rule("on: shell, require: { call: read_file, fresh: true }"),
      "2:53 'fresh' needs a path in 'same' -> add the file's argument: same: { path: path }",
    ],
    [
      rule("on: shell, require: { call: read_file, same: [offset], fresh: true }"),
      "2:69 'fresh' needs a path in 'same' -> the file arguments of 'read_file' are: path",
    ],
    [
      rule("on: task, require: { call: shell, same: [command], fresh: true }"),
      "2:65 'fresh' needs a path in 'same' -> 'shell' has no file arguments",
    ],
    [
      "actions: { fetch: { tool: shell, command: git fetch } }",
      "1:12 'fetch' is a tool already -> give the action another name",
    ],
    ["actions: { a: { tool: shell, implies: [] } }", "1:39 'implies' must not be empty"],
    [
      "actions: { a: { tool: shell, implies: [b] } }\nrules: [{ id: r, on: b }]",
      "2:22 'b' is a fact, and facts cannot be called -> use an action that establishes it: a",
    ],
    [
      "rules: [{ id: x, on: shell, effect: ask }, { id: x, on: task, effect: ask }]",
      "1:50 two rules are named 'x' -> the other is at rules.yaml:1; rename one of them",
    ],
    ["rules:\n\t- x", "2:1 this is not valid YAML: tabs are not allowed as indentation -> indent with spaces"],
    ["", "1:1 the file must be a map, and is empty"],
  ])("RF-5 the fault in the rule file %j is reported with its position and a hint", (text, fault) => {
    expect(told(text)).toEqual([fault]);
  });

  it.each([
    ["when", "args.amount >", "2:35"],
    ["when", "size(args.items)", "2:31"],
    ["unless", "1 + 'a' == 2", "2:31"],
  ])("RF-6 an invalid expression is reported at its column: %s %j", (key, source, place) => {
    const [fault = ""] = told(`rules:\n  - { id: a, on: shell, ${key}: "${source}" }\n`);
    expect(fault).toMatch(/^2:\d+ '(when|unless)' cannot be used: /);
    expect(fault.startsWith("2:")).toBe(true);
    expect(Number(fault.split(":")[1]?.split(" ")[0])).toBeGreaterThanOrEqual(Number(place.split(":")[1]));
  });

  it("RF-7 an invalid where inside a group is reported too", () => {
    const [fault] = told(rule("on: shell, require: { any: [{ call: fetch, where: 'args.' }] }"));
    expect(fault).toMatch(/^2:\d+ 'where' cannot be used: /);
  });

  it.each([
    [
      "on: shel",
      "2:18 no tool or action 'shel' is declared -> did you mean 'shell'? Otherwise declare it under tools or actions",
    ],
    [
      "on: shell, require: logn",
      "2:34 no tool, action or fact 'logn' is declared -> declare it under tools or actions",
    ],
    [
      "on: shell, require: { call: fetch, since: nothing }",
      "2:56 no tool, action or fact 'nothing' is declared -> declare it under tools or actions",
    ],
    ["on: 'rollback-*'", "2:18 'rollback-*' matches no declared tool or action"],
  ])("RF-8 without declared tools an unknown name is a warning: %s", (body, warning) => {
    expect("ruleSet" in parseRules(rule(body), "rules.yaml")).toBe(true);
    expect(told(rule(body))).toEqual([warning]);
  });

  it("RF-9 with declared tools an unknown name is an error, whether the file or the agent declares them", () => {
    const unknown =
      "no tool, action or fact 'logn' is declared -> did you mean 'login'? Otherwise declare it under tools or actions";
    const ofAgent = parseRules(rule("on: pay, require: logn"), "r", { tools: [{ name: "login" }, { name: "pay" }] });
    expect("faults" in ofAgent).toBe(true);
    expect(told("tools: [{ name: login }, { name: pay }]\nrules: [{ id: a, on: pay, require: logn }]")).toEqual([
      `2:36 ${unknown}`,
    ]);
  });

  it.each([
    [
      "on: pay, require: { call: login, same: { usr: user } }",
      "3:46 'pay' has no argument 'usr' -> did you mean 'user'?",
    ],
    [
      "on: pay, require: { call: login, same: { user: usr } }",
      "3:52 'login' has no argument 'usr' -> did you mean 'user'?",
    ],
    ["on: pay, require: { call: login, same: [user, sum] }", "3:51 'login' has no argument 'sum' -> 'login' has: user"],
    [
      "on: pay, require: { call: proven, same: { user: sum } }",
      "3:53 'login' has no argument 'sum' -> 'login' has: user",
    ],
    ["on: 'p*', atMost: { count: 1, per: [usr] }", "3:41 'pay' has no argument 'usr' -> did you mean 'user'?"],
    ["on: pay, set: { currency: eur }", "3:21 'pay' has no argument 'currency' -> 'pay' has: user, sum"],
    [
      "on: pay, effect: ask, say: 'Pay {{args.amount}}?'",
      "3:32 'pay' has no argument 'amount' -> 'pay' has: user, sum",
    ],
    ["on: pay, when: 'args.amount > 1'", "3:20 'pay' has no argument 'amount' -> 'pay' has: user, sum"],
  ])("RF-10 an argument that the tool does not declare is reported: %s", (body, fault) => {
    const tools = [
      { name: "login", args: ["user"] },
      { name: "pay", args: ["user", "sum"] },
    ];
    expect(told(`actions: { in: { tool: login, implies: [proven] } }\nrules:\n- { ${body}, id: a }\n`, tools)).toEqual([
      fault,
    ]);
  });

  it.each([
    [
      "a circle of two",
      "rules:\n  - { id: a, on: x/a, require: x/b }\n  - { id: b, on: x/b, require: x/a }\n",
      [
        "2:32 this is a cycle, so none of these can ever run: x/a needs x/b needs x/a -> change one of these rules, or add a 'when' to one",
      ],
    ],
    [
      "an action that waits for itself through its tool",
      "actions: { test: { tool: shell, command: t } }\nrules: [{ id: a, on: shell, require: test }]",
      [
        "2:38 this is a cycle, so none of these can ever run: test needs test -> change one of these rules, or add a 'when' to one",
      ],
    ],
    [
      "everything needs a login, the login too",
      "rules: [{ id: a, on: '*', require: { any: [fetch, task] } }]",
      [
        "1:36 this is a cycle, so none of these can ever run: fetch needs fetch -> change one of these rules, or add a 'when' to one",
      ],
    ],
    [
      "something that is forbidden",
      "rules: [{ id: no, on: fetch }, { id: a, on: task, require: { all: [shell, fetch] } }]",
      [
        "1:60 this can never be met: 'fetch' cannot happen, because rule 'no' always denies it -> change one of these rules, or add a 'when' to one",
      ],
    ],
    [
      "a fact that only a circle establishes",
      "actions: { go: { tool: x/go, implies: [gone] } }\nrules: [{ id: a, on: x/go, require: gone }]",
      [
        "2:37 this is a cycle, so none of these can ever run: go needs gone -> change one of these rules, or add a 'when' to one",
      ],
    ],
    [
      "itself and its opposite",
      "rules: [{ id: a, on: task, require: { all: [fetch, { not: fetch }] } }]",
      [
        "1:37 this can never be met: it both requires and forbids 'fetch' -> change one of these rules, or add a 'when' to one",
      ],
    ],
    [
      "one way out of the circle",
      "rules:\n- { id: a, on: x/a, require: { any: [x/b, x/c] } }\n- { id: b, on: x/b, require: x/a }\n",
      [],
    ],
    [
      "a circle that a when opens",
      "rules:\n- { id: a, on: x/a, when: 'args.n > 1', require: x/b }\n- { id: b, on: x/b, require: x/a }\n",
      [],
    ],
    [
      "a circle that only asks",
      "rules:\n- { id: a, on: x/a, require: x/b, effect: ask }\n- { id: b, on: x/b, require: x/a }\n",
      [],
    ],
    [
      "not is not a need",
      "rules:\n- { id: a, on: x/a, require: { not: x/b } }\n- { id: b, on: x/b, require: x/a }\n",
      [],
    ],
    [
      "at most is no prohibition",
      "rules:\n- { id: a, on: x/a, atMost: { count: 1 } }\n- { id: b, on: x/b, require: x/a }\n",
      [],
    ],
  ])("RF-11 unreachable prerequisites are reported: %s", (_, text, faults) => {
    expect(told(text)).toEqual(faults);
  });

  it.each([
    [
      "{ id: a, on: [task, shell], require: fetch }, { id: b, on: [shell, task], require: fetch, effect: warn }",
      "1:55 this contradicts rule 'a' (r:1): they require the same, but one has the effect 'warn', the other 'deny' -> remove one of them, or separate them with 'when'",
    ],
    [
      "{ id: a, on: shell, effect: ask }, { id: b, on: shell, require: fetch, effect: remind }",
      "1:44 this contradicts rule 'a' (r:1): 'ask' always wins, so 'remind' never happens -> remove one of them, or separate them with 'when'",
    ],
    [
      "{ id: a, on: shell, require: fetch }, { id: b, on: shell, require: { not: fetch } }",
      "1:47 this contradicts rule 'a' (r:1): one requires what the other forbids, so every call is denied -> remove one of them, or separate them with 'when'",
    ],
    [
      "{ id: a, on: shell, set: { t: 1 } }, { id: b, on: shell, set: { t: 2 } }",
      "1:46 this contradicts rule 'a' (r:1): both set 't', to different values -> remove one of them, or separate them with 'when'",
    ],
    ["{ id: a, on: shell, effect: ask }, { id: b, on: shell, when: 'args.x', effect: warn }", undefined],
    ["{ id: a, on: shell, require: fetch }, { id: b, on: shell, effect: ask }", undefined],
    ["{ id: a, on: shell, require: fetch }, { id: b, on: shell, require: fetch, effect: shadow }", undefined],
    ["{ id: a, on: shell, set: { t: 1 } }, { id: b, on: shell, require: task }", undefined],
  ])("RF-12 contradictory effects are reported: %s", (rules, fault) => {
    const parsed = parseRules(`rules: [${rules}]`, "r");
    const faults = "faults" in parsed ? parsed.faults : [];
    expect(faults.map(({ line, column, message, hint }) => `${line}:${column} ${message} -> ${hint}`)).toEqual(
      fault === undefined ? [] : [fault],
    );
  });

  it("RF-13 all errors in a rule file are reported at once, in file order", () => {
    expect(
      told(`actions:
  test: { tool: shel, comand: t }
rules:
  - { id: a, on: shell, when: "1 +" }
  - { id: a, on: shell, require: { call: read_file, fresh: true } }
  - { on: shell }
`).map((fault) => fault.split(" ")[0]),
    ).toEqual(["2:23", "4:35", "5:11", "5:53", "6:5"]);
  });

  it("RF-15 too deeply nested rules are rejected", () => {
    const deep = rule(`on: shell, require: ${"{ not: ".repeat(3_000)}fetch${" }".repeat(3_000)}`);
    expect(told(deep)[0]).toMatch(/^2:\d+ this is nested more than 100 levels deep$/);
  });

  it("RF-14 docs/schema/rules.schema.json is current: npm run -s conduct -- policy schema > docs/schema/rules.schema.json", async () => {
    const kept = await readFile(new URL("../../../../docs/schema/rules.schema.json", import.meta.url), "utf8");
    expect(kept).toBe(`${JSON.stringify(ruleJsonSchema(), null, 2)}\n`);
  });
});
