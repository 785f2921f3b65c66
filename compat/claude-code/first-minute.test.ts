import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runStop } from "../../src/apps/cli/commands/daemon/daemon.ts";
import { enforce as runEnforce } from "../../src/apps/cli/commands/enforce/enforce.ts";
import { init as runInit } from "../../src/apps/cli/commands/init/init.ts";
import { initWorld } from "../../src/apps/cli/commands/init/init-world.ts";
import { testTerminal } from "../../src/apps/cli/test/test-terminal.ts";
import { type ScriptedMessage, startModelServer } from "../../src/testing/test/model-server/index.ts";
import { ALLOWED, CLAUDE, environment, runClaude } from "./cli.ts";
import { newPlace, type Place } from "./place.ts";

const CONDUCT = join(import.meta.dirname, "../../src/apps/cli/conduct.mjs");
/** What the person had before: a hook of their own, and a file in their own style. */
const SETTINGS =
  '{\n    "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "cat >> seen.txt" }] }] }\n}\n';

let place: Place;
beforeEach(() => {
  place = newPlace();
  for (const [name, value] of Object.entries({
    HOME: place.home,
    CLAUDE_CONFIG_DIR: place.config,
    CONDUCT_HOME: place.conduct,
    // Keys go to HOME, for the programs started here and for this process alike.
    CONDUCT_KEYS: "",
    XDG_CONFIG_HOME: "",
  }))
    vi.stubEnv(name, value);
  vi.stubEnv("PATH", `${dirname(CLAUDE)}:${process.env.PATH}`);
  writeFileSync(join(place.config, "settings.json"), SETTINGS);
  const git = (...words: string[]) => execFileSync("git", ["-C", place.workspace, ...words], { stdio: "ignore" });
  git("init");
  git("config", "user.email", "ann@example.com");
  git("config", "user.name", "Ann");
  // Without a test command, init turns the rules off that need one.
  writeFileSync(join(place.workspace, "package.json"), '{ "scripts": { "test": "node --test" } }');
});
afterEach(async () => {
  await runStop(place.conduct, undefined);
  vi.unstubAllEnvs();
  place.remove();
});

/** The command line as a person runs it; what only a person may do is run here, where no agent is around. */
function conduct(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CONDUCT, ...words], {
    cwd: place.workspace,
    encoding: "utf8",
    env: {
      ...environment(place, ""),
      CONDUCT_HOME: place.conduct,
      PATH: process.env.PATH,
      CLAUDE_CONFIG_DIR: place.config,
    },
  });
  // Without the line breaks of a terminal of 80 columns.
  return { status, said: `${stdout}${stderr}`.replaceAll(/\s+/g, " ") };
}
const AT_TERMINAL = { look: () => ({ kind: "person", proof: "at pts/3 under sshd" }) as const };
const person = () => ({ ...initWorld(), inside: () => undefined, person: AT_TERMINAL });
const terminal = () => testTerminal({ cwd: place.workspace });

/** One message of the person's; the model commits, and says what it was told. */
async function work(id: string) {
  const script: readonly ScriptedMessage[] = [
    { calls: [{ id, name: "Bash", input: { command: `git commit --allow-empty -m ${id}` } }] },
    { text: "Done." },
  ];
  const server = await startModelServer({ script });
  try {
    const end = await runClaude(place, server.url, ["-p", "commit it", "--allowedTools", ALLOWED]);
    expect(end.exitCode, end.stderr).toBe(0);
    return { requests: server.requests, commits: log() };
  } finally {
    await server.close();
  }
}
const log = () => spawnSync("git", ["-C", place.workspace, "log", "--format=%s"], { encoding: "utf8" }).stdout.trim();

describe("the first minute with Claude Code", () => {
  it("FM-1 a new user can run init, watch, why, enforce, doctor and undo with Claude Code", async () => {
    const made = await runInit({ runtime: "claude-code", yes: true }, terminal(), person());
    expect(made, made.ok ? "" : made.message).toMatchObject({
      ok: true,
      result: { enforcement: "shadow", changed: true },
    });

    // Only watched: the commit is made, the person's own hook runs, and what would have been is on record.
    const watched = await work("first");
    expect(watched.commits).toBe("first");
    expect(readFileSync(join(place.workspace, "seen.txt"), "utf8")).toContain("git commit");
    expect(watched.requests.map(({ raw }) => raw).join()).not.toContain("Run the tests");
    const shown = conduct("watch", "--once").said;
    expect(shown).toMatch(/! would be denied .*commit-needs-tests/);
    const [decision = ""] = /d_\w+/.exec(shown) ?? [];
    expect(conduct("why", decision).said).toMatch(/commit-needs-tests \(.*\) would have denied it/);

    const turned = await runEnforce({ runtime: "claude-code", yes: true }, terminal(), person());
    expect(turned).toMatchObject({
      ok: true,
      result: { changed: ["claude-code"], runtimes: [{ shadow: { stopped: 1 } }] },
    });
    expect(turned.text).toContain(decision);

    // Enforced, by the daemon that runs already: nothing is committed, and the model is told why.
    const bound = await work("second");
    expect(bound.commits).toBe("first");
    expect(bound.requests.at(-1)?.raw).toContain("Run the tests after your last change");
    expect(conduct("watch", "--once").said).toMatch(/✗ denied .*commit-needs-tests/);
    expect(conduct("why").said).toContain("by rule commit-needs-tests");

    const doctor = conduct("doctor", "claude-code");
    expect(doctor.said).toContain("✓ self-test a forbidden call through its installed hook was denied and recorded");
    expect(doctor.said).toMatch(/[✓!] version \d+\.\d+\.\d+/);
    expect(doctor.status, doctor.said).toBe(0);

    const undone = await runInit({ runtime: "claude-code", undo: true, yes: true }, terminal(), person());
    expect(undone).toMatchObject({ ok: true });
    expect(readFileSync(join(place.config, "settings.json"), "utf8")).toBe(SETTINGS);
    expect(existsSync(join(place.conduct, "init", "claude-code"))).toBe(false);
    expect((await work("third")).commits).toBe("third\nfirst");
  });
});
