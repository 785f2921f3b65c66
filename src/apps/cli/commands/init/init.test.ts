import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRuntimes, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { RUNTIME_NAMES } from "../../../install/runtimes.ts";
import { paintFor } from "../../line/terminal.ts";
import { type Given, useInitWorld } from "../../test/init-test-world.ts";
import { init as runInit } from "./init.ts";

const { at, journaled, asked, world, read, write, run } = useInitWorld();
const MINE =
  '{\n  "model": "sonnet",\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] }]\n  }\n}\n';

const init = (args: object, given: Given = {}) =>
  run((terminal) => runInit({ runtime: "claude-code", ...args }, terminal, world(given)), given.terminal);
/** How long the adapters' own parts are is not these texts' concern. */
const steady = (said: string) => said.replace(/\+\d+ -\d+ lines|\d+ lines(?= more|$)/gm, "N lines");
const runtimes = () => readRuntimes(join(at.root, ".conduct"));

describe("conduct init", () => {
  it("INI-1 init shows the change, asks for confirmation, applies it, and starts in shadow mode (golden)", async () => {
    write(".claude/settings.json", MINE);
    const { outcome, said } = await init({}, { answers: [true] });
    expect(outcome).toMatchObject({ ok: true, result: { enforcement: "shadow", changed: true } });
    await expect(steady(said)).toMatchFileSnapshot("init.golden.txt");
    expect(JSON.parse(read(".claude/settings.json") ?? "")).toMatchObject({
      model: "sonnet",
      hooks: { Stop: [JSON.parse(MINE).hooks.Stop[0], {}] },
    });
    expect(await runtimes()).toEqual({
      "claude-code": { enforcement: "shadow", operator: false, user: "ann", since: "2026-11-15T11:00:00.000Z" },
    });
    expect(journaled).toMatchObject([
      { kind: "runtime.installed", by: "cli:ann", body: { runtime: "claude-code", enforcement: "shadow" } },
    ]);
    expect(statSync(join(at.root, ".conduct/conduct.yaml")).mode & 0o077).toBe(0);
  });

  it.each(RUNTIME_NAMES)(
    "INI-2 %s: a second init changes nothing, and --undo restores the original state",
    async (runtime) => {
      expect((await init({ runtime, yes: true })).outcome).toMatchObject({ ok: true, result: { changed: true } });
      const again = await init({ runtime, yes: true });
      expect(again.outcome).toMatchObject({ ok: true, result: { changed: false, files: [] } });
      expect(again.said).toContain("is set up already: in shadow mode since 2026-11-1");
      expect((await init({ runtime, undo: true, yes: true })).outcome).toMatchObject({ ok: true });
      expect((await init({ runtime, undo: true, yes: true })).outcome).toMatchObject({
        ok: false,
        code: "NOT_INSTALLED",
      });
      expect(journaled.map(({ kind }) => kind)).toEqual(["runtime.installed", "runtime.removed"]);
    },
  );

  it("INI-3 --undo shows what it removes, and restores the file byte for byte (golden)", async () => {
    write(".claude/settings.json", MINE);
    await init({ yes: true });
    const { said } = await init({ undo: true }, { answers: [true] });
    expect(read(".claude/settings.json")).toBe(MINE);
    expect(read(".claude.json")).toBeUndefined();
    await expect(steady(said)).toMatchFileSnapshot("init-undo.golden.txt");
  });

  it.each([
    { answers: [false], code: "NOT_CONFIRMED" },
    { answers: [], code: "CONFIRMATION_NEEDED" },
  ])("INI-4 without a confirmation init changes nothing: $code", async ({ answers, code }) => {
    expect((await init({}, { answers })).outcome).toMatchObject({ ok: false, code });
    expect(read(".claude/settings.json")).toBeUndefined();
    expect(read(".conduct/conduct.yaml")).toBeUndefined();
    expect(await runtimes()).toEqual({});
    expect(journaled).toEqual([]);
  });

  it("INI-5 --json never asks, and lists the files that it would change", async () => {
    const { outcome } = await init({}, { answers: [true], terminal: { json: true } });
    expect(asked).toEqual([]);
    expect(outcome).toMatchObject({
      ok: false,
      code: "CONFIRMATION_NEEDED",
      result: { files: [{ path: join(at.root, ".claude/settings.json"), change: "made" }, {}, {}] },
      next: [{ command: "conduct init claude-code --yes" }],
    });
    // A narrower request is never answered with a command for the whole account.
    const narrow = await init({ project: true, operator: true }, { answers: [] });
    expect(narrow.outcome).toMatchObject({
      next: [{ command: "conduct init claude-code --operator --project --yes" }],
    });
  });

  it("INI-6 only a person can run init: an agent's command is rejected, whatever its options", async () => {
    const inside = () => ({ agent: "Codex", sign: "CODEX_SANDBOX is set" });
    for (const args of [{ yes: true }, { undo: true, yes: true }, { runtime: "codex", trust: true }])
      expect((await init(args, { inside })).outcome).toMatchObject({ ok: false, code: "INSIDE_AGENT" });
    expect(read(".claude/settings.json")).toBeUndefined();
  });

  it("INI-7 an unknown runtime is rejected with the nearest known one", async () => {
    expect((await init({ runtime: "claud-code" })).outcome).toMatchObject({
      code: "BAD_ARGUMENT",
      fix: "conduct init claude-code",
      exitCode: 2,
    });
    expect((await init({ runtime: "codex", project: true })).outcome).toMatchObject({ code: "BAD_ARGUMENT" });
  });

  it("INI-8 broken settings are reported with their line and not changed", async () => {
    write(".claude/settings.json", '{\n  "model": "x",\n}\n');
    const { outcome } = await init({ yes: true });
    expect(outcome).toMatchObject({ ok: false, code: "SETTINGS_BROKEN" });
    expect("message" in outcome ? outcome.message : "").toContain(".claude/settings.json:3  it is not valid JSON");
    expect(await runtimes()).toEqual({});
  });

  it("INI-9 a configuration that would deny every call is reported before anything is changed", async () => {
    write(".conduct/conduct.yaml", "agents:\n  a: { modl: x }\n");
    expect((await init({ yes: true })).outcome).toMatchObject({
      ok: false,
      code: "CONFIG_INVALID",
      message: expect.stringContaining("conduct.yaml:2 unknown key 'modl'"),
    });
    expect(read(".claude/settings.json")).toBeUndefined();
  });

  it("INI-10 if several agents are configured, init requires a name", async () => {
    write(".conduct/conduct.yaml", "agents:\n  ada: {}\n  bob: {}\n");
    expect((await init({ yes: true })).outcome).toMatchObject({
      ok: false,
      code: "AGENT_NEEDED",
      fix: "conduct init claude-code --agent ada",
    });
    expect((await init({ yes: true, agent: "eve" })).outcome).toMatchObject({ ok: false, code: "AGENT_NEEDED" });
    expect((await init({ yes: true, agent: "bob" })).outcome).toMatchObject({ ok: true });
    expect(await runtimes()).toMatchObject({ "claude-code": { agent: "bob" } });
  });

  it("INI-11 a second init keeps a runtime enforced, and stores --operator", async () => {
    await init({ yes: true });
    const set = { enforcement: "enforce", operator: false, since: "2026-01-01T00:00:00.000Z" } as const;
    await writeRuntime(join(at.root, ".conduct"), "claude-code", set);
    expect((await init({ yes: true, operator: true })).outcome).toMatchObject({
      ok: true,
      result: { enforcement: "enforce" },
    });
    expect(await runtimes()).toEqual({ "claude-code": { ...set, operator: true } });
  });

  it("INI-12 --undo keeps shadow mode for sessions that still run, and forgets an enforced runtime", async () => {
    await init({ yes: true });
    await init({ undo: true, yes: true });
    expect(await runtimes()).toMatchObject({ "claude-code": { enforcement: "shadow" } });
    await init({ yes: true });
    await writeRuntime(join(at.root, ".conduct"), "claude-code", {
      enforcement: "enforce",
      operator: false,
      since: "",
    });
    await init({ undo: true, yes: true });
    expect(await runtimes()).toEqual({});
  });

  it("INI-13 if the journal cannot be written, init still succeeds and reports it", async () => {
    const { outcome, said } = await init({ yes: true }, { journal: async () => "the store is damaged" });
    expect(outcome).toMatchObject({ ok: true, result: { notJournaled: "the store is damaged" } });
    expect(said).toContain("not in the journal: the store is damaged");
  });

  it("INI-14 if the daemon cannot be reached, init changes nothing", async () => {
    const daemon = async () => Promise.reject(new Error("the port is taken"));
    expect((await init({ yes: true }, { daemon })).outcome).toMatchObject({
      ok: false,
      code: "INIT_FAILED",
      message: "the port is taken",
    });
    expect(read(".claude/settings.json")).toBeUndefined();
  });

  it("INI-16 an agent without rules, such as one of the gateway, is never called enforced", async () => {
    write(".conduct/conduct.yaml", "agents:\n  web: { identity: { name: Ada } }\n");
    const { outcome, said } = await init({ yes: true });
    expect(outcome).toMatchObject({ ok: true });
    expect(said).toContain("rules     none: web has no rules, so nothing is ever blocked; add rules: [packs/coding]");
    await writeRuntime(join(at.root, ".conduct"), "claude-code", {
      enforcement: "enforce",
      operator: false,
      since: "",
    });
    expect((await init({ yes: true, operator: true })).said).not.toContain("is enforced:");
    expect((await init({ yes: true })).said).toContain("! rules none: web has no rules");
  });

  it("INI-15 coloured output of init differs from plain output only in its colours", async () => {
    const plain = (await init({}, { answers: [false] })).said;
    asked.length = 0;
    const coloured = (await init({}, { answers: [false], terminal: { paint: paintFor(true) } })).said;
    expect(coloured).toContain("\u001b[32m    + ");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what colours are made of.
    expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(plain);
  });
});

describe("conduct init codex: trust is a step of its own", () => {
  const codex = { runtime: "codex" };
  const find = () => "/bin/codex";

  it("INI-20 --yes does not include trusting the Codex hooks (golden)", async () => {
    let trusted = 0;
    const trustCodex = async () => {
      trusted += 1;
      return { bound: true, hooks: [], faults: [] };
    };
    const { outcome, said } = await init({ ...codex, yes: true }, { find, trustCodex });
    expect(outcome).toMatchObject({ ok: true, result: { trusted: false } });
    expect(trusted).toBe(0);
    await expect(steady(said)).toMatchFileSnapshot("init-codex.golden.txt");
    expect((await init({ ...codex, trust: true }, { find, trustCodex })).said).toContain(
      "✓ Codex now trusts Conduct's hooks",
    );
    expect(trusted).toBe(1);
  });

  it.each([
    { name: "a yes to it", given: { find, answers: [true, true] }, trusted: true, said: "now trusts" },
    {
      name: "a no to it",
      given: { find, answers: [true, false] },
      trusted: false,
      said: "run conduct init codex --trust",
    },
    { name: "no Codex", given: { answers: [true] }, trusted: false, said: "codex is not on the PATH" },
    {
      name: "trusted already",
      given: { find, answers: [true], codexTrust: async () => ({ bound: true, hooks: [], faults: [] }) },
      trusted: true,
      said: "✓ Codex trusts",
    },
    {
      name: "Codex that fails",
      given: {
        find,
        answers: [true, true],
        trustCodex: async () => Promise.reject(new Error("codex app-server: ended with 1")),
      },
      trusted: false,
      said: "ended with 1",
    },
    {
      name: "Codex that does not take it",
      given: {
        find,
        answers: [true, true],
        trustCodex: async () => ({ bound: false, hooks: [], faults: ["Stop: no hook"] }),
      },
      trusted: false,
      said: "Stop: no hook",
    },
  ])("INI-21 init codex handles the trust step: $name, trusted is $trusted", async ({ given, trusted, said }) => {
    const done = await init(codex, given);
    expect(done.outcome).toMatchObject({ ok: true, result: { trusted } });
    expect(done.said).toContain(said);
  });

  it("INI-22 --undo also removes the trust entry that Codex itself wrote", async () => {
    write(".codex/config.toml", 'model = "x"\n');
    const trustCodex = async (home: string) => {
      write(".codex/config.toml", `${read(".codex/config.toml")}\n[hooks.state]\n# ${home}\n`);
      return { bound: true, hooks: [], faults: [] };
    };
    await init({ ...codex, yes: true, trust: true }, { find, trustCodex });
    expect(read(".codex/config.toml")).toContain("[hooks.state]");
    await init({ ...codex, undo: true, yes: true });
    expect(read(".codex/config.toml")).toBe('model = "x"\n');
    expect(read(".codex/hooks.json")).toBeUndefined();
  });

  it("INI-23 --undo removes every trust that Codex wrote for Conduct's hooks, also after use, and restores the mode", async () => {
    const mine = '[hooks.state."/elsewhere/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:9"\n';
    const before = `model = "x" # mine\n\n${mine}`;
    const hooks = '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] }]\n  }\n}\n';
    write(".codex/config.toml", before);
    write(".codex/hooks.json", hooks);
    chmodSync(join(at.root, ".codex/config.toml"), 0o640);
    await init({ ...codex, yes: true }, { find });
    const block = (event: string, group: number) =>
      `\n[hooks.state."${at.root}/.codex/hooks.json:${event}:${group}:0"]\ntrusted_hash = "sha256:1"\n`;
    const trusts = [block("pre_tool_use", 0), block("user_prompt_submit", 0), block("stop", 1)].join("");
    // Codex replaces the file, with a mode of its own, and adds what it learned.
    const added = '\n[projects."/home/ann/shop"]\ntrust_level = "trusted"\n';
    write(".codex/config.toml", `${read(".codex/config.toml")}${trusts}${block("stop", 0)}${added}`);
    chmodSync(join(at.root, ".codex/config.toml"), 0o600);
    await init({ ...codex, undo: true, yes: true });
    // The trust in the person's own hook stays.
    expect(read(".codex/config.toml")).toBe(`${before}${block("stop", 0)}${added}`);
    expect(read(".codex/hooks.json")).toBe(hooks);
    expect(statSync(join(at.root, ".codex/config.toml")).mode & 0o777).toBe(0o640);
  });

  it("INI-24 OpenClaw's JSON5 is edited in place: comments and quotes stay, and --undo restores it after use", async () => {
    const before = "// my gateway\n{\n  gateway: { mode: 'local' }, // local only\n  plugins: { entries: {} },\n}\n";
    write(".openclaw/openclaw.json", before);
    expect((await init({ runtime: "openclaw", yes: true })).outcome).toMatchObject({ ok: true });
    const bound = read(".openclaw/openclaw.json") ?? "";
    expect(bound).toMatch(/^\/\/ my gateway\n[\s\S]*mode: 'local' }, \/\/ local only[\s\S]*"conduct"/);
    expect((await init({ runtime: "openclaw", yes: true })).outcome).toMatchObject({ result: { changed: false } });
    write(".openclaw/openclaw.json", bound.replace("'local'", "'remote'"));
    expect((await init({ runtime: "openclaw", undo: true, yes: true })).outcome).toMatchObject({ ok: true });
    expect(read(".openclaw/openclaw.json")).toBe(before.replace("'local'", "'remote'"));
    write(".openclaw/openclaw.json", "{\n  a: 1,\n  b 2\n}\n");
    const broken = await init({ runtime: "openclaw", yes: true });
    expect(broken.outcome).toMatchObject({ ok: false, message: expect.stringContaining("openclaw.json:3  ") });
  });

  it("LVL-32 --level writes the level into the new file, changes it in an existing one, and names the levels", async () => {
    expect((await init({ level: "gentle", yes: true })).outcome).toMatchObject({ ok: true });
    expect(read(".conduct/conduct.yaml")).toContain("- { pack: packs/coding, level: gentle }");
    const again = await init({ level: "strict" }, { answers: [true] });
    expect(again.said).toContain("+       - { pack: packs/coding, level: strict }");
    expect(read(".conduct/conduct.yaml")).toContain("level: strict");
    expect((await init({ level: "soft" })).outcome).toMatchObject({
      ok: false,
      message: "there is no level 'soft'; there are gentle, standard, strict",
    });
  });

  it("LVL-33 while a runtime is enforced, only a person can change the level", async () => {
    await init({ yes: true });
    await writeRuntime(join(at.root, ".conduct"), "claude-code", {
      enforcement: "enforce",
      operator: false,
      since: "",
    });
    const alone = { look: () => ({ kind: "nobody", why: "no terminal" }) } as never;
    expect((await init({ level: "gentle", yes: true }, { person: alone })).outcome.ok).toBe(false);
    expect(read(".conduct/conduct.yaml")).toContain("\n      - packs/coding\n");
  });
});
