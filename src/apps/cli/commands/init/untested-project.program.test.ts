import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { type Given, useInitWorld } from "../../test/init-test-world.ts";
import { init as runInit } from "./init.ts";

const { at, asked, world, read, write, run } = useInitWorld();
const home = () => join(at.root, ".conduct");
const work = () => join(at.root, "work");
const find = (program: string) => (program === "codex" ? "/bin/codex" : undefined);
const init = (args: object, given: Given = {}) =>
  run((terminal) => runInit(args, terminal, world({ find, ...given })), given.terminal);
const TESTS = '{ "scripts": { "test": "node --test" } }';
const alone = { look: () => ({ kind: "nobody", why: "no terminal" }) } as never;

const enforce = () =>
  writeRuntime(home(), "codex", { agent: "coding", enforcement: "enforce", operator: false, since: "" });

/** Runs the shipped program as a person or a runtime starts it. */
async function conduct(words: readonly string[], input = ""): Promise<string> {
  const env = { PATH: process.env.PATH ?? "", HOME: at.root, CONDUCT_HOME: home() };
  const child = spawn(process.execPath, [conductProgram(), ...words], { cwd: work(), env });
  child.stdin.end(input);
  const [stdout] = await Promise.all([text(child.stdout), once(child, "close")]);
  return stdout;
}

/** The answer of the hook to one shell command in a new session. No daemon can start here. */
async function shell(command: string): Promise<string> {
  mkdirSync(home(), { recursive: true, mode: 0o700 });
  writeFileSync(join(home(), "run"), "");
  const call = { hook_event_name: "PreToolUse", session_id: randomUUID(), cwd: work(), tool_use_id: "c1" };
  const said = await conduct(
    ["hook", "codex"],
    JSON.stringify({ ...call, tool_name: "Bash", tool_input: { command } }),
  );
  return String(JSON.parse(said).hookSpecificOutput?.permissionDecisionReason ?? "allowed");
}

describe("projects without tests", { timeout: 240_000 }, () => {
  it("UTP-1 init says in one sentence that there are no tests, and afterwards an agent can commit there", async () => {
    mkdirSync(join(work(), ".git"));
    const { said } = await init({ yes: true });
    expect(said).toContain("no test command was found in ~/work, so commits and pushes there need no test run");
    expect(said).toContain("off: [ commit-needs-tests, push-needs-tests ]");
    await enforce();
    expect(await shell("git commit -m done")).toBe("allowed");
    expect(await shell("git push --force")).toContain("Denied by no-force-push");
  });

  it("UTP-2 without init the denial names the command that turns the rule off, and that command does", async () => {
    mkdirSync(join(work(), ".git"));
    await enforce();
    const denied = await shell("git commit -m done");
    expect(denied).toContain("If this project has no tests, a person can turn this rule off: run `conduct init`");
    expect((await init({}, { answers: [true] })).outcome.ok).toBe(true);
    expect(asked).toHaveLength(1);
    expect(await shell("git commit -m done")).toBe("allowed");
  });

  it("UTP-3 when a test command appears, status and doctor tell how to turn the rules on", async () => {
    mkdirSync(join(work(), ".git"));
    await init({ runtime: "codex", yes: true });
    expect(await conduct(["status"])).not.toContain("has tests now");
    write("work/package.json", TESTS);
    for (const command of ["status", "doctor"]) {
      const said = (await conduct([command])).replaceAll(/\s+/g, " ");
      expect(said, command).toContain("this project has tests now (npm test, from package.json, script test), but");
      expect(said, command).toContain("delete them from `off` in");
    }
  });

  it.each<[string, string, object]>([
    ["a project with tests", "work", { "work/.git/HEAD": "", "work/package.json": TESTS }],
    ["a folder below a project with tests", "work/src", { "work/.git/HEAD": "", "work/package.json": TESTS }],
    ["a folder that is no repository", "work", { "work/package.json": "{}" }],
  ])("UTP-4 the rules stay on in %s", async (_what, folder, files) => {
    mkdirSync(join(at.root, folder), { recursive: true });
    for (const [path, content] of Object.entries(files)) write(path, content);
    const { said } = await init({ yes: true }, { terminal: { cwd: join(at.root, folder) } });
    expect(said).not.toContain("off: [");
  });

  it("UTP-5 an agent that escapes the check for agents cannot turn enforced rules off with init", async () => {
    mkdirSync(join(work(), ".git"));
    await enforce();
    for (const args of [{ yes: true }, { runtime: "codex", yes: true }]) {
      expect((await init(args, { person: alone })).outcome).toMatchObject({ ok: false, code: "NO_PERSON" });
    }
    expect(await shell("git commit -m done")).toContain("Denied by commit-needs-tests");
  });

  it("UTP-6 the rules of a project that has a file already are not changed: init shows the line to add", async () => {
    mkdirSync(join(work(), ".git"));
    write("work/package.json", TESTS);
    await init({ yes: true });
    write("work/package.json", "{}");
    const { said, outcome } = await init({ yes: true });
    expect(outcome).toMatchObject({ ok: true, result: { changed: false } });
    expect(said).toContain("add off: [commit-needs-tests, push-needs-tests] to packs/coding in ~/.conduct/projects/");
  });

  it("UTP-7 after a no, nothing exists that was not there before", async () => {
    const { outcome } = await init({}, { answers: [false] });
    expect(outcome).toMatchObject({ ok: false, code: "NOT_CONFIRMED", message: "nothing was changed" });
    expect(existsSync(home())).toBe(false);
    expect(read(".codex/hooks.json")).toBeUndefined();
  });
});
