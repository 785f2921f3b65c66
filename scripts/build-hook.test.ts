import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildHook } from "./build-hook.ts";

const PACKAGE = join(import.meta.dirname, "..");
const CALL = { hook_event_name: "PreToolUse" };

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "conduct-build-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));

/** Runs Node in a home of its own, where no daemon listens unless told. */
function node(args: readonly string[], input: object = CALL, more: NodeJS.ProcessEnv = {}) {
  const { CONDUCT_SOCKET: _, ...env } = process.env;
  const socket = { CONDUCT_SOCKET: join(dir, "none.sock") };
  return spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
    input: JSON.stringify(input),
    env: { ...env, CONDUCT_HOME: join(dir, "home"), ...socket, ...more },
    encoding: "utf8",
  });
}

it("BLD-1 the hook's bundle loads only Node and itself, and behaves like the source", async () => {
  const dist = join(dir, "dist");
  const files = await buildHook(dist);
  expect(files.at(-1)).toBe("hook.json");
  for (const name of files.filter((file) => file.endsWith(".mjs"))) {
    const text = readFileSync(join(dist, name), "utf8");
    const imports = [...text.matchAll(/(?:from|import)\s*\(?["'`]([^"'`]+)["'`]/g)].map(([, from]) => from);
    for (const from of imports) expect(from).toMatch(/^(node:|\.\/)/);
  }
  const { entry, made } = JSON.parse(readFileSync(join(dist, "hook.json"), "utf8"));
  const source = "src/apps/cli/commands/hook/run-hook.ts";
  expect(made[source]).toBe(readFileSync(join(PACKAGE, source), "utf8"));
  const run = `import { runHook } from ${JSON.stringify(join(dist, entry))}; process.exitCode = await runHook("codex");`;
  const { status, stderr } = node(["--input-type=module", "-e", run]);
  expect(stderr).toContain("there is no Conduct daemon");
  expect(status).toBe(2);
});

describe("a checkout", () => {
  let checkout: string;
  const at = (...path: readonly string[]) => join(checkout, ...path);
  const hook = (input?: object) => node([at("src/apps/cli/conduct.mjs"), "hook", "codex"], input);
  const build = () => expect(node([at("scripts/build-hook.ts")])).toMatchObject({ status: 0 });
  const bundle = () => at(".cache/hook", JSON.parse(readFileSync(at(".cache/hook/hook.json"), "utf8")).entry);
  const SENTENCE = "there is no Conduct daemon";
  const SOURCE = "src/edge/host/daemon/hook-socket-client.ts";
  const COMMAND = "src/apps/cli/commands/hook/run-hook.ts";
  /** As somebody has left it who gives files back the times they had: an archive, a sync, a clock that was wrong. */
  async function rewrite(path: string, change: (text: string) => string): Promise<void> {
    const { atime, mtime } = statSync(path);
    await writeFile(path, change(readFileSync(path, "utf8")));
    await utimes(path, atime, mtime);
  }

  beforeAll(() => {
    checkout = mkdtempSync(join(tmpdir(), "conduct-checkout-"));
    for (const part of ["src", "scripts", "packs", "package.json"]) {
      const filter = (path: string) => !path.endsWith(".test.ts");
      cpSync(join(PACKAGE, part), at(part), { recursive: true, filter });
    }
    symlinkSync(join(PACKAGE, "node_modules"), at("node_modules"));
  });
  beforeEach(() => {
    rmSync(at(".cache"), { recursive: true, force: true });
    for (const changed of [SOURCE, COMMAND]) cpSync(join(PACKAGE, changed), at(changed));
  });
  afterAll(() => rmSync(checkout, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));

  it("BLD-2 hooks run from the bundle only while it matches the current source, never from an outdated one", async () => {
    expect(hook().stderr).toContain(SENTENCE);
    build();
    appendFileSync(bundle(), "process.stderr.write('(bundle)');");
    expect(hook().stderr).toMatch(/^\(bundle\).*there is no Conduct daemon/);
    await rewrite(at(SOURCE), (text) => text.replace(SENTENCE, "nobody is there"));
    const changed = hook();
    expect(changed.stderr).toContain("nobody is there");
    expect(changed.stderr).not.toContain("(bundle)");
    build();
    expect(hook().stderr).toContain("nobody is there");
    // A file that is gone is no longer what it was.
    rmSync(at(SOURCE));
    expect(hook()).toMatchObject({ status: 2, stderr: expect.stringContaining("cannot be loaded") });
  });

  it("BLD-3 a bundle that cannot be loaded is skipped; a source that cannot be loaded blocks calls but no stop", async () => {
    build();
    await writeFile(bundle(), "this is no program");
    expect(hook()).toMatchObject({ status: 2, stderr: expect.stringContaining(SENTENCE) });
    await rewrite(at(COMMAND), (text) => `${text}\nthis is no program`);
    expect(hook()).toMatchObject({ status: 2, stderr: expect.stringContaining("Conduct cannot be loaded") });
    expect(hook({ hook_event_name: "Stop" })).toMatchObject({ status: 1 });
    expect(hook({})).toMatchObject({ status: 2 });
  });

  it("BLD-4 the daemon that the first hook or conduct init starts builds the bundle, and rebuilds it after a source change", async () => {
    const conduct = (...words: readonly string[]) =>
      node([at("src/apps/cli/conduct.mjs"), "daemon", ...words], CALL, { CONDUCT_SOCKET: "" });
    const made = async (sentence: string) => {
      for (let tries = 0; tries < 600; tries++) {
        if (
          existsSync(at(".cache/hook/hook.json")) &&
          readFileSync(at(".cache/hook/hook.json"), "utf8").includes(sentence)
        )
          return;
        await sleep(50);
      }
      throw new Error("the bundle was not made");
    };
    for (const sentence of [SENTENCE, "nobody is there"]) {
      await rewrite(at(SOURCE), (text) => text.replace(SENTENCE, sentence));
      expect(conduct("start")).toMatchObject({ status: 0 });
      try {
        await made(sentence);
      } finally {
        conduct("stop");
      }
      appendFileSync(bundle(), "process.stderr.write('(bundle)');");
      expect(hook().stderr).toMatch(new RegExp(`^\\(bundle\\).*${sentence}`));
    }
  });
});
