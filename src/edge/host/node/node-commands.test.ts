import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Commands } from "../../../base/ports/commands.ts";
import { nodeCommands } from "./node-commands.ts";

let cwd: string;
let commands: Commands;
const timeoutMs = 30_000;

beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "conduct-cmd-")));
  commands = nodeCommands(cwd);
});

afterAll(() => rm(cwd, { recursive: true, force: true }));

/** Waits until the process is gone (or a zombie that nobody reaps); a process that lives on runs into the test's timeout. */
async function gone(pidFile: string): Promise<void> {
  const pid = (await readFile(join(cwd, pidFile), "utf8")).trim();
  await vi.waitFor(async () => {
    const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone) Z");
    expect(status).toMatch(/\) [ZX]/);
  }, 10_000);
}

describe("nodeCommands", () => {
  it.each([
    { command: "echo hi", exitCode: 0, output: "hi\n" },
    { command: "exit 3", exitCode: 3, output: "" },
    { command: "echo out; echo err >&2; echo out2", exitCode: 0, output: "out\nerr\nout2\n" },
    { command: "printf '%s' \"$0|$#\"; cat", exitCode: 0, output: "sh|0" },
    { command: "kill -9 $$", exitCode: undefined, output: "" },
    { command: "printf 'a\\377b'", exitCode: 0, output: "a\ufffdb" },
    { command: "printf %s 'it'\\''s `quoted` $HOME' \"*\"", exitCode: 0, output: "it's `quoted` $HOME*" },
  ])("CM-1 $command exits with $exitCode", async ({ command, exitCode, output }) => {
    expect(await commands.run(command, { timeoutMs })).toEqual({ exitCode, output, timedOut: false });
  });

  it("CM-2 a command runs in its folder, with only the environment it was given", async () => {
    expect((await commands.run("pwd", { timeoutMs })).output).toBe(`${cwd}\n`);
    const { PATH } = process.env;
    const bare = nodeCommands(cwd, { env: { ...(PATH !== undefined && { PATH }), ONLY: "this" } });
    expect((await bare.run('echo "$ONLY|$HOME"', { timeoutMs })).output).toBe("this|\n");
  });

  it("CM-3 a timeout kills the whole process group and preserves the output so far", async () => {
    const command = "echo early; sleep 1000 & echo $! > a.pid; (trap '' TERM; sleep 1000) & echo $! > b.pid; wait";
    const result = await commands.run(command, { timeoutMs: 1_500 });
    expect(result).toEqual({ exitCode: undefined, output: "early\n", timedOut: true });
    await gone("a.pid");
    await gone("b.pid");
  });

  it("CM-4 an abort kills the whole process group, and an aborted signal starts no command", async () => {
    const controller = new AbortController();
    const running = commands.run("sleep 1000 & echo $! > c.pid; wait", { timeoutMs, signal: controller.signal });
    await vi.waitFor(async () => expect(await readFile(join(cwd, "c.pid"), "utf8")).toMatch(/\d\n/), 10_000);
    controller.abort();
    expect(await running).toEqual({ exitCode: undefined, output: "", timedOut: false });
    await gone("c.pid");
    const started = await commands.run("echo x > d.pid", { timeoutMs, signal: controller.signal });
    expect(started).toEqual({ exitCode: undefined, output: "", timedOut: false });
    await expect(readFile(join(cwd, "d.pid"))).rejects.toThrow(/ENOENT/);
  });

  it("CM-5 a background process that keeps the output open does not delay the result", async () => {
    const result = await commands.run("setsid sleep 1000 & echo $! > e.pid; echo done; exit 4", { timeoutMs });
    process.kill(Number(await readFile(join(cwd, "e.pid"), "utf8")), "SIGKILL");
    expect(result).toEqual({ exitCode: 4, output: "done\n", timedOut: false });
  });

  it("CM-6 the last 64 KB of long output are returned, starting with a whole character", async () => {
    const { output, exitCode } = await commands.run("yes é | head -n 500000; echo end", { timeoutMs });
    expect(exitCode).toBe(0);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(64 * 1024);
    expect(Buffer.byteLength(output)).toBeGreaterThan(64 * 1024 - 4);
    expect(output.endsWith("é\né\nend\n")).toBe(true);
    expect(output).not.toContain("\ufffd");
  });

  it("CM-7 the result contains all output of the command", async () => {
    const runs = Array.from({ length: 8 }, () => commands.run("head -c 60000 /dev/zero | tr '\\0' x", { timeoutMs }));
    expect((await Promise.all(runs)).map(({ output }) => output.length)).toEqual(Array(8).fill(60_000));
  });

  it.each([
    { what: "a folder that is not there", run: () => nodeCommands("/no/such/folder").run("true", { timeoutMs }) },
    { what: "a command with a NUL byte", run: () => commands.run("echo \0", { timeoutMs }) },
  ])("CM-8 running a command rejects on $what", async ({ run }) => {
    await expect(run()).rejects.toThrow();
  });

  it("CM-9 a timeout beyond a timer's range does not become 1 ms", async () => {
    const result = await commands.run("sleep 0.1; echo slept", { timeoutMs: Number.POSITIVE_INFINITY });
    expect(result).toEqual({ exitCode: 0, output: "slept\n", timedOut: false });
  });
});
