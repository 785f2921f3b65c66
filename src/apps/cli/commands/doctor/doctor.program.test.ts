import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CodexTrust } from "../../../../edge/adapters/codex/trust.ts";
import { writePause } from "../../../../edge/host/daemon/paused.ts";
import { writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { openSqlStore } from "../../../../edge/stores/sql/open-sql-store.ts";
import { type Daemon, startDaemon } from "../../../daemon/daemon.ts";
import { findProgram, programVersion } from "../../../install/find-program.ts";
import { writeLauncher } from "../../../install/launcher/launcher-files.ts";
import { RUNTIME_NAMES } from "../../../install/runtimes.ts";
import { useInitWorld } from "../../test/init-test-world.ts";
import { enforce as runEnforce } from "../enforce/enforce.ts";
import { init as runInit } from "../init/init.ts";
import { daemonAt } from "../init/init-world.ts";
import type { DoctorWorld } from "./check.ts";
import { runDoctor } from "./run-doctor.ts";

const { at, world, read, write, program, run } = useInitWorld();
const home = () => join(at.root, ".conduct");
const trust = (bound: boolean): CodexTrust => ({
  bound,
  hooks: [],
  faults: bound ? [] : ["Stop: the hook is not trusted"],
});

let daemon: Daemon | undefined;
beforeEach(async () => {
  daemon = await startDaemon({ home: home() });
});
afterEach(async () => {
  await daemon?.end("the test is over");
});

const env = (): NodeJS.ProcessEnv => ({
  HOME: at.root,
  PATH: `${join(at.root, "bin")}:/usr/bin:/bin`,
  CONDUCT_STORE: "",
});
const init = (runtime: string) =>
  run((terminal) => runInit({ runtime, yes: true }, terminal, world({ env: env(), daemon: () => daemonAt(home()) })));
const enforced = (runtime: string) =>
  run((terminal) =>
    runEnforce({ runtime, yes: true }, terminal, world({ env: env(), daemon: () => daemonAt(home()) })),
  );

async function doctor(runtime?: string, change: Partial<DoctorWorld> = {}) {
  const { outcome, said } = await run(
    (terminal) =>
      runDoctor({ runtime: runtime ?? "all" }, terminal, {
        ...world(),
        env: env(),
        daemon: () => daemonAt(home()),
        find: (name) => findProgram(name, env()),
        version: (path) => programVersion(path, env()),
        cwd: join(at.root, "work"),
        codexTrust: async () => trust(true),
        ...change,
      }),
    { columns: 100 },
  );
  return { outcome, said };
}

describe("conduct doctor", () => {
  it("DOC-1 doctor checks Conduct and each installed runtime, one line per check (golden)", async () => {
    program("claude", "2.0.1 (Claude Code)");
    await init("claude-code");
    await enforced("claude-code");
    const { outcome, said } = await doctor();
    expect(outcome).toMatchObject({ ok: true, result: { runtimes: [{ runtime: "claude-code" }] } });
    const port = String(daemon?.hello().port);
    const steady = said
      .replace(process.versions.node, "24.0.0")
      .replace(/(✓ key {8}).*?content is lost/s, "$1~/.config/conduct/keys/ID.key; back it up …")
      .replace(`process ${process.pid}, port ${port}`, "process 41, port 4871")
      .replace(/[✓!] sandbox .*/, "✓ sandbox    bubblewrap 0.8.0, for commands of agents in the gateway")
      // What was proven last is not this test's concern.
      .replace(/2\.0\.1(,| is|;).*(\n +do: npm run compat.*)?/, "2.0.1 …");
    await expect(steady).toMatchFileSnapshot("doctor.golden.txt");
  });

  it.each(RUNTIME_NAMES)(
    "DOC-2 %s: the self-test's forbidden call is denied through the runtime's own path, also in shadow, and leaves no event",
    async (runtime) => {
      await init(runtime);
      const watched = await doctor(runtime);
      expect(watched.said).toMatch(/✓ self-test {2}a forbidden call through .*\s+mode\s+blocks\s+nothing/s);
      expect(watched.outcome.ok, watched.said).toBe(true);
      await enforced(runtime);
      const { outcome, said } = await doctor(runtime);
      expect(said).toMatch(/✓ self-test {2}a forbidden call through/);
      expect(outcome.ok, said).toBe(true);
      const store = await openSqlStore({ kind: "sqlite", file: join(home(), "conduct.db") });
      expect(await store.events.count({ denied: true })).toBe(0);
      await store.close();
      expect(read(".conduct/conduct.yaml")).toContain("packs/coding");
    },
  );

  it("DOC-10 acp: the command that an editor starts denies the self-test's forbidden call, for the named agent", async () => {
    expect((await doctor("acp")).said).toMatch(/! launcher {3}not set up/);
    await init("acp");
    const { outcome, said } = await doctor("acp");
    expect(outcome.ok, said).toBe(true);
    expect(said).toMatch(/✓ launcher {3}.*starts\s+this Conduct/);
    expect(said).toMatch(/✓ agent {6}as coding, enforced, with the built-in coding rules/);
    expect(said).toMatch(/✓ self-test {2}a forbidden call through the ACP proxy was denied and recorded/);
    expect(said).toMatch(/○ limits .*configure\s+it\s+to\s+ask/s);
    const store = await openSqlStore({ kind: "sqlite", file: join(home(), "conduct.db") });
    expect(await store.events.count({ denied: true })).toBe(0);
    await store.close();
    await writeRuntime(home(), "acp", { enforcement: "shadow", operator: false, since: "" });
    expect((await doctor("acp")).said.replaceAll(/\n +/g, " ")).toContain("shadow mode");
    write(".conduct/conduct.yaml", "agents: 3\n");
    const broken = await doctor("acp");
    expect(broken.outcome.ok).toBe(false);
    expect(broken.said).toMatch(/✗ config .*conduct\.yaml:1.*✗ self-test /s);
  });

  it("DOC-11 mcp: the command that a client starts denies the self-test's forbidden call", async () => {
    await init("mcp");
    const { outcome, said } = await doctor("mcp");
    expect(outcome.ok, said).toBe(true);
    expect(said).toMatch(/✓ self-test {2}a forbidden call through the MCP proxy was denied and recorded/);
    expect(said).toMatch(/○ limits .*without\s+the\s+proxy/s);
    const store = await openSqlStore({ kind: "sqlite", file: join(home(), "conduct.db") });
    expect([await store.events.count({}), (await store.events.sessions({ limit: 9 })).total]).toEqual([0, 0]);
    await store.close();
    await writeRuntime(home(), "mcp", { enforcement: "shadow", operator: false, since: "" });
    expect((await doctor("mcp")).said.replaceAll(/\n +/g, " ")).toContain("shadow mode");
    write(".conduct/conduct.yaml", "agents: 3\n");
    const broken = await doctor("mcp");
    expect(broken.outcome.ok).toBe(false);
    expect(broken.said).toMatch(/✗ config .*conduct\.yaml.*✗ self-test /s);
  });

  it("DOC-3 if nothing is installed, doctor says how to begin", async () => {
    const { outcome, said } = await doctor();
    expect(outcome).toMatchObject({ ok: true, next: [{ command: "conduct init claude-code" }] });
    expect(said).toContain("No runtime is set up yet.");
    expect((await doctor("emacs")).outcome).toMatchObject({
      ok: false,
      code: "BAD_ARGUMENT",
      message:
        "there is no runtime 'emacs': known: claude-code, codex, gemini, copilot, cursor, opencode, pi, openclaw, acp, mcp",
      fix: "conduct doctor claude-code",
    });
  });

  it.each([
    [
      "claude-code",
      "its hooks are gone",
      () => write(".claude/settings.json", "{}\n"),
      /✗ settings.*SessionStart: Conduct's hook is missing/,
    ],
    [
      "claude-code",
      "hooks are switched off",
      () => write("work/.claude/settings.json", '{"disableAllHooks": true}'),
      /✗ hooks.*disableAllHooks/,
    ],
    [
      "pi",
      "its plugin is gone",
      () => rmSync(join(at.root, ".pi"), { recursive: true }),
      /✗ settings.*the file is missing/,
    ],
    [
      "pi",
      "the configuration is broken",
      () => write(".conduct/conduct.yaml", "agents: 3\n"),
      /✗ config.*conduct\.yaml:1/,
    ],
    ["pi", "others can write the home", () => chmodSync(home(), 0o722), /✗ home.*is writable by other accounts/],
    ["pi", "the journal was changed", () => breakJournal(), /✗ journal.*entry 1 \(altered\).*conduct journal repair/s],
  ])("DOC-4 %s: doctor exits with a non-zero code if %s", async (runtime, _what, breakIt, said) => {
    await init(runtime);
    await keepEntry();
    await breakIt();
    const found = await doctor(runtime);
    expect(found.outcome).toMatchObject({ ok: false, code: "DOCTOR_FOUND" });
    expect(found.said.replaceAll(/\n +/g, " ")).toMatch(said);
  });

  it("DOC-5 an untrusted Codex hook is a failure, and so is a hook that does not point to this launcher", async () => {
    await init("codex");
    const { outcome, said } = await doctor("codex", {
      codexTrust: async () => trust(false),
      find: () => "/bin/codex",
      version: () => undefined,
    });
    expect(outcome).toMatchObject({ ok: false, fix: "conduct init codex --trust" });
    expect(said).toContain("✗ trusted    Stop: the hook is not trusted");
    write(".codex/hooks.json", read(".codex/hooks.json")?.replaceAll("bin/conduct", "elsewhere") ?? "");
    expect((await doctor("codex")).said).toMatch(/✗ settings.*hooks\.json: SessionStart/);
  });

  it("DOC-12 settings work with any Node version, because they name the launcher and no Node path", async () => {
    for (const runtime of ["codex", "claude-code"]) await init(runtime);
    const node = join(at.root, "another-node");
    symlinkSync(process.execPath, node);
    // What another Node would have written is the same to the byte.
    const { execPath } = process;
    process.execPath = node;
    try {
      for (const runtime of ["codex", "claude-code"]) {
        const { outcome, said } = await doctor(runtime);
        expect(said).not.toMatch(/✗/);
        expect(outcome.ok, said).toBe(true);
      }
    } finally {
      process.execPath = execPath;
    }
  });

  it("DOC-13 a launcher with a broken target is repaired, and a missing launcher is a failure", async () => {
    await init("codex");
    await writeLauncher(home(), { node: process.execPath, program: "/gone/conduct.mjs" });
    const found = await doctor("codex");
    expect(found.said.replaceAll(/\n +/g, " ")).toMatch(
      /! launcher {3}.*\/gone\/conduct\.mjs is missing.*now\s+starts this one/,
    );
    expect(found.outcome.ok, found.said).toBe(true);
    expect((await doctor("codex")).said).toMatch(/✓ launcher/);
    rmSync(join(home(), "bin"), { recursive: true });
    expect((await doctor("codex")).outcome).toMatchObject({ ok: false, fix: "conduct init codex" });
  });

  it("DOC-6 settings that cannot reach the daemon are a failure, with the reason", async () => {
    await init("claude-code");
    const { token } = await daemonAt(home());
    write(".claude/settings.json", read(".claude/settings.json")?.replaceAll(token, "0".repeat(64)) ?? "");
    expect((await doctor("claude-code")).said).toContain("✗ settings");
    const proxied = await doctor("claude-code", { env: { ...env(), HTTP_PROXY: "http://proxy:1" } });
    expect(proxied.said).toContain("✗ proxy");
  });

  it("DOC-7 doctor reports a pause, and the self-test takes it into account", async () => {
    await init("pi");
    await enforced("pi");
    const now = Date.now();
    writePause(home(), { at: now, until: now + 60_000, by: "cli:ann", proof: "test" });
    const { outcome, said } = await doctor("pi", { now: () => now });
    expect(said).toContain("! paused     nothing is enforced until");
    expect(said).toContain("shadow mode");
    expect(outcome.ok).toBe(true);
  });

  it("DOC-8 doctor reports an ignored workspace file", async () => {
    await init("pi");
    write("work/conduct.yaml", "agents:\n  coding: { rules: [] }\n");
    expect((await doctor("pi")).said).toContain("the current content of conduct.yaml is not trusted");
  });

  it("DOC-9 --json returns one object that also lists everything not enforced and not supported", async () => {
    await init("pi");
    const { outcome } = await doctor("pi");
    expect(outcome.result).toMatchObject({
      conduct: expect.arrayContaining([{ kind: "holds", what: "journal", text: expect.any(String) }]),
      runtimes: [
        {
          runtime: "pi",
          open: expect.stringContaining("not supported there: subagents, mcp"),
          checks: expect.any(Array),
        },
      ],
      isolation: expect.stringContaining("does not isolate"),
    });
  });
});

/** The journal of governance is empty where a test has given its own: one entry, to have something to look at. */
async function keepEntry(): Promise<void> {
  const store = await openSqlStore({ kind: "sqlite", file: join(home(), "conduct.db") });
  await store.governance.append(0, [{ at: 1, by: "ann", kind: "test.made", body: 1 }]);
  await store.close();
}

function breakJournal(): void {
  const db = new DatabaseSync(join(home(), "conduct.db"));
  db.exec("update conduct_governance set body = '2'");
  db.close();
}
