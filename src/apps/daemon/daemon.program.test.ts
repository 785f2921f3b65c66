import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/words/json.ts";
import { ensureDaemon, helloDaemon } from "../../edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../../edge/host/daemon/daemon-place.ts";
import { sendHook } from "../../edge/host/daemon/hook-socket-client.ts";
import { conductProgram, conductVersion } from "../../edge/host/node/package-files.ts";
import { startDaemon } from "./daemon.ts";
import { openRequests } from "./requests.ts";
import { shellCall, useDaemons, verdict } from "./test/test-daemon.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const { place } = useDaemons();

afterEach(async () => {
  const { socket } = daemonPlace(place.home);
  const hello = await helloDaemon(place.home).catch(() => undefined);
  if (hello === undefined || hello.pid === process.pid) return;
  await sendHook(socket, { daemon: "stop" }, 10_000).catch(() => undefined);
  await gone(hello.pid);
});

/** Resolves when there is no such process any more. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

type Ended = { readonly code: number | null; readonly out: string; readonly error: string };

/** `conduct hook RUNTIME`, as that runtime runs it. */
async function hook(event: JsonObject, runtime = "codex"): Promise<Ended> {
  const { CONDUCT_SOCKET: _, ...env } = process.env;
  const child = spawn(process.execPath, [conductProgram(), "hook", runtime], {
    env: { ...env, CONDUCT_HOME: place.home },
    stdio: "pipe",
  });
  let [out, error] = ["", ""];
  child.stdout.on("data", (text: Buffer) => {
    out += text;
  });
  child.stderr.on("data", (text: Buffer) => {
    error += text;
  });
  child.stdin.end(JSON.stringify(event));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, error };
}

/** One call in a step of its own. */
async function call(command: string, id: string): Promise<string> {
  const event = shellCall(place.workspace, command, id);
  await hook({ ...event, hook_event_name: "PreModelRequest" });
  const { code, out, error } = await hook(event);
  return code === 0 ? verdict(JSON.parse(out)) : error;
}

const started = () => readFileSync(daemonPlace(place.home).log, "utf8").match(/ listens at /g) ?? [];

describe("the daemon as a program", () => {
  it("DMN-30 concurrent hooks without a daemon start exactly one, and all are answered", {
    timeout: PATIENT,
  }, async () => {
    const ids = ["a", "b", "c", "d"];
    const ended = await Promise.all(ids.map((id) => hook({ ...shellCall(place.workspace, "ls", id), session_id: id })));
    expect(ended).toEqual(ids.map(() => ({ code: 0, out: "{}", error: "" })));
    expect(started()).toHaveLength(1);
  });

  it("DMN-31 after a kill during a session, the next hook starts a daemon that knows the state", {
    timeout: PATIENT,
  }, async () => {
    expect(await call("deploy all", "c1")).toContain("Denied by proof");
    expect(await call("npm test", "c2")).toBe("allow");
    const { pid } = await helloDaemon(place.home);
    process.kill(pid, "SIGKILL");
    await gone(pid);
    expect(await call("deploy all", "c3")).toBe("allow");
    expect((await helloDaemon(place.home)).pid).not.toBe(pid);
    expect(started()).toHaveLength(2);
  });

  it("DMN-32 without a daemon each hook decides in its own process, with shared state", {
    timeout: PATIENT,
  }, async () => {
    writeFileSync(join(place.home, "run"), "no folder");
    expect(await call("deploy all", "c1")).toContain("Denied by proof");
    expect(await call("npm test", "c2")).toBe("allow");
    expect(await call("deploy all", "c3")).toBe("allow");
  });

  it("DMN-33 a hook without a daemon is blocked while another process decides for its session", {
    timeout: PATIENT,
  }, async () => {
    const requests = await openRequests(place.home);
    await requests.handle(shellCall(place.workspace, "ls", "c1"));
    rmSync(join(place.home, "run"), { recursive: true, force: true });
    writeFileSync(join(place.home, "run"), "no folder");
    const { code, out, error } = await hook(shellCall(place.workspace, "ls", "c2"));
    const said = code === 0 ? verdict(JSON.parse(out)) : error;
    expect(said).toContain(`another process (${process.pid}) has the lease of session s`);
    await requests.close();
    expect(await call("ls", "c3")).toBe("allow");
  });

  it("DMN-34 a daemon of another version gives way, and one of this version stays", { timeout: PATIENT }, async () => {
    const old = await startDaemon({ home: place.home, version: "0.0.1" });
    const hello = await ensureDaemon(place.home);
    expect(await old.ended).toBe("another version takes over");
    expect(hello).toMatchObject({ version: conductVersion() });
    expect(hello.pid).not.toBe(process.pid);
    expect((await ensureDaemon(place.home)).pid).toBe(hello.pid);
  });

  it("DMN-35 on SIGTERM the daemon finishes running requests, saves and releases everything", {
    timeout: PATIENT,
  }, async () => {
    const { pid } = await ensureDaemon(place.home);
    const answer = sendHook(daemonPlace(place.home).socket, shellCall(place.workspace, "npm test", "c1"), 30_000);
    // It has been received: a later request is answered.
    await helloDaemon(place.home);
    process.kill(pid, "SIGTERM");
    expect(verdict(await answer)).toBe("allow");
    await gone(pid);
    const requests = await openRequests(place.home);
    await requests.handle({ ...shellCall(place.workspace), hook_event_name: "PreModelRequest" });
    expect(verdict(await requests.handle(shellCall(place.workspace, "deploy all", "c2")))).toBe("allow");
    await requests.close();
  });

  it("DMN-36 a daemon that cannot start is reported with the location of its log", {
    timeout: PATIENT,
  }, async () => {
    mkdirSync(join(place.home, "run"), { mode: 0o700 });
    writeFileSync(daemonPlace(place.home).socket, "no socket");
    await expect(ensureDaemon(place.home)).rejects.toThrow("not a socket");
  });

  it("DMN-37 Claude Code's command starts the daemon, forwards the first event, and resends a message that found none", {
    timeout: PATIENT,
  }, async () => {
    const event = { session_id: "cc", cwd: place.workspace, hook_event_name: "SessionStart", source: "resume" };
    const begun = await hook(event, "claude-code");
    expect(begun).toMatchObject({ code: 0, error: "" });
    expect(JSON.parse(begun.out)).toBeTypeOf("object");
    const message = { ...event, hook_event_name: "UserPromptSubmit", prompt: "hi" };
    expect(await hook(message, "claude-code")).toEqual({ code: 0, out: "", error: "" });
    const { pid } = await helloDaemon(place.home);
    process.kill(pid, "SIGKILL");
    await gone(pid);
    const again = await hook(message, "claude-code");
    expect(again).toMatchObject({ code: 2, error: expect.stringContaining("Send the message again") });
    expect((await helloDaemon(place.home)).pid).not.toBe(pid);
  });
});
