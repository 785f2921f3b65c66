import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { conductProgram } from "../../../edge/host/node/package-files.ts";
import { findPython, runInPty } from "../../../edge/host/switch/test/test-pty.ts";

let root: string;
let home: string;
let settings: string;
let work: string;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-off-")));
  [home, work] = [join(root, ".conduct"), join(root, "work")];
  mkdirSync(work);
  mkdirSync(join(root, ".claude"));
  settings = join(root, ".claude", "settings.json");
  writeFileSync(settings, '{ "model": "mine" }\n');
  await person("init", "claude-code", "--yes");
});
afterEach(async () => {
  await person("daemon", "stop");
  rmSync(root, { recursive: true, force: true });
});

const env = () => ({ PATH: process.env.PATH ?? "", HOME: root, CONDUCT_HOME: home, NO_COLOR: "1" });

/** The shipped command in a terminal that stands in for a person's own. */
async function person(...words: readonly string[]): Promise<string> {
  return (await runInPty("xterm", [process.execPath, conductProgram(), ...words], env())).shown;
}
/** The same without a terminal. */
function conduct(...words: readonly string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [conductProgram(), ...words], {
    env: env(),
    encoding: "utf8",
  });
  return `${stdout}${stderr}`;
}

/** A call as Claude Code makes it with the settings of this moment; `free` when no hook would be asked. */
async function call(command: string, event = "PreToolUse", more: object = {}): Promise<string> {
  const project = join(work, ".claude", "settings.json");
  const read = (file: string) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});
  const [user, own] = [read(settings), read(project)];
  const hook = user.hooks?.[event]?.[0]?.hooks?.[0];
  if (hook === undefined || user.disableAllHooks === true || own.disableAllHooks === true) return "free";
  const body = {
    session_id: "s",
    cwd: work,
    hook_event_name: event,
    tool_name: "Bash",
    tool_use_id: `t${command}`,
    tool_input: { command },
    ...more,
  };
  const response = await fetch(hook.url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: hook.headers.Authorization },
    body: JSON.stringify(body),
  });
  return JSON.stringify(await response.json());
}

/** What the operator finds in the governance journal. */
const journal = () => conduct("journal", "export");
async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await check()) return;
    await sleep(100);
  }
  throw new Error(`it never happened:\n${journal()}\n${readFileSync(join(home, "run", "daemon.log"), "utf8")}`);
}
const hooked = () => existsSync(settings) && /PreToolUse/.test(readFileSync(settings, "utf8"));
const enforce = () => person("enforce", "claude-code", "--yes");

describe.skipIf(findPython() === undefined)("switching Conduct off from inside a runtime", () => {
  it("OFF-1 with enforcement on, removed hooks are restored immediately, and the next call runs its hook", async () => {
    await enforce();
    expect(await call("git push --force")).toContain("deny");
    const encoded = Buffer.from(`echo '{"model":"agents"}' > x && mv x ${settings}`).toString("base64");
    // Moved into place: the guard may restore a file between its truncation and the write, which is then lost.
    execFileSync("sh", ["-c", `echo ${encoded} | base64 -d | sh`], { cwd: root });
    await eventually(() => hooked() && readFileSync(settings, "utf8").includes("agents"));
    const answer = await call("git push --force");
    expect(answer).toContain("deny");
    // The person at the runtime is told with the next hook.
    expect(answer).toMatch(/systemMessage.*switched off.*restored immediately/);
    await eventually(() => journal().includes("guard.hooks-removed"));
    expect(conduct("status")).toMatch(
      /claude-code · enforced · hooks in place\n[\s\S]*noticed[\s\S]*hooks\s+for\s+claude-code\s+were\s+switched\s+off/,
    );
  });

  it("OFF-3 a project's disableAllHooks is removed", async () => {
    await enforce();
    await call("ls");
    const write = `const f=require("fs");f.mkdirSync(".cla"+"ude",{recursive:true});f.writeFileSync(".cla"+"ude/sett"+"ings.json",'{"disableAll'+'Hooks":true,"a":1}')`;
    execFileSync(process.execPath, ["-e", write], { cwd: work });
    const file = join(work, ".claude", "settings.json");
    await eventually(() => !readFileSync(file, "utf8").includes("disableAllHooks"));
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ a: 1 });
    expect(await call("git push --force")).toContain("deny");
  });

  it("OFF-11 a project's link that leads out of it is reported and not followed", async () => {
    await enforce();
    await call("ls");
    const outside = join(root, "outside.json");
    writeFileSync(outside, '{"disableAllHooks":true}');
    mkdirSync(join(work, ".claude"), { recursive: true });
    rmSync(join(work, ".claude", "settings.json"), { force: true });
    symlinkSync(outside, join(work, ".claude", "settings.json"));
    await eventually(() => journal().includes("a link leads it out of the project"));
    expect(readFileSync(outside, "utf8")).toBe('{"disableAllHooks":true}');
    rmSync(join(work, ".claude", "settings.json"));
  });

  it("OFF-5 changes made without a daemon are detected when the next one starts", async () => {
    await enforce();
    await call("ls");
    const { pid } = JSON.parse(conduct("daemon", "status", "--json")).result;
    process.kill(pid, "SIGKILL");
    writeFileSync(settings, "{}\n");
    const runtimes = join(home, "runtimes.json");
    writeFileSync(runtimes, readFileSync(runtimes, "utf8").replace('"enforce"', '"shadow"'));
    conduct("daemon", "start");
    await eventually(hooked);
    await eventually(() => readFileSync(runtimes, "utf8").includes('"enforce"'));
    expect(await call("git push --force")).toContain("deny");
    await eventually(() => journal().includes("guard.setup-changed"));
  });

  it("OFF-9 conduct init --undo removes the hooks, and they are neither restored nor reported", async () => {
    await enforce();
    await call("ls");
    expect(conduct("init", "claude-code", "--undo", "--yes")).toContain("cannot verify that a person runs this");
    await person("init", "claude-code", "--undo", "--yes");
    await sleep(3_000);
    expect(JSON.parse(readFileSync(settings, "utf8"))).toEqual({ model: "mine" });
    expect(journal()).not.toMatch(/guard.(hooks|setup)/);
  });

  it("OFF-10 a session with calls that ran without a hook is reported", async () => {
    const transcript = join(root, "transcript.jsonl");
    const ran = (id: string) => {
      const content = [{ type: "tool_result", tool_use_id: id, content: "ok" }];
      return `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
    };
    writeFileSync(transcript, ran("before"));
    await call("ls", "PreToolUse", { transcript_path: transcript, tool_use_id: "asked" });
    writeFileSync(transcript, ran("before") + ran("asked"));
    await sleep(2_500);
    expect(journal()).not.toContain("guard.hooks-silent");
    writeFileSync(transcript, ran("before") + ran("asked") + ran("unasked"));
    await eventually(() => journal().includes("guard.hooks-silent"));
    expect(conduct("status")).toContain("without asking Conduct");
  });
});
