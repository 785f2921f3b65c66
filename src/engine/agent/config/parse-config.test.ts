import { describe, expect, it } from "vitest";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import { CompiledAgent } from "../compiled-agent.ts";
import { parseConfig } from "./parse-config.ts";

/** Faults, or warnings of a file that can be used, as `line:column message -> hint`. */
function told(text: string): readonly string[] {
  const parsed = parseConfig(text, "conduct.yaml");
  const all = "faults" in parsed ? parsed.faults : parsed.warnings;
  return all.map(
    ({ line, column, message, hint }) => `${line}:${column} ${message}${hint === undefined ? "" : ` -> ${hint}`}`,
  );
}

function agentsOf(text: string) {
  const parsed = parseConfig(text, "conduct.yaml");
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults, null, 2));
  return parsed.agents;
}

const agent = (body: string) => `agents:\n  a:\n    ${body}\n`;

describe("parseConfig", () => {
  it("CF-1 parseConfig reads every key of an agent", () => {
    const [release] = agentsOf(`agents:
  release:
    sections:
      - { heading: Task, content: Release it., tools: [shell], policies: [{ name: first, sequential: { deploy: [test] } }] }
    tools:
      - { name: shell, description: runs commands, risk: high }
      - { name: put, paths: { target: write } }
    actions:
      test: { tool: shell, command: "npm test *" }
      deploy: { tool: shell, command: "npm run deploy" }
    policies:
      - readBeforeWrite: { readTools: [read_file], writeTools: [put], rearmOnCompaction: false }
      - { name: second, sequential: { deploy: [test] }, rearmOnCompaction: true }
    feedback:
      - { deadline: { warnAt: 2m }, every: { seconds: 30 } }
      - { static: "AGENTS.md is here.", on: { fileCreated: AGENTS.md } }
      - { tokenBudget: { cautionAt: 0.5, warnAt: 0.8 }, every: { calls: 5 } }
      - repeatedFailure: { after: 3 }
    completion: { files: [report.md], command: { run: npm test, timeout: 1m }, evidence: [test], any: true }
    limits:
      { tokens: 400_000, inputTokens: 1, outputTokens: 2, calls: 3, cost: 2.00, time: 30m, deadline: 1.5h, window: 32_000,
        toolResultShare: 0.3, turnResultShare: 1, stops: 2, gather: 500ms, check: 10ms, completion: 3m }
    trustedTools: [{ server: bank, tool: pay }, { tool: shell }]
`);
    expect(release?.tools).toEqual([
      { name: "shell", description: "runs commands", risk: "high" },
      { name: "put", paths: { target: "write" } },
    ]);
    expect(release?.limits).toEqual({
      tokens: 400_000,
      inputTokens: 1,
      outputTokens: 2,
      calls: 3,
      cost: 2,
      time: 1_800_000,
      deadline: 5_400_000,
      window: 32_000,
      toolResultShare: 0.3,
      turnResultShare: 1,
      stops: 2,
      gatherMs: 500,
      checkMs: 10,
      completionMs: 180_000,
    });
    expect(release?.feedback.map(({ provider, trigger }) => [provider.name, trigger])).toEqual([
      ["Deadline", { everyNSeconds: 30 }],
      ["Static", { onFileCreated: { filename: "AGENTS.md" } }],
      ["TokenBudget", { everyNCalls: 5 }],
      ["RepeatedFailure", { everyNCalls: 1 }],
    ]);
    expect(release?.policies.map(({ name, rearmOnCompaction }) => [name, rearmOnCompaction])).toEqual([
      ["read-before-write", false],
      ["second", true],
    ]);
    expect(release?.completion).toBeDefined();
    expect(release?.trustedTools).toEqual([{ server: "bank", tool: "pay" }, { tool: "shell" }]);
  });

  it("CF-2 section policies come first, in the order of the sections, then the agent's", () => {
    const [one] = agentsOf(`agents:
  a:
    policies: [{ name: last, sequential: { y: [x] } }]
    sections:
      - { heading: A, content: a, tools: [shell, login], policies: [{ name: first, sequential: { shell: [login] } }] }
      - { heading: B, content: b, tools: [shell], policies: [{ name: second, readBeforeWrite: { readTools: [shell] } }] }
      - { heading: C, content: c, tools: [fetch, login], policies: [{ name: other, sequential: { fetch: [login] } }] }
`);
    if (one === undefined) throw new Error("no agent");
    const names = new CompiledAgent(one, []).policiesFor({ tool: "shell", actions: [] }).map(({ name }) => name);
    expect(names.filter((name) => !name.startsWith("builtin:"))).toEqual(["first", "second", "last"]);
    expect(names.findLastIndex((name) => name.startsWith("builtin:"))).toBe(names.indexOf("first") - 1);
  });

  it("CF-3 lists are joined with the defaults first, and maps are merged key by key with the agent's on top", () => {
    const [a, b] = agentsOf(`agents:
  defaults:
    tools: [{ name: shell }]
    policies: [{ readBeforeWrite: }]
    limits: { calls: 10, cost: 1 }
    actions: { test: { tool: shell, command: x }, lint: { tool: shell, command: lint } }
  a:
    tools: [{ name: fetch }]
    policies: [{ sequential: { fetch: [test] } }]
    limits: { calls: 20 }
    actions: { test: { tool: shell, command: y } }
  b:
`);
    expect(a?.tools.map(({ name }) => name)).toEqual(["shell", "fetch"]);
    expect(a?.policies.map(({ name }) => name)).toEqual(["read-before-write", "sequential-dependency"]);
    expect(a?.limits).toEqual({ calls: 20, cost: 1 });
    expect(a?.actions).toEqual({ test: { tool: "shell", command: "y" }, lint: { tool: "shell", command: "lint" } });
    expect(b?.limits).toEqual({ calls: 10, cost: 1 });
    expect(b?.policies).toHaveLength(1);
  });

  it("CF-4 an agent cannot silently replace a default: reusing its name is an error at the agent's entry", () => {
    expect(
      told(
        "agents:\n  defaults:\n    policies: [{ sequential: { x: [y] } }]\n  a:\n    policies: [{ sequential: { x: [z] } }]\n",
      ),
    ).toEqual([
      "5:16 two policies are named 'sequential-dependency'; rename one of them, because a policy's state is stored under its name",
    ]);
  });

  it.each([
    ["polices: []", "3:5 unknown key 'polices' -> did you mean 'policies'?"],
    ["tools: shell", "3:12 'tools' must be a list, not \"shell\""],
    ["tools:", "3:5 'tools' must be a list, and is empty"],
    ["tools: [{}]", "3:13 'name' is missing"],
    ["tools: [{ name: x, risk: hihg }]", "3:30 'risk' must be 'low' or 'high', not \"hihg\" -> did you mean 'high'?"],
    ["limits: { time: 30 }", "3:21 'time' must be a duration above 0, such as 90s, 2m or 1.5h, not 30"],
    ["limits: { time: 0s }", "3:21 'time' must be a duration above 0, such as 90s, 2m or 1.5h, not \"0s\""],
    ["limits: { tokens: 1.5 }", "3:23 'tokens' must be a whole number above 0, not 1.5"],
    ["limits: { tokens: 0_0 }", "3:23 'tokens' must be a whole number above 0, not \"0_0\""],
    [
      "limits: { toolResultShare: 30 }",
      "3:32 'toolResultShare' must be a number above 0 and at most 1, such as 0.3, not 30",
    ],
    ["policies: [{ sequental: {} }]", "3:18 unknown key 'sequental' -> did you mean 'sequential'?"],
    ["policies: [{ name: x }]", "3:16 'policies[0]' must have exactly one of 'readBeforeWrite', 'sequential'"],
    [
      "policies: [{ readBeforeWrite: , rearmOnCompaction: true }]",
      "3:37 'rearmOnCompaction' next to 'readBeforeWrite' has no effect -> move it into readBeforeWrite: { … }",
    ],
    [
      "policies: [{ sequential: { a: [b], b: [a] } }]",
      "3:30 'sequential' contains a cycle, so none of these can ever run: a needs b needs a",
    ],
    [
      "feedback: [{ static: hi }]",
      "3:16 'static' has no trigger, so it never fires -> add every: { calls: 10 }, every: { seconds: 60 } or on: { fileCreated: NAME }",
    ],
    ["feedback: [{ deadline: , every: {} }]", "3:37 'every' needs 'seconds' or 'calls'"],
    ["feedback: [{ tokenBudget: { cautionAt: 0.95 } }]", "3:31 'cautionAt' (0.95) must not be above 'warnAt' (0.9)"],
    [
      "feedback: [{ deadline: }, { deadline: }]",
      "3:31 feedback provider 'Deadline' is declared more than once: give each instance its own name",
    ],
    ["completion: { any: true }", "3:17 'completion' is empty -> add files, evidence or a command"],
    ["completion: { command: { run: x, timeot: 3s } }", "3:38 unknown key 'timeot' -> did you mean 'timeout'?"],
    ["completion: { command: 3 }", "3:28 'command' must be a command, or a map with 'run' and 'timeout', not 3"],
    ["tools: [{ name: x }, { name: x }]", "3:26 tool 'x' is declared twice"],
    [
      "policies: [{ name: 'builtin:x', readBeforeWrite: }]",
      "3:16 policy 'builtin:x': names that start with builtin: are reserved",
    ],
    [
      "sections: [{ heading: H, content: c, policies: [{ readBeforeWrite: }] }]",
      "3:42 section 'H' has policies but no 'tools', so the policies apply to nothing -> list the section's tools, or move the policies to the agent, where they apply to every tool",
    ],
    [
      "sections: [{ heading: H, content: c, tools: [write_file], policies: [{ readBeforeWrite: }] }]",
      "3:74 'read_file' never counts: section 'H' does not list it under 'tools' -> add it there, or move the policy to the agent, where it sees every call",
    ],
  ])("CF-5 the fault in the agent key %s is reported with its position and a hint", (body, fault) => {
    expect(told(agent(body))).toEqual([fault]);
  });

  it.each([
    ["", "1:1 the file must be a map, and is empty"],
    ["[]", "1:1 the file must be a map, not a list"],
    [
      "agents: {}",
      "1:9 'agents' is empty -> add an agent: its name, and below it tools, policies, feedback, completion or limits ('defaults' is not an agent)",
    ],
    [
      "agents: { a: {} }\nstore: {}",
      "2:1 'store' is not supported yet -> it is planned for a later version; remove it for now",
    ],
    ["agents: { a: {} }\npolicies: []", "2:1 unknown key 'policies' -> move it to an agent: agents.<name>.policies"],
    ["agents: { 'a b': {} }", "1:11 'a b' is not a valid agent name: remove spaces, '/' and '#'"],
    ["agents: { a: {}, a: {} }", "1:18 'a' is defined twice -> remove one of them; YAML would use only the last"],
    ["agents: { __proto__: {}, a: {} }", "1:11 '__proto__' cannot be used as a name"],
    ["agents: *nowhere", "1:9 no anchor '&nowhere' before this"],
    ["agents:\n\ta: {}", "2:1 this is not valid YAML: tabs are not allowed as indentation -> indent with spaces"],
    [
      "agents: { a: {} }\n---\nagents: {}",
      "2:1 this is not valid YAML: the file contains several documents -> keep one document: remove the '---' line",
    ],
    [
      "agents: { a: !secret {} }",
      "1:14 this is not valid YAML: unresolved tag: !secret -> remove the tag, or put the value in quotes",
    ],
    [
      "\uFEFFagents: { a: { x: 1 } }",
      "1:16 unknown key 'x' -> known keys: model, runtime, identity, soul, sections, tools, actions, programs, policies, rules, feedback, completion, network, mcpServers, limits, trustedTools, promptContributors, prompt, sessionLabels, custom, memory, elevation, checkpoints",
    ],
  ])("CF-6 the fault in the file %j is reported with its position", (text, fault) => {
    expect(told(text)).toEqual([fault]);
  });

  it("CF-7 all errors in conduct.yaml are reported at once, in file order", () => {
    const faults = told(`agents:
  defaults:
    model: x
  a:
    tools: [{ name: x }, { name: x }]
    limits: { calls: 0, cost: -1 }
    policies:
      - sequential: { a: [a] }
  b:
    feedback: [{ static: hi }]
store: {}
`);
    expect(faults.map((fault) => fault.split(" ")[0])).toEqual([
      "3:12",
      "5:26",
      "6:22",
      "6:31",
      "8:21",
      "10:16",
      "11:1",
    ]);
  });

  it("CF-8 a YAML syntax error hides no error before it, and nothing after it is reported", () => {
    expect(
      told('agents:\n  a:\n    polices: []\n    limits: { calls: 0 }\n    sections: "x\n  b:\n    modl: 3\n'),
    ).toEqual([
      "3:5 unknown key 'polices' -> did you mean 'policies'?",
      "4:22 'calls' must be a whole number above 0, not 0",
      '5:15 this is not valid YAML: missing closing "quote',
    ]);
  });

  it("CF-9 an error behind an alias is reported at the aliased text", () => {
    expect(told("agents:\n  a: &x\n    limits: { calls: 0 }\n  b: *x\n")).toEqual([
      "3:22 'calls' must be a whole number above 0, not 0",
    ]);
  });

  it("CF-10 undeclared names are warnings with the nearest name; names of server tools are ignored", () => {
    expect(
      told(`agents:
  a:
    actions: { test: { tool: shel, command: x } }
    policies:
      - sequential: { deploy: [test, tset], bank/pay: [test] }
      - readBeforeWrite: { readTools: [red_file] }
    completion: { evidence: [tests], command: { run: x, timeout: 10m } }
`),
    ).toEqual([
      "3:30 no tool 'shel' is declared -> did you mean 'shell'? Otherwise declare it under tools",
      "5:23 no tool or action 'deploy' is declared -> declare it under tools or actions",
      "5:38 no tool or action 'tset' is declared -> did you mean 'test'? Otherwise declare it under tools or actions",
      "6:40 no tool or action 'red_file' is declared -> did you mean 'read_file'? Otherwise declare it under tools or actions",
      "7:30 no tool or action 'tests' is declared -> did you mean 'test'? Otherwise declare it under tools or actions",
      "7:66 this timeout is longer than the timeout of the whole completion check -> raise limits.completion (default: 2m)",
    ]);
  });

  it("CF-11 an action that depends on itself through its tool is a cycle too", () => {
    expect(
      told(agent("actions: { test: { tool: shell, command: t } }\n    policies: [{ sequential: { shell: [test] } }]")),
    ).toEqual(["4:30 'sequential' contains a cycle, so none of these can ever run: test needs test"]);
  });

  it("CF-14 rule files, packs and the agent's own rules become one policy, with the actions of all of them", () => {
    const rules =
      "actions: { test: { tool: shell, command: t, implies: [ok] } }\nrules: [{ id: a, on: fetch, require: test }]\n";
    const files = new Map([["./r.yaml", { file: "r.yaml", text: rules }]]);
    const text = `agents:
  defaults:
    rules: [./r.yaml]
  a:
    tools: [{ name: fetch, prerequisites: [test] }]
    actions: { mine: { tool: shell, command: m, implies: [test] } }
    rules: [{ id: b, on: task, require: ok, effect: ask }, { toolName: search, requiredPrior: [mine] }]
  b:
`;
    const parsed = parseConfig(text, "conduct.yaml", { rules: files });
    if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
    expect(parsed.warnings).toEqual([]);
    const [a, b] = parsed.agents;
    const rulesOf = (one: typeof a) =>
      one?.policies.flatMap((policy) => (policy instanceof RulesPolicy ? policy.rules.ruleSet.rules : [])) ?? [];
    expect(a?.policies.map(({ name }) => name)).toEqual(["rules"]);
    expect(rulesOf(a).map(({ id, place }) => [id, place?.file, place?.line])).toEqual([
      ["a", "r.yaml", 2],
      ["fetch-prerequisites", "conduct.yaml", 5],
      ["b", "conduct.yaml", 7],
      ["search-prerequisites", "conduct.yaml", 7],
    ]);
    expect(a?.actions).toEqual({
      mine: { tool: "shell", command: "m", implies: ["test", "ok"] },
      test: { tool: "shell", command: "t", implies: ["ok"] },
    });
    expect(rulesOf(b).map(({ id }) => id)).toEqual(["a"]);
  });

  it.each([
    ["rules: x.yaml", "3:12 'rules' must be a list, not \"x.yaml\""],
    ["rules: [{ id: a, on: shell, requir: test }]", "3:33 unknown key 'requir' -> did you mean 'require'?"],
    [
      "rules: [3]",
      "3:13 'rules[0]' must be a rule file, a folder with rules.yaml in it, a map with 'pack', or a rule, not 3",
    ],
    ["rules: [./x.yaml]", "3:13 rule files cannot be read here -> load the file with loadConfigFile"],
    ["rules: [{ id: a, on: shell, require: { call: fetch, same: {} } }]", "3:63 'same' must not be empty"],
    [
      "tools: [{ name: x, prerequisites: [y] }, { name: y, prerequisites: [x] }]",
      "3:39 this is a cycle, so none of these can ever run: x needs y needs x -> change one of these rules, or add a 'when' to one",
    ],
    [
      "policies: [{ name: rules, readBeforeWrite: }]\n    rules: [{ id: a, on: shell }]",
      "3:16 two policies are named 'rules'; rename one of them, because a policy's state is stored under its name",
    ],
  ])("CF-15 the fault in the agent's rules %s is reported with its position", (body, fault) => {
    expect(told(agent(body))).toEqual([fault]);
  });

  it("CF-16 two rule files that define an action differently are an error, unless the agent defines it", () => {
    const file = (name: string, command: string) =>
      [name, { file: name, text: `actions: { test: { tool: shell, command: ${command} } }\n` }] as const;
    const files = new Map([file("x", "x"), file("y", "y")]);
    const faults = (own: string) => {
      const parsed = parseConfig(`agents: { a: { ${own}rules: [x, y] } }\n`, "conduct.yaml", { rules: files });
      return "faults" in parsed ? parsed.faults.map((one) => `${one.file}:${one.line} ${one.message}`) : [];
    };
    expect(faults("")).toEqual(["y:1 action 'test' has another definition at x:1"]);
    expect(faults("actions: { test: { tool: shell, command: z } }, ")).toEqual([]);
  });

  it("CF-12 an alias bomb is rejected", () => {
    const bomb = `a: &a [1]\nb: &b [${"*a,".repeat(12)}]\nc: [${"*b,".repeat(12)}]\n`;
    expect(told(bomb)[0]).toMatch(/^1:1 this is not valid YAML: Excessive alias count/);
  });

  it("CF-17 a definition includes the defaults, and parsing it again gives the same agent", () => {
    const parsed = parseConfig(
      `agents:
  defaults: { limits: { time: 30m, tokens: 400_000 } }
  a:
    completion: { files: [x.md], command: { run: npm test, timeout: 2m } }
    feedback: [{ deadline: { warnAt: 90s } }]
    rules: [{ id: x, on: fetch, require: { call: login, within: 10m } }]
`,
      "conduct.yaml",
    );
    if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
    const [definition] = parsed.definitions;
    expect(definition).toEqual({
      limits: { time: "30m", tokens: "400_000" },
      completion: { files: ["x.md"], command: { run: "npm test", timeout: "2m" } },
      feedback: [{ deadline: { warnAt: "90s" } }],
      rules: [{ id: "x", on: "fetch", require: { call: "login", within: "10m" } }],
    });
    const again = parseConfig(JSON.stringify({ agents: { a: definition } }), "agents/a");
    expect("configs" in again && again.configs).toEqual(parsed.configs);
  });
});
