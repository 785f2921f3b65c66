import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runStop } from "../../src/apps/cli/commands/daemon/daemon.ts";
import { enforce as runEnforce } from "../../src/apps/cli/commands/enforce/enforce.ts";
import { init as runInit } from "../../src/apps/cli/commands/init/init.ts";
import { initWorld } from "../../src/apps/cli/commands/init/init-world.ts";
import { testTerminal } from "../../src/apps/cli/test/test-terminal.ts";
import { type ModelServer, startModelServer } from "../../src/testing/test/model-server/index.ts";
import { CODEX } from "./codex-run.ts";

const CONDUCT = join(import.meta.dirname, "../../src/apps/cli/conduct.mjs");
const HOOKS = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n';

let root: string;
let server: ModelServer;
const home = () => join(root, "conduct");
const work = () => join(root, "work");
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-codex-first-")));
  for (const name of ["codex", "work", "bin"]) mkdirSync(join(root, name));
  for (const [name, path] of Object.entries({ HOME: root, CODEX_HOME: join(root, "codex"), CONDUCT_HOME: home() }))
    vi.stubEnv(name, path);
  // Keys go to HOME, for the programs started here and for this process alike.
  for (const name of ["CONDUCT_KEYS", "XDG_CONFIG_HOME"]) vi.stubEnv(name, "");
  vi.stubEnv("PATH", `${dirname(CODEX)}:${process.env.PATH}`);
  vi.stubEnv("SCRIPTED_KEY", "none");
  const git = (...words: string[]) => execFileSync("git", ["-C", work(), ...words], { stdio: "ignore" });
  git("init");
  git("config", "user.email", "ann@example.com");
  git("config", "user.name", "Ann");
  // Without a test command, init turns the rules off that need one.
  writeFileSync(join(work(), "package.json"), '{ "scripts": { "test": "node --test" } }');
  // A model that commits, and then is done, whenever it is asked anew.
  server = await startModelServer({
    script: ({ results, lastUserText }) =>
      results.length > 0
        ? { text: "Done." }
        : {
            calls: [
              {
                id: "call_1",
                name: "exec_command",
                input: { cmd: `git commit --allow-empty -m ${lastUserText.trim()}` },
              },
            ],
          },
  });
  writeFileSync(join(root, "codex/config.toml"), CONFIG());
  writeFileSync(join(root, "codex/hooks.json"), HOOKS);
});
afterEach(async () => {
  await runStop(home(), undefined);
  await server.close();
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

const CONFIG = () => `model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${server.openaiUrl}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

[features]
plugins = false
apps = false
`;

/** `codex exec`, as a person runs it; gives what was committed so far. Its model answers from this process. */
async function codex(message: string): Promise<string> {
  const words = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-C", work(), message];
  const child = spawn(CODEX, words, { cwd: work(), stdio: ["ignore", "ignore", "pipe"], timeout: 60_000 });
  const closed = new Promise<number | null>((resolve, reject) => child.on("close", resolve).on("error", reject));
  const [stderr, status] = await Promise.all([text(child.stderr), closed]);
  expect(status, stderr).toBe(0);
  return spawnSync("git", ["-C", work(), "log", "--format=%s"], { encoding: "utf8" }).stdout.trim();
}
function conduct(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CONDUCT, ...words], {
    cwd: work(),
    encoding: "utf8",
  });
  // Without the line breaks of a terminal of 80 columns.
  return { status, said: `${stdout}${stderr}`.replaceAll(/\s+/g, " ") };
}
const AT_TERMINAL = { look: () => ({ kind: "person", proof: "at pts/3 under sshd" }) as const };
const person = () => ({ ...initWorld(), inside: () => undefined, person: AT_TERMINAL });
const terminal = () => testTerminal({ cwd: work() });

describe("the first minute with Codex", () => {
  it("FM-2 doctor reports untrusted hooks; trusted hooks watch calls, enforced hooks deny them, and undo removes the hooks", async () => {
    const made = await runInit({ runtime: "codex", yes: true }, terminal(), person());
    expect(made, made.ok ? "" : made.message).toMatchObject({ ok: true, result: { trusted: false } });
    expect(await codex("one")).toBe("one");
    const untrusted = conduct("doctor", "codex");
    expect(untrusted.status).toBe(1);
    expect(untrusted.said).toContain("✗ trusted SessionStart: the hook is not trusted");
    expect(conduct("watch", "--once").said).not.toContain("git commit");

    expect(await runInit({ runtime: "codex", trust: true }, terminal(), person())).toMatchObject({ ok: true });
    expect(conduct("doctor", "codex")).toMatchObject({ status: 0, said: expect.stringContaining("✓ trusted") });
    expect(await codex("two")).toBe("two\none");
    expect(conduct("watch", "--once").said).toMatch(/! would be denied .*commit-needs-tests/);

    expect(await runEnforce({ runtime: "all", yes: true }, terminal(), person())).toMatchObject({
      result: { runtimes: [{ shadow: { stopped: 1 } }] },
    });
    expect(await codex("three")).toBe("two\none");
    expect(server.requests.at(-1)?.raw).toContain("Run the tests after your last change");
    expect(conduct("why").said).toContain("by rule commit-needs-tests");

    expect(await runInit({ runtime: "codex", undo: true, yes: true }, terminal(), person())).toMatchObject({
      ok: true,
    });
    expect(readFileSync(join(root, "codex/hooks.json"), "utf8")).toBe(HOOKS);
    expect(readFileSync(join(root, "codex/config.toml"), "utf8")).not.toContain("conduct init");
    expect(await codex("four")).toBe("four\ntwo\none");
  });
});
