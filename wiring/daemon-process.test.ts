import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished } from "vitest";
import { ClaudeCode } from "./claude-code.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const CONFIG = `
agents:
  clerk:
    rules:
      - { id: no-drill, on: shell, when: 'args.command.contains("drill") && "drilling" in session.custom', say: No drills now. }
`;

type Daemon = { readonly version: string; readonly pid: number; readonly port?: number; readonly httpFault?: string };

/** A machine with Claude Code set up, and its daemon. */
async function newMachine(...how: readonly string[]) {
  const machine = new Machine();
  onTestFinished(() => machine.close());
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  machine.write({ ".conduct/conduct.yaml": CONFIG });
  const { code, out, err } = await machine.conduct(["init", "claude-code", "--yes", ...how]);
  expect(code, out + err).toBe(0);
  const start = async () => JSON.parse((await machine.conduct(["daemon", "start", "--json"])).out).result as Daemon;
  const log = () => machine.read(".conduct/run/daemon.log");
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    const { pid } = await start();
    process.kill(pid, signal);
    await gone(pid);
  };
  const [stop, kill] = [() => end("SIGTERM"), () => end("SIGKILL")];
  return { machine, start, stop, kill, log };
}

const gone = (pid: number) => expect.poll(() => existsSync(`/proc/${pid}/exe`)).toBe(false);

/** Changes the store behind the daemon's back. */
function change(machine: Machine, statement: string): void {
  const file = new DatabaseSync(join(machine.home, "conduct.db"));
  file.exec(statement);
  file.close();
}

describe("the daemon's process", () => {
  wired([], "WIR-832 it says where it is, cleans up when it is stopped, and keeps its port", async () => {
    const { machine, start, stop } = await newMachine();
    const { port, version, pid } = await start();
    expect(version).toBe((await machine.conduct(["--version"])).out.trim());
    expect(JSON.parse(machine.read(".conduct/daemon.json"))).toMatchObject({ port, node: process.execPath });
    const health = await fetch(`http://127.0.0.1:${port}/health`);
    expect([health.status, await health.json()]).toEqual([200, { ok: true, version }]);
    expect(machine.read(".conduct/run/hooks")).toContain(String(port));
    const stopped = await machine.conduct(["daemon", "stop"]);
    expect(stopped.code, stopped.out + stopped.err).toBe(0);
    await gone(pid);
    for (const left of ["hooks", "daemon.sock"]) expect(existsSync(join(machine.home, "run", left)), left).toBe(false);
    expect(await start()).toMatchObject({ port, version });
    await stop();
    const other = createServer().listen(port, "127.0.0.1");
    onTestFinished(() => void other.close());
    expect(await start()).toMatchObject({ httpFault: expect.stringContaining("EADDRINUSE") });
  });

  wired([], "WIR-833 shims of another version are replaced when it starts", async () => {
    const { machine, start, stop } = await newMachine();
    await stop();
    const shim = machine.read(".conduct/gate/runner");
    machine.write({ ".conduct/gate/runner": "# of another version\n" });
    await start();
    expect(machine.read(".conduct/gate/runner")).toBe(shim);
  });

  wired([], "WIR-834 it logs a damaged journal when it starts, and again in the session that meets it", async () => {
    const { machine, start, stop, log } = await newMachine();
    await machine.conduct(["behavior", "add", "STOP: long reports"]);
    await stop();
    change(machine, "update conduct_governance set body = replace(body, 'long', 'short')");
    await start();
    await expect.poll(log).toContain("the governance journal is damaged");
    const claude = new ClaudeCode(machine, "s1");
    await claude.start();
    await claude.say("begin");
    await claude.shell("echo hi");
    await expect.poll(log).toContain("session s1: governance-damaged");
  });

  wired([], "WIR-835 what a person sets in a session survives kill -9", async () => {
    const { machine, start, kill } = await newMachine("--operator");
    await machine.atTerminal(["enforce", "claude-code", "--yes"]);
    const claude = new ClaudeCode(machine, "s1");
    await claude.start();
    await claude.say("begin");
    await claude.shell("echo drill");
    await machine.atTerminal(["tag", "s1", "drilling"]);
    await kill();
    await start();
    expect(await claude.shell("echo drill again")).toContain("No drills now");
    expect(await claude.shell("touch /srv/outside")).toContain('"deny"');
    await machine.atTerminal(["elevate", "s1", "--for", "10m"]);
    await kill();
    await start();
    expect(await claude.shell("touch /srv/outside now")).not.toContain('"deny"');
    await machine.atTerminal(["elevate", "s1", "--off"]);
    await kill();
    await start();
    expect(await claude.shell("touch /srv/outside again")).toContain('"deny"');
  });

  wired([], "WIR-836 a session that was unused for 30 days is forgotten when it starts", async () => {
    const { machine, start, stop } = await newMachine();
    for (const id of ["old", "new"]) {
      const claude = new ClaudeCode(machine, id);
      await claude.start();
      await claude.say("begin");
    }
    await stop();
    change(machine, `update conduct_kept_sessions set at = at - ${31 * 86_400_000} where session = 'old'`);
    await start();
    const tag = async (id: string) => (await machine.atTerminal(["tag", id, "night"])).code;
    expect([await tag("old"), await tag("new")]).toEqual([1, 0]);
  });

  wired([], "WIR-837 without the key of the store nothing is decided, and the reason is shown", async () => {
    const { machine, start, stop, log } = await newMachine();
    const claude = new ClaudeCode(machine, "s1");
    await claude.start();
    await claude.say("begin");
    await machine.atTerminal(["enforce", "claude-code", "--yes"]);
    await stop();
    machine.env.CONDUCT_KEYS = join(machine.root, "empty");
    await start();
    expect(await claude.shell("echo hi")).toContain('"deny"');
    expect(log()).toContain("the store cannot be opened");
  });
});
