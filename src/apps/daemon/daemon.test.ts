import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/words/json.ts";
import { askDaemon } from "../../edge/host/daemon/daemon-ask.ts";
import { ensureDaemon } from "../../edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../../edge/host/daemon/daemon-place.ts";
import { readDaemonSettings } from "../../edge/host/daemon/daemon-settings.ts";
import { SocketTakenError } from "../../edge/host/daemon/hook-socket.ts";
import { endPause, writePause } from "../../edge/host/daemon/paused.ts";
import { remoteHost } from "../../edge/host/daemon/remote-session.ts";
import { runtimesFile, writeRuntime } from "../../edge/host/opening/runtime-settings.ts";
import { storePlace } from "../../edge/host/workspace/store-place.ts";
import { openCallStores } from "../../edge/stores/call-stores.ts";
import { findInFiles, SECRET_TEXT } from "../../edge/stores/seal/test/secrets.ts";
import { daemonLog } from "./daemon-log.ts";
import { shellCall, useDaemons, verdict } from "./test/test-daemon.ts";

const daemons = useDaemons();
const { place, start, send, codex } = daemons;
const shell = (command: string, id: string, more: JsonObject = {}) =>
  codex({ tool_input: { command }, tool_use_id: id, ...more });

function pause(): void {
  const now = Date.now();
  writePause(place.home, { at: now, until: now + 60_000, by: "ann", proof: "test" });
}

describe("the daemon", () => {
  it("DMN-6 the daemon answers hooks according to the operator's rules, and describes itself", async () => {
    const daemon = await start();
    expect(await shell("ls", "c1")).toBe("allow");
    expect(await shell("deploy all", "c2")).toContain("Denied by proof");
    expect(await send({ daemon: "hello" })).toEqual({ ...daemon.hello(), sessions: 1 });
    await expect(send({ daemon: "fly" })).rejects.toThrow("cannot 'fly'");
    await expect(send({ strange: true })).rejects.toThrow("unknown kind of request");
  });

  it("DMN-7 one daemon runs per home; a second one is rejected with the reason", async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(SocketTakenError);
    const racers = await Promise.allSettled(Array.from({ length: 5 }, () => start()));
    expect(racers.every(({ status }) => status === "rejected")).toBe(true);
    expect(await send({ daemon: "hello" })).toMatchObject({ pid: first.hello().pid });
  });

  it("DMN-8 of many daemons that start at once next to a stale socket, exactly one listens", async () => {
    const { socket } = daemonPlace(place.home);
    mkdirSync(join(place.home, "run"), { mode: 0o700 });
    const script = `require("node:net").createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, "SIGKILL"))`;
    spawnSync(process.execPath, ["-e", script]);
    expect(existsSync(socket)).toBe(true);
    const racers = await Promise.allSettled(Array.from({ length: 6 }, () => start()));
    expect(racers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await shell("ls", "c1")).toBe("allow");
  });

  it("DMN-9 a session's evidence survives a new daemon", async () => {
    const first = await start();
    expect(await shell("npm test", "c1")).toBe("allow");
    await first.end("idle");
    await start();
    expect(await shell("deploy all", "c2")).toBe("allow");
    expect(await shell("deploy all", "c3", { session_id: "another" })).toContain("Denied by proof");
  });

  it("DMN-10 a session stays in its workspace even if its runtime changes the folder", async () => {
    await start();
    await shell("npm test", "c1");
    const elsewhere = join(place.workspace, "below");
    mkdirSync(elsewhere);
    expect(await shell("deploy all", "c2", { cwd: elsewhere })).toBe("allow");
    expect(await send({ daemon: "hello" })).toMatchObject({ sessions: 1 });
  });

  it("DMN-11 a changed configuration applies from the next call; sessions continue", async () => {
    await start();
    expect(await shell("npm test", "c1")).toBe("allow");
    expect(await shell("curl x", "c2")).toBe("allow");
    daemons.configure(
      readFileSync(join(place.home, "conduct.yaml"), "utf8").replace(
        "rules:",
        `rules:
      - { id: no-curl, on: shell, when: 'args.command.startsWith("curl")' }`,
      ),
    );
    expect(await shell("curl x", "c3")).toContain("Denied by no-curl");
    expect(await shell("deploy all", "c4")).toBe("allow");
  });

  it("DMN-12 a broken configuration blocks every call with file and line, until it is corrected or paused", async () => {
    await start();
    expect(await shell("ls", "c1")).toBe("allow");
    const good = readFileSync(join(place.home, "conduct.yaml"), "utf8");
    daemons.configure("agents:\n  coder:\n    rulse: []\n");
    const blocked = await shell("ls", "c2");
    expect(blocked).toContain(`${join(place.home, "conduct.yaml")}:3`);
    expect(blocked).toContain("conduct doctor");
    const remote = remoteHost({ socket: daemonPlace(place.home).socket });
    const origin = { runtime: "test", id: "r", cwd: place.workspace };
    await expect(remote.open(origin)).rejects.toThrow(`${join(place.home, "conduct.yaml")}:3`);
    pause();
    expect(await shell("ls", "c3")).toBe("allow");
    const call = { id: "c", tool: "deploy", args: {}, native: { runtime: "test", name: "deploy", input: {} } };
    expect(await (await remote.open(origin)).decide(call)).toMatchObject({ because: "paused" });
    endPause(place.home);
    expect(await shell("ls", "c4")).not.toBe("allow");
    daemons.configure(good);
    expect(await shell("ls", "c5")).toBe("allow");
  });

  it("DMN-13 a pause allows calls that would be denied, and evidence from that time counts", async () => {
    await start();
    pause();
    expect(await shell("deploy all", "c1")).toBe("allow");
    expect(await shell("npm test", "c2")).toBe("allow");
    endPause(place.home);
    expect(await shell("deploy all", "c3")).toBe("allow");
    expect(await shell("deploy all", "c4", { session_id: "another" })).toContain("Denied by proof");
  });

  it("DMN-14 a runtime in shadow mode is only observed, from the moment it is set", async () => {
    await start();
    expect(await shell("deploy all", "c1")).toContain("Denied by proof");
    const settings = { enforcement: "shadow", operator: false, since: new Date().toISOString() } as const;
    await writeRuntime(place.home, "codex", settings);
    expect(await shell("deploy all", "c2")).toBe("allow");
    await writeRuntime(place.home, "codex", { ...settings, enforcement: "enforce" });
    expect(await shell("deploy all", "c3")).toContain("Denied by proof");
  });

  it.each([
    { operator: true, interactive: true, elevated: true },
    { operator: true, interactive: false, elevated: false },
    { operator: false, interactive: true, elevated: false },
  ])(
    "DMN-15 /elevated needs an operator who typed it: operator $operator, typed $interactive, elevated $elevated",
    async (row) => {
      await writeRuntime(place.home, "test", { enforcement: "enforce", operator: row.operator, since: "" });
      await start();
      const remote = remoteHost({ socket: daemonPlace(place.home).socket });
      const session = await remote.open({
        runtime: "test",
        id: "r",
        cwd: place.workspace,
        interactive: row.interactive,
      });
      expect((await session.onMessage({ text: "/elevated go" })).modes.elevated).toBe(row.elevated);
    },
  );

  it("DMN-16 a store that cannot be opened blocks calls with the cause, and is retried", async () => {
    writeFileSync(join(place.home, "conduct.db"), "no database", { mode: 0o600 });
    const lines: string[] = [];
    await start({ log: (line) => lines.push(line) });
    await expect(shell("ls", "c1")).rejects.toThrow("conduct.db");
    expect(lines.join("\n")).toContain("the store cannot be opened");
    rmSync(join(place.home, "conduct.db"));
    expect(await shell("ls", "c2")).toBe("allow");
  });

  it("DMN-27 a concurrent decision of another process is not overwritten: the call is blocked, and the next one sees it", async () => {
    await start();
    expect(await shell("ls", "c1")).toBe("allow");
    const stores = await openCallStores(storePlace({}, place.home));
    const kept = await stores.sessions.load("s");
    if (kept === undefined) throw new Error("nothing was kept");
    await stores.sessions.save("s", { ...kept, expectedVersion: kept.version, at: Date.now() });
    await stores.close();
    const answer = await send(shellCall(place.workspace, "ls", "c2"));
    expect(verdict(answer)).toContain("another process has decided for session s");
    expect(await shell("ls", "c3")).toBe("allow");
  });

  it("DMN-17 an idle daemon ends and releases everything", async () => {
    const first = await start({ idleMs: 2_000 });
    await shell("npm test", "c1");
    expect(await first.ended).toBe("it was idle");
    await expect(send({ daemon: "hello" })).rejects.toThrow("no Conduct daemon");
    await start();
    expect(await shell("deploy all", "c2")).toBe("allow");
  });

  it("DMN-18 an idle daemon gives way to a newer version, and stops on request", async () => {
    const old = await start({ version: "0.0.1" });
    expect(await send({ daemon: "yield", version: "9" })).toEqual({ ends: true });
    expect(await old.ended).toBe("another version takes over");
    const older = await start({ version: "0.0.2" });
    const call = shellCall(place.workspace, "deploy all");
    // A client of this version is answered, and the next one need not ask an old one.
    expect(verdict(await askDaemon(place.home, call, 30_000))).toContain("Denied by proof");
    expect(await older.ended).toBe("another version takes over");
    const next = await start();
    expect(verdict(await askDaemon(place.home, { ...call, tool_use_id: "c2" }, 30_000))).toContain("Denied by proof");
    expect(await send({ daemon: "stop" })).toEqual({ ends: true });
    expect(await next.ended).toBe("a stop was requested");
  });

  it("DMN-55 a daemon answers a client of an older version, and never gives way to it", async () => {
    const newer = await start({ version: "99.0.0" });
    expect(await send({ daemon: "yield", version: "98.12.0" })).toEqual({ ends: false });
    expect(await ensureDaemon(place.home)).toMatchObject({ version: "99.0.0", pid: process.pid });
    const call = shellCall(place.workspace, "deploy all");
    expect(verdict(await askDaemon(place.home, call, 30_000))).toContain("Denied by proof");
    expect(newer.hello()).toMatchObject({ version: "99.0.0" });
    expect(await send({ daemon: "hello" })).toMatchObject({ version: "99.0.0" });
  });

  it("DMN-19 a daemon ends when its socket is removed, because no client could reach it", async () => {
    const lost = await start({ idleMs: 60_000, lookMs: 20 });
    rmSync(daemonPlace(place.home).socket);
    expect(await lost.ended).toBe("its socket was removed");
  });
});

describe("the daemon over http", () => {
  const url = () => `http://127.0.0.1:${readDaemonSettings(daemonPlace(place.home).settings)?.port}`;
  const bearer = () => `Bearer ${readDaemonSettings(daemonPlace(place.home).settings)?.token}`;
  const post = (event: object, authorization = bearer()) =>
    fetch(`${url()}/hooks/claude-code`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify(event),
    });
  const bash = (command: string, id: string) => ({ ...shellCall(place.workspace, command, id), session_id: "cc" });

  /** What the answer says of whether the call may run. */
  async function answered(
    event: object,
  ): Promise<{ readonly permissionDecision?: string; readonly permissionDecisionReason?: string }> {
    const { hookSpecificOutput = {} } = (await (await post(event)).json()) as { readonly hookSpecificOutput?: object };
    return hookSpecificOutput;
  }
  const asked = async (command: string, id: string) => (await answered(bash(command, id))).permissionDecision;

  it("DMN-20 a restarted daemon keeps its port and token, and answers health checks without a token", async () => {
    const first = await start();
    const settings = readDaemonSettings(daemonPlace(place.home).settings);
    expect(await (await fetch(`${url()}/health`)).json()).toMatchObject({ ok: true });
    await first.end("over");
    const second = await start();
    expect(readDaemonSettings(daemonPlace(place.home).settings)).toEqual(settings);
    expect(second.hello().port).toBe(settings?.port);
  });

  it("DMN-21 the daemon answers Claude Code's hooks only with the right token", async () => {
    await start();
    expect((await post(bash("deploy all", "c1"), "Bearer wrong")).status).toBe(401);
    expect(await answered(bash("deploy all", "c1"))).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("proof"),
    });
  });

  it("DMN-71 what switches hooks off is undone before a hook over http is answered, and the person is told", async () => {
    const bound = { enforcement: "enforce", operator: false, since: "" } as const;
    await writeRuntime(place.home, "claude-code", bound);
    await start();
    expect(await asked("deploy all", "c1")).toBe("deny");
    const loose = { "claude-code": { ...bound, enforcement: "shadow" } };
    writeFileSync(runtimesFile(place.home), JSON.stringify(loose), { mode: 0o600 });
    expect(await asked("deploy all", "c2")).toBe("deny");
    const project = join(place.workspace, "below");
    mkdirSync(join(project, ".claude"), { recursive: true });
    writeFileSync(join(project, ".claude", "settings.json"), '{ "disableAllHooks": true, "mine": 1 }');
    const said = await (await post({ ...bash("ls", "c3"), cwd: project })).text();
    expect(said).toMatch(/systemMessage.*hooks for claude-code were switched off/);
    expect(JSON.parse(readFileSync(join(project, ".claude", "settings.json"), "utf8"))).toEqual({ mine: 1 });
  });

  it("DMN-22 the used budget of a Claude Code session survives a new daemon", async () => {
    const first = await start();
    expect(await asked("publish all", "c1")).not.toBe("deny");
    await first.end("over");
    await start();
    expect(await asked("publish all", "c2")).toBe("deny");
  });

  it("DMN-23 the daemon stays up during a Claude Code session, which could not start another daemon", async () => {
    const daemon = await start({ idleMs: 2_000 });
    await post(bash("npm test", "c1"));
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await send({ daemon: "hello" })).toMatchObject({ sessions: 1 });
    await post({ ...bash("", "c1"), hook_event_name: "SessionEnd", reason: "exit" });
    expect(await daemon.ended).toBe("it was idle");
  });

  it("DMN-24 a broken configuration blocks with a message that Claude Code shows", async () => {
    daemons.configure("agents: [");
    await start();
    expect(await answered(bash("ls", "c1"))).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining(`${join(place.home, "conduct.yaml")}:1`),
    });
    pause();
    // The person is told once that it is paused; nothing else is said.
    expect(await (await post(bash("ls", "c2"))).json()).toEqual({
      systemMessage: expect.stringMatching(/Paused until .* by ann/),
    });
    expect(await (await post(bash("ls", "c3"))).json()).toEqual({});
  });

  it("DMN-56 a pause is announced once, and not to sessions that begin after it has ended", async () => {
    await start();
    const said = async (id: string, session: string) =>
      JSON.stringify(await (await post({ ...bash("ls", id), session_id: session })).json());
    await said("c1", "first");
    pause();
    expect(await said("c2", "first")).toContain("Paused until");
    expect(await said("c3", "second")).not.toContain("Paused");
    endPause(place.home);
    expect(await said("c4", "third")).not.toContain("Paused");
  });

  it("DMN-25 a port that is already in use is reported, and the socket still works", async () => {
    const first = await start();
    const taken = first.hello().port ?? 0;
    await first.end("over");
    const { createServer } = await import("node:http");
    const other = createServer().listen(taken, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const daemon = await start();
    expect(daemon.hello()).toMatchObject({ httpFault: expect.stringContaining("EADDRINUSE") });
    expect(await shell("ls", "c1")).toBe("allow");
    await new Promise((resolve) => other.close(resolve));
  });
});

it("DMN-26 the daemon's log is bounded, and each entry is one line", () => {
  const file = join(place.home, "run", "daemon.log");
  const log = daemonLog(file, 1_000);
  for (let at = 0; at < 100; at++) log(`line ${at}\nwith a break`);
  const [now, before] = [readFileSync(file, "utf8"), readFileSync(`${file}.1`, "utf8")];
  expect(now.length).toBeLessThan(1_200);
  expect(before.length).toBeLessThan(1_200);
  expect(now.trim().split("\n").at(-1)).toContain("line 99 ⏎ with a break");
});

it("SEA-36 the daemon's log contains no secret that an error quotes", () => {
  const file = join(place.home, "run", "daemon.log");
  daemonLog(file)(`a request failed: ${SECRET_TEXT}`);
  expect(findInFiles(place.home)).toEqual([]);
  expect(readFileSync(file, "utf8")).toContain("a request failed: Use the key sk-ant-[redacted]");
});
