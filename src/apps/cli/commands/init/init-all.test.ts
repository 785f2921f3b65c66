import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RulesPolicy } from "../../../../behavior/policy/rules/rules-policy.ts";
import { bindAgents } from "../../../../edge/host/daemon/daemon-agents.ts";
import { readRuntimes } from "../../../../edge/host/opening/runtime-settings.ts";
import { projectConfigPath } from "../../../../edge/host/workspace/project-config.ts";
import { type Given, useInitWorld } from "../../test/init-test-world.ts";
import { init as runInit } from "./init.ts";

const { at, asked, world, read, write, run } = useInitWorld();
const SCRIPTS = '{ "scripts": { "test": "vitest run", "lint": "biome check" } }';
const home = () => join(at.root, ".conduct");
const work = () => join(at.root, "work");
const config = () => projectConfigPath(home(), work());
const init = (args: object, given: Given = {}) =>
  run((terminal) => runInit(args, terminal, world(given)), given.terminal);
const readConfig = () => read(config().slice(at.root.length + 1));

describe("conduct init without a name", () => {
  it("INA-1 init finds the runtimes and the project's commands, asks once, and starts in shadow mode (golden)", async () => {
    write("work/package.json", SCRIPTS);
    mkdirSync(join(at.root, ".codex"));
    const find = (program: string) => (program === "claude" ? "/bin/claude" : undefined);
    const { outcome, said } = await init({}, { find, answers: [true] });
    expect(outcome).toMatchObject({ ok: true, result: { changed: true, config: config() } });
    expect(asked).toHaveLength(1);
    await expect(said.replace(/shop-\w+|work-[0-9a-f]{12}/g, "work-KEY")).toMatchFileSnapshot("init-all.golden.txt");
    expect(await readRuntimes(home())).toMatchObject({
      "claude-code": { enforcement: "shadow" },
      codex: { enforcement: "shadow" },
    });
  });

  it("INA-2 the project's file is in force in this folder and below it, and nowhere else", async () => {
    write("work/package.json", SCRIPTS);
    mkdirSync(join(at.root, "work/src"));
    mkdirSync(join(at.root, ".codex"));
    await init({ yes: true });
    expect(read(".conduct/conduct.yaml")).toBeUndefined();
    for (const folder of [work(), join(work(), "src")]) {
      const bound = await bindAgents(home(), folder);
      expect(bound).toMatchObject({ kind: "ready", config: { from: "project", file: config() } });
      const policies = bound.kind === "ready" ? (bound.agents[0]?.policies ?? []) : [];
      const rules = policies.flatMap((policy) => (policy instanceof RulesPolicy ? policy.rules.ruleSet.rules : []));
      expect(rules.map(({ id }) => id)).toContain("commit-needs-checks");
    }
    expect(await bindAgents(home(), at.root)).toMatchObject({ kind: "ready", config: { from: "built-in" } });
  });

  it("INA-10 init with a name writes the project's file too and shows its commands; again it says that nothing is left", async () => {
    write("work/package.json", SCRIPTS);
    const { said } = await init({ runtime: "claude-code", yes: true });
    expect(said).toMatch(/says that these are its commands[\s\S]*npm run lint/);
    expect(readConfig()).toContain("npm run lint");
    expect(read(".conduct/conduct.yaml")).toBeUndefined();
    expect((await init({ runtime: "claude-code", yes: true })).said).toContain("set up already");
    const operator = await init({ runtime: "claude-code", operator: true, yes: true });
    expect(operator.said).toContain("its files were right already");
    expect(operator.said).not.toContain("0 files");
  });

  it.each([
    { answers: [false], code: "NOT_CONFIRMED" },
    { answers: [], code: "CONFIRMATION_NEEDED" },
  ])("INA-3 nothing that a project says is written without a person or --yes: $code", async ({ answers, code }) => {
    write("work/package.json", SCRIPTS);
    mkdirSync(join(at.root, ".claude"));
    expect((await init({}, { answers })).outcome).toMatchObject({ ok: false, code, result: { commands: [{}, {}] } });
    expect(readConfig()).toBeUndefined();
    expect(read(".claude/settings.json")).toBeUndefined();
    expect(await readRuntimes(home())).toEqual({});
  });

  it("INA-4 agents and rules of an existing conduct.yaml stay in force in the project", async () => {
    write("work/go.mod", "module x\n");
    write(".conduct/mine.yaml", "rules:\n  - { id: mine, on: curl }\n");
    write(".conduct/conduct.yaml", "agents:\n  coding: { rules: [packs/coding, ./mine.yaml] } # mine\n");
    mkdirSync(join(at.root, ".claude"));
    expect((await init({ yes: true })).outcome).toMatchObject({ ok: true });
    expect(readConfig()).toContain(`${home()}/mine.yaml`);
    expect(await bindAgents(home(), work())).toMatchObject({ kind: "ready", config: { from: "project" } });
  });

  it("INA-5 a runtime whose settings are broken is left alone with the reason; the others are set up", async () => {
    write(".claude/settings.json", "{ nonsense");
    mkdirSync(join(at.root, ".codex"));
    const { outcome, said } = await init({ yes: true });
    expect(outcome).toMatchObject({ ok: true, result: { runtimes: [{ skipped: expect.anything() }, {}] } });
    expect(said).toContain("left alone: ");
    expect(read(".claude/settings.json")).toBe("{ nonsense");
    expect(await readRuntimes(home())).toEqual({ codex: expect.anything() });
  });

  it("INA-6 without a project the first conduct.yaml is written once for all runtimes", async () => {
    for (const folder of [".claude", ".codex", ".pi/agent", ".openclaw", ".config/opencode"])
      mkdirSync(join(at.root, folder), { recursive: true });
    expect((await init({ yes: true })).outcome).toMatchObject({ ok: true, result: { commands: [] } });
    expect(Object.keys(await readRuntimes(home()))).toEqual(["claude-code", "codex", "openclaw", "opencode", "pi"]);
    expect(read(".conduct/conduct.yaml")).toContain("packs/coding");
    const again = await init({});
    expect(again.outcome).toMatchObject({ ok: true, result: { changed: false } });
    expect(asked).toEqual([]);
  });

  it("INA-8 --undo without a name undoes the only runtime; with several it lists them", async () => {
    expect((await init({ undo: true })).outcome).toMatchObject({ ok: false, code: "NOT_INSTALLED" });
    await init({ runtime: "claude-code", yes: true });
    await init({ runtime: "codex", yes: true });
    const { outcome } = await init({ undo: true, yes: true });
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining("claude-code, codex") });
    await init({ runtime: "codex", undo: true, yes: true });
    expect((await init({ undo: true, yes: true })).outcome).toMatchObject({
      ok: true,
      result: { runtime: "claude-code" },
    });
    expect(read(".claude/settings.json")).toBeUndefined();
  });

  it("INA-7 a machine without a runtime and an agent are refused", async () => {
    expect((await init({ yes: true })).outcome).toMatchObject({ ok: false, code: "NO_RUNTIME" });
    const inside = () => ({ agent: "Codex", sign: "CODEX_SANDBOX is set" });
    expect((await init({ yes: true }, { inside })).outcome).toMatchObject({ ok: false, code: "INSIDE_AGENT" });
  });
});
