import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HookServer, listenForHooks } from "../../../../edge/host/daemon/hook-socket.ts";
import { writePause } from "../../../../edge/host/daemon/paused.ts";
import { runHook } from "./run-hook.ts";

let dir: string;
let socket: string;
let server: HookServer | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "conduct-hook-"));
  socket = join(dir, "run", "s.sock");
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(dir, { recursive: true, force: true });
});

async function hook(
  input: string,
  env: NodeJS.ProcessEnv = { CONDUCT_SOCKET: socket },
  alone?: (home: string, event: unknown) => Promise<unknown>,
) {
  let out = "";
  let error = "";
  const code = await runHook("codex", undefined, {
    input: () => input,
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
    env: { CONDUCT_HOME: join(dir, "home"), ...env },
    alone,
  });
  return { code, out, error };
}
const event = (name: string) => JSON.stringify({ hook_event_name: name });

describe("runHook", () => {
  it("HKC-1 the Codex hook prints the daemon's answer", async () => {
    server = await listenForHooks(socket, async (request) => ({ decision: "block", reason: JSON.stringify(request) }));
    const answer = await hook(event("Stop"));
    expect(answer).toMatchObject({ code: 0, error: "" });
    expect(JSON.parse(answer.out)).toEqual({ decision: "block", reason: event("Stop") });
  });

  it.each([
    ["PreToolUse", 2, "the call is blocked"],
    ["PostToolUse", 2, "its result is withheld"],
    ["UserPromptSubmit", 2, "the message is not sent"],
    ["Stop", 1, "stopped without a check"],
    ["SubagentStop", 1, "stopped without a check"],
    ["SessionStart", 1, "Conduct did not see the event"],
    ["PreModelRequest", 1, "Conduct did not see the event"],
  ])("HKC-2 without a daemon the hook for %s exits with %i", async (name, code, means) => {
    const answer = await hook(event(name));
    expect(answer).toMatchObject({ code, out: "" });
    expect(answer.error).toMatch(/^Conduct: there is no Conduct daemon: no socket at .*; .*conduct doctor\n$/);
    expect(answer.error).toContain(means);
  });

  it.each([
    ["input that is not JSON", "{", { CONDUCT_SOCKET: "/x" }, "JSON"],
    ["an event without a name", "{}", { CONDUCT_SOCKET: "/nonexistent/x" }, "no socket"],
    ["a daemon that cannot be started", event("PreToolUse"), { CONDUCT_HOME: "/dev/null/home" }, "ENOTDIR"],
  ])("HKC-3 %s is treated as a call and blocked", async (_what, input, env, cause) => {
    const answer = await hook(input, env);
    expect(answer).toMatchObject({ code: 2, out: "" });
    expect(answer.error).toContain(cause);
  });

  it("HKC-4 a daemon that fails, hangs or answers nothing blocks a call", async () => {
    const behaviours = [async () => Promise.reject(new Error("broken")), () => new Promise(() => {}), async () => null];
    server = await listenForHooks(socket, () => behaviours.shift()?.() ?? Promise.resolve({}));
    const env = { CONDUCT_SOCKET: socket, CONDUCT_HOOK_MS: "200" };
    expect(await hook(event("PreToolUse"), env)).toMatchObject({ code: 2, error: expect.stringContaining("broken") });
    expect(await hook(event("PreToolUse"), env)).toMatchObject({ code: 2, error: expect.stringContaining("200 ms") });
    expect(await hook(event("PreToolUse"), env)).toMatchObject({
      code: 2,
      error: expect.stringContaining("no answer"),
    });
  });

  it("HKC-5 if no daemon can be started, the hook decides in its own process; if that fails too, it blocks the call", async () => {
    const home = { CONDUCT_HOME: "/dev/null/home" };
    const asked: unknown[] = [];
    const answered = await hook(event("PreToolUse"), home, async (...given) => {
      asked.push(given);
      return { decided: "alone" };
    });
    expect(answered).toEqual({ code: 0, out: '{"decided":"alone"}', error: "" });
    expect(asked).toEqual([["/dev/null/home", { hook_event_name: "PreToolUse" }]]);
    const failed = await hook(event("PreToolUse"), home, async () => Promise.reject(new Error("held elsewhere")));
    expect(failed).toMatchObject({ code: 2, error: expect.stringContaining("held elsewhere") });
  });

  it.each(["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"])(
    "HKC-6 while Conduct is paused, %s passes even if no daemon can be reached",
    async (name) => {
      const now = Date.now();
      writePause(join(dir, "home"), { at: now, until: now + 60_000, by: "ann", proof: "test" });
      expect(await hook(event(name))).toEqual({ code: 0, out: "", error: "" });
    },
  );
});
