import { describe, expect, it } from "vitest";
import { testConduct } from "../session/test/test-conduct.ts";
import { parseConfig } from "./config/parse-config.ts";
import { AgentError, type AgentInput, defineAgent } from "./define-agent.ts";
import { parseRules } from "./rules/parse-rules.ts";

const TOOLS = [{ name: "deploy", args: ["env"] }, { name: "test" }, { name: "shell", args: ["command"] }];

/** What is decided on `deploy` before and after a test that succeeded. */
async function decisions(more: Omit<AgentInput, "name">): Promise<readonly string[]> {
  const { open } = testConduct({ tools: TOOLS, ...more });
  const session = open();
  const before = await session.onCall({ id: "1", tool: "deploy", args: { env: "prod" }, step: "s1" });
  const test = { id: "2", tool: "test", args: {}, step: "s2" };
  await session.onCall(test);
  await session.onResult(test, { outcome: "ok", parts: [] });
  const after = await session.onCall({ id: "3", tool: "deploy", args: { env: "prod" }, step: "s3" });
  return [before.kind, after.kind];
}

const YAML = "rules:\n  - { id: tested, on: deploy, require: test }\n";

describe("rules of an agent in code", () => {
  const parsed = parseRules(YAML, "rules.yaml");
  const ruleSet = "ruleSet" in parsed ? parsed.ruleSet : { actions: {}, rules: [] };

  it.each<readonly [string, AgentInput["rules"]]>([
    ["an object as in YAML", [{ id: "tested", on: "deploy", require: "test" }]],
    ["conditions as in YAML", [{ id: "tested", on: ["deploy"], require: { all: [{ call: "test", within: "10m" }] } }]],
    ["the seeds' form", [{ toolName: "deploy", requiredPrior: ["test"] }]],
    ["the text of a rule file", [YAML]],
    [
      "a rule file as an object",
      [{ actions: { ship: { tool: "deploy" } }, rules: [{ id: "s", on: "ship", require: "test" }] }],
    ],
    ["a rule set that was parsed", [ruleSet]],
    ["several of these", [ruleSet, { id: "again", on: "deploy", require: "test" }]],
  ])("DAR-1 a rule in code is enforced when given as %s", async (_what, rules) => {
    expect(await decisions({ rules: rules ?? [] })).toEqual(["deny", "allow"]);
  });

  it("DAR-2 prerequisites of tools in code are enforced, as in YAML", async () => {
    const tools = [{ name: "deploy", prerequisites: ["test"] }, { name: "test" }];
    expect(await decisions({ tools })).toEqual(["deny", "allow"]);
  });

  it("DAR-3 effects, predicates and actions in code work as in YAML", async () => {
    const { open } = testConduct({
      tools: TOOLS,
      actions: { publish: { tool: "shell", command: "npm publish *" } },
      rules: [
        { id: "ask-first", on: "publish", effect: "ask" },
        { id: "not-prod", on: "deploy", when: "args.env == 'prod'", say: "Not to {{args.env}}." },
      ],
    });
    const session = open();
    const ask = await session.onCall({ id: "1", tool: "shell", args: { command: "npm publish x" } });
    const prod = await session.onCall({ id: "2", tool: "deploy", args: { env: "prod" } });
    const dev = await session.onCall({ id: "3", tool: "deploy", args: { env: "dev" } });
    expect([ask.kind, prod.kind, dev.kind]).toEqual(["ask", "deny", "allow"]);
    expect(prod).toMatchObject({ rule: "not-prod", reason: "Not to prod." });
    expect(prod).toMatchObject({ place: undefined });
  });

  it.each([
    [{ id: "x", on: "deploy", requires: "test" }, "requires"],
    [{ id: "x", on: "deploi", require: "test" }, "deploi"],
    [{ id: "x", on: "deploy", effect: "forbid" }, "effect"],
    [{ id: "x", on: "deploy", when: "args.amount >" }, "when"],
    [{ id: "x", on: "deploy", require: { call: "test", within: "soon" } }, "duration"],
  ])("DAR-4 a fault in the code rule %j has the same message as in YAML", (rule, named) => {
    const inYaml = parseConfig(JSON.stringify({ agents: { a: { tools: TOOLS, rules: [rule] } } }), "conduct.yaml");
    const messages = "faults" in inYaml ? inYaml.faults.map(({ message }) => message) : [];
    const thrown = thrownBy({ name: "a", tools: TOOLS, rules: [rule] });
    expect(thrown.faults.join("\n")).toContain(named);
    const last = (text: string) => text.split("'").at(-1) ?? text;
    for (const message of messages) expect(thrown.faults.some((fault) => fault.includes(last(message)))).toBe(true);
  });

  it.each<readonly [AgentInput["rules"], string]>([
    [["packs/coding"], 'loadRules("packs/coding", folder)'],
    [[{ id: "x", on: "deploy", when: (() => true) as unknown as string }], "'rules[0].when' is a function"],
    [[ruleSet, ruleSet], "two rules have the id 'tested'"],
    [[""], "rules[0]"],
  ])("DAR-5 the rules %j in code are rejected", (rules, message) => {
    expect(thrownBy({ name: "a", tools: TOOLS, rules: rules ?? [] }).faults.join("\n")).toContain(message);
  });

  it("DAR-6 a finished agent definition can be changed and defined again", () => {
    const agent = defineAgent({ name: "a", tools: TOOLS, rules: [{ id: "x", on: "deploy" }] });
    expect(defineAgent({ ...agent, name: "b" }).policies).toHaveLength(1);
  });
});

function thrownBy(input: AgentInput): AgentError {
  try {
    defineAgent(input);
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
