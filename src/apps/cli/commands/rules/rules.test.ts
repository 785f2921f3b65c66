import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { RulesPolicy } from "../../../../behavior/policy/rules/rules-policy.ts";
import { defineAgent } from "../../../../engine/agent/define-agent.ts";
import { parseRules } from "../../../../engine/agent/rules/parse-rules.ts";
import { COMMANDS } from "../../declared/command-tree.ts";
import { parseCommandLine } from "../../line/command-line.ts";
import type { Outcome } from "../../line/outcome.ts";
import { testGovernance } from "../../test/test-governance.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { rulesList } from "./list.ts";
import { type RulesWorld, rulesAdd, rulesChange } from "./rules.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const here = (agent: Agent) => ({ agents: [agent], config: { from: "home" as const, faults: [] } });

function desk(options: Partial<RulesWorld> = {}) {
  const governance = testGovernance();
  const actions = {
    test: { tool: "shell", command: "npm test" },
    deploy: { tool: "shell", command: "npm run deploy" },
  };
  const world: RulesWorld = {
    ...governance.world,
    agents: async () => here(defineAgent({ name: "a", actions })),
    confirm: async () => true,
    ...options,
  };
  const run = async (line: string): Promise<Outcome & { readonly said: string }> => {
    const words = line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', "")) ?? [];
    const parsed = await parseCommandLine(words, COMMANDS);
    if (parsed.kind !== "run") throw new Error(`'${line}' cannot be parsed`);
    const terminal = testTerminal();
    const [, name] = parsed.path;
    const outcome =
      name === "add"
        ? await rulesAdd(parsed.args, terminal, world)
        : name === "list"
          ? await rulesList(parsed.args, terminal, world)
          : await rulesChange(`${name as "enforce"}-rule`)(parsed.args, terminal, world);
    for (const { command } of outcome.next) {
      expect((await parseCommandLine(command.split(" ").slice(1), COMMANDS)).kind, command).toBe("run");
    }
    return { ...outcome, said: `${terminal.said()}${outcome.text ?? ""}` };
  };
  return { governance, run };
}

const call = (id: string, session: string, at: number): ConductEvent => ({
  ...{ v: 1, id: `e_${id}`, seq: 1, at, session, agent: "a", run: "r", turn: 1, type: "call" },
  call: {
    ...{ id, tool: "shell", args: { command: "npm run deploy" }, actions: ["deploy"], proves: ["deploy"], paths: [] },
    native: { runtime: "pi", name: "bash", input: {} },
  },
  decision: { kind: "allow", id: `d_${id}`, advice: [] },
  shadows: [{ rule: "test-before-deploy", code: "missing-prerequisite", reason: "First test, then deploy." }],
});

describe("conduct rules", () => {
  it("HRD-20: a directive becomes a rule: shown, confirmed, in shadow, counted, enforced, removed", async () => {
    const { governance, run } = desk();
    await governance.run('behavior add "START: the tests before deploying"');
    const added = await run("rules add d_1");
    await expect(added.said).toMatchFileSnapshot("rules-add.golden.txt");
    expect(added).toMatchObject({
      ok: true,
      result: { rule: { id: "test-before-deploy", status: "shadow", from: "d_1" } },
    });
    await governance.events.append([
      call("1", "s1", governance.now),
      call("2", "s1", governance.now + 1),
      call("3", "s2", governance.now + 2),
    ]);
    const listed = await run("rules list");
    await expect(listed.said).toMatchFileSnapshot("rules-list.golden.txt");
    expect(listed).toMatchObject({ result: { rules: [{ count: { wouldHaveBlocked: 3, blocked: 0, sessions: 2 } }] } });
    expect((await run("rules enforce test-before-deploy")).said).toContain("is enforced from the next turn");
    expect((await run("rules list")).said).toContain("enforced since");
    expect((await run("rules remove test-before-deploy")).ok).toBe(true);
    expect((await run("rules list")).said).toContain("No shared rules yet");
    expect(await run("rules enforce test-before-deploy")).toMatchObject({ ok: false, code: "RULE_NOT_FOUND" });
  });

  it("HRD-21: without a confirmation nothing is written, and a missing terminal is reported", async () => {
    for (const [answer, text] of [
      [false, "nothing was changed"],
      [undefined, "no terminal to ask at"],
    ] as const) {
      const { governance, run } = desk({ confirm: async () => answer });
      await governance.run('behavior add "START: the tests before deploying"');
      expect(await run("rules add d_1")).toMatchObject({
        code: "NOT_CONFIRMED",
        message: expect.stringContaining(text),
        fix: expect.stringContaining("conduct rules add d_1 --yes"),
      });
      expect(await run("rules list")).toMatchObject({ result: { rules: [] } });
      expect(await run("rules add d_1 --yes")).toMatchObject({ ok: true });
    }
  });

  it("HRD-22: a directive without a tool order is rejected with the known names; options or a file can supply the rule", async () => {
    const { governance, run } = desk();
    await governance.run('behavior add "STOP: long reports"');
    expect(await run("rules add d_1")).toMatchObject({
      code: "NO_TOOL_ORDER",
      fix: expect.stringContaining("deploy, test"),
    });
    expect(await run("rules add d_1 --first test --before deploy --dry-run")).toMatchObject({
      ok: true,
      result: { dryRun: true },
    });
    const folder = await mkdtemp(join(tmpdir(), "conduct-rules-"));
    folders.push(folder);
    const file = join(folder, "rule.yaml");
    await writeFile(file, "rules:\n  - { id: no-curl, on: shell, when: 'args.command.contains(\"curl\")' }\n");
    expect(await run(`rules add --file ${file} --scope agent:a --shadow 1d`)).toMatchObject({
      result: { rule: { id: "no-curl", scope: "agent:a", until: "2026-11-16T08:00:00.000Z" } },
    });
    await writeFile(file, "rules: [");
    expect(await run(`rules add --file ${file}`)).toMatchObject({ code: "INVALID_RULE" });
    expect(await run(`rules add --file ${folder}/none.yaml`)).toMatchObject({ code: "RULES_NOT_FOUND" });
    expect(await run("rules add")).toMatchObject({ code: "MISSING_DIRECTIVE_ID" });
    expect(await run("rules add d_77")).toMatchObject({ code: "DIRECTIVE_NOT_FOUND" });
  });

  it("HRD-23: an agent cannot change shared rules", async () => {
    const { run } = desk({ inside: async () => ({ agent: "codex", sign: "CODEX" }) });
    for (const line of ["rules add d_1", "rules enforce x", "rules shadow x", "rules remove x"])
      expect(await run(line)).toMatchObject({ code: "INSIDE_AGENT" });
  });

  it("HRD-24: a rule id that an agent's own rule already uses is rejected before any confirmation", async () => {
    const parsed = parseRules(
      "rules:\n  - { id: test-before-deploy, on: deploy, require: { call: test } }\n",
      "r.yaml",
    );
    if ("faults" in parsed) throw new Error("the rule cannot be read");
    const actions = { test: { tool: "shell", command: "a" }, deploy: { tool: "shell", command: "b" } };
    const agent = defineAgent({ name: "a", actions, policies: [new RulesPolicy(parsed.ruleSet)] });
    const { governance, run } = desk({ agents: async () => here(agent), confirm: () => expect.unreachable() });
    await governance.run('behavior add "START: the tests before deploying"');
    expect(await run("rules add d_1")).toMatchObject({
      code: "RULE_EXISTS",
      message: expect.stringContaining("r.yaml:2"),
    });
  });
});
