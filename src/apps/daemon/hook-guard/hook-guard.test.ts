import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeCodeSettings } from "../../../edge/adapters/claude-code/settings.ts";
import { writePause } from "../../../edge/host/daemon/paused.ts";
import { readRuntimes, runtimesFile, writeRuntime } from "../../../edge/host/opening/runtime-settings.ts";
import { readSetup, setupFile } from "../../../edge/host/switch/setup-record.ts";
import { projectConfigPath } from "../../../edge/host/workspace/project-config.ts";
import type { GuardReport } from "./guarded-file.ts";
import { type HookGuard, openHookGuard } from "./hook-guard.ts";
import { unwatchFiles, watchFiles } from "./known-setup.ts";

const HOOKS = claudeCodeSettings({
  url: "http://127.0.0.1:1/hooks/claude-code",
  token: "t",
  startCommand: "conduct hook",
});
const GOOD = `${JSON.stringify({ model: "mine", ...HOOKS }, null, 2)}\n`;
const BOUND = { enforcement: "enforce", operator: false, since: "" } as const;

let root: string;
let home: string;
let settings: string;
let guard: HookGuard | undefined;
let reports: GuardReport[];
let now: number;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "conduct-guard-"));
  home = join(root, ".conduct");
  settings = join(root, ".claude", "settings.json");
  mkdirSync(join(root, ".claude"));
  writeFileSync(settings, GOOD);
  [reports, now] = [[], Date.now()];
  await writeRuntime(home, "claude-code", BOUND);
  await watchFiles(join(home, "init", "claude-code"), record());
});
afterEach(() => {
  guard?.close();
  rmSync(root, { recursive: true, force: true });
});

function record() {
  return { runtime: "claude-code", at: "", by: "cli:ann", files: [{ path: settings, sha256: "" }] } as const;
}

/** Only what `look` itself sees: the poll and the system's watch come on top of it. */
async function start(): Promise<HookGuard> {
  guard?.close();
  guard = openHookGuard({ home, report: (one) => reports.push(one), pollMs: 3_600_000, now: () => now });
  await guard.look();
  return guard;
}
const isHooked = () => existsSync(settings) && readFileSync(settings, "utf8").includes("PreToolUse");
const outcomes = () => reports.map(({ code, outcome }) => `${code} ${outcome}`);

describe("the hook guard", () => {
  const link = () => {
    writeFileSync(join(root, "empty"), "{}");
    rmSync(settings);
    symlinkSync(join(root, "empty"), settings);
  };
  const unreadable = () => {
    writeFileSync(settings, "");
    chmodSync(settings, 0o000);
  };
  it.each([
    ["emptied", () => writeFileSync(settings, "{}")],
    ["moved away", () => renameSync(settings, `${settings}.old`)],
    ["replaced by a link to an empty file", link],
    ["moved away with their folder", () => renameSync(join(root, ".claude"), join(root, "old"))],
    ["made unreadable and emptied", unreadable],
  ])("GRD-10 settings that were %s are restored before the next decision", async (_what, attack) => {
    const { look } = await start();
    attack();
    await look();
    expect(isHooked()).toBe(true);
    // The system's own watch may have seen it a second time on its way.
    expect(new Set(outcomes())).toEqual(new Set(["hooks-removed restored"]));
    expect(reports[0]?.message).toContain("conduct init claude-code --undo");
  });

  it("GRD-11 changes made while the daemon was down are detected at its start", async () => {
    writeFileSync(settings, "{}");
    writeFileSync(runtimesFile(home), JSON.stringify({ "claude-code": { ...BOUND, enforcement: "shadow" } }), {
      mode: 0o600,
    });
    await start();
    expect(isHooked()).toBe(true);
    expect(await readRuntimes(home)).toEqual({ "claude-code": BOUND });
    expect(outcomes().sort()).toEqual(["hooks-removed restored", "setup-changed restored"]);
  });

  it("GRD-12 in shadow mode a removal is reported once and not restored", async () => {
    await writeRuntime(home, "claude-code", { ...BOUND, enforcement: "shadow" });
    const { look } = await start();
    writeFileSync(settings, "{}");
    await look();
    await look();
    expect(isHooked()).toBe(false);
    expect(outcomes()).toEqual(["hooks-removed reported"]);
  });

  it("GRD-13 repeated removal is reported instead of restored forever", async () => {
    const { look } = await start();
    for (let round = 0; round < 8; round++) {
      writeFileSync(settings, `{ "round": ${round} }`);
      await look();
    }
    expect(isHooked()).toBe(false);
    expect(outcomes().at(-1)).toBe("hooks-removed given-up");
    expect(outcomes().filter((one) => one.endsWith("restored"))).toHaveLength(5);
    // A minute later the next change is dealt with again.
    now += 61_000;
    writeFileSync(settings, "{}");
    await look();
    expect(isHooked()).toBe(true);
  });

  it("GRD-14 Conduct's own commands are not tampering", async () => {
    const { look } = await start();
    await writeRuntime(home, "claude-code", { ...BOUND, enforcement: "shadow" });
    await look();
    await unwatchFiles(join(home, "init", "claude-code"), record());
    writeFileSync(settings, "{}");
    await look();
    expect(reports).toEqual([]);
    expect((await readRuntimes(home))["claude-code"]?.enforcement).toBe("shadow");
    expect(isHooked()).toBe(false);
  });

  it("GRD-15 runtimes.json: a manual loosening is reverted, a tightening is accepted", async () => {
    const { look } = await start();
    const write = (entry: object | string) =>
      writeFileSync(runtimesFile(home), typeof entry === "string" ? entry : JSON.stringify(entry), { mode: 0o600 });
    for (const loose of [
      { "claude-code": { ...BOUND, enforcement: "shadow" } },
      { "claude-code": { ...BOUND, agent: "lax" } },
      {},
      "{ oops",
    ]) {
      write(loose);
      await look();
      expect(await readRuntimes(home)).toEqual({ "claude-code": BOUND });
    }
    await writeRuntime(home, "claude-code", { ...BOUND, enforcement: "shadow" });
    write({ "claude-code": BOUND });
    await look();
    expect((await readRuntimes(home))["claude-code"]?.enforcement).toBe("enforce");
    expect(outcomes().at(-1)).toBe("setup-changed reported");
  });

  it("GRD-16 the hook guard restores the signed record itself", async () => {
    const { look } = await start();
    for (const attack of [
      () => rmSync(setupFile(home)),
      () => writeFileSync(setupFile(home), '{"runtimes":{},"files":[]}', { mode: 0o600 }),
    ]) {
      attack();
      writeFileSync(settings, "{}");
      await look();
      expect(readSetup(home)).toMatchObject({ runtimes: { "claude-code": BOUND } });
      expect(isHooked()).toBe(true);
    }
    // While nothing watches it can only be noticed that it was changed.
    guard?.close();
    writeFileSync(setupFile(home), "{}", { mode: 0o600 });
    await start();
    expect(reports.at(-1)).toMatchObject({ code: "setup-changed", outcome: "reported" });
  });

  it("GRD-17 a forged pause is removed and reported", async () => {
    const { look } = await start();
    writeFileSync(join(home, "paused"), JSON.stringify({ at: now, until: now + 60_000, by: "ann", proof: "x" }), {
      mode: 0o600,
    });
    await look();
    expect(existsSync(join(home, "paused"))).toBe(false);
    expect(outcomes()).toEqual(["pause-forged restored"]);
  });

  it("GRD-22 a person's pause is reported to the sessions once, and a later one again", async () => {
    const { look } = await start();
    for (const at of [now, now + 1_000]) {
      writePause(home, { at, until: at + 60_000, by: "cli:ann", proof: "at pts/3" });
      await look();
      await look();
    }
    expect(outcomes()).toEqual(["paused reported", "paused reported"]);
    expect(reports[0]?.message).toContain("by cli:ann (at pts/3)");
  });

  it("GRD-18 a person's changes next to the hooks are part of a later restore", async () => {
    const { look } = await start();
    writeFileSync(settings, GOOD.replace("mine", "newer"));
    await look();
    rmSync(settings);
    await look();
    expect(readFileSync(settings, "utf8")).toContain("newer");
  });

  it("GRD-19 a project's settings are watched as soon as a session works there", async () => {
    const { look, enterProject } = await start();
    const project = join(root, "work", ".claude", "settings.local.json");
    mkdirSync(join(root, "work", ".claude"), { recursive: true });
    writeFileSync(project, '{ "disableAllHooks": true, "a": 1 }');
    enterProject("claude-code", join(root, "work"));
    await look();
    expect(JSON.parse(readFileSync(project, "utf8"))).toEqual({ a: 1 });
    expect(outcomes()).toEqual(["hooks-removed restored"]);
  });

  it("GRD-20 a missing launcher is restored, a changed one is reported, and another installation is accepted", async () => {
    const launcher = join(home, "bin", "conduct");
    mkdirSync(join(home, "bin"));
    const script = (place: string) =>
      `#!/bin/sh\nnode='${place}/node'\nprogram='${place}/conduct.mjs'\nexec "$node" "$program" # ${place}/conduct.mjs\n`;
    writeFileSync(launcher, script("/one"), { mode: 0o755 });
    const { look } = await start();
    writeFileSync(launcher, script("/two"));
    await look();
    expect(reports).toEqual([]);
    rmSync(launcher);
    await look();
    expect(readFileSync(launcher, "utf8")).toBe(script("/two"));
    writeFileSync(launcher, "#!/bin/sh\nexit 0\n");
    await look();
    expect(outcomes()).toEqual(["setup-changed restored", "setup-changed reported"]);
  });

  it("GRD-21 a change of conduct.yaml is recorded", async () => {
    const { look } = await start();
    writeFileSync(join(home, "conduct.yaml"), "agents: {}\n");
    await look();
    expect(outcomes()).toEqual(["config-changed reported"]);
  });

  it("GRD-23 a project's file in the home is recorded when it appears, changes and disappears", async () => {
    const { look } = await start();
    const file = projectConfigPath(home, "/work/shop");
    for (const change of [
      () => mkdirSync(dirname(file), { recursive: true }),
      () => writeFileSync(file, "agents: { a: {} }\n"),
      () => writeFileSync(file, "agents: { a: {}, b: {} }\n"),
      () => rmSync(join(home, "projects"), { recursive: true }),
    ]) {
      change();
      await look();
    }
    expect(reports.map(({ where }) => where)).toEqual([file, file, file]);
    expect(reports.at(-1)?.message).toContain("was removed");
  });
});
