import { spawn } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/words/json.ts";
import { helloDaemon } from "../../edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../../edge/host/daemon/daemon-place.ts";
import { sendHook } from "../../edge/host/daemon/hook-socket-client.ts";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { findInFiles, SECRET_TEXT } from "../../edge/stores/seal/test/secrets.ts";
import { shellCall, useDaemons } from "./test/test-daemon.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const { place } = useDaemons();
const keys = () => join(place.home, "..", "keys");

afterEach(stop);

async function stop(): Promise<void> {
  const hello = await helloDaemon(place.home).catch(() => undefined);
  if (hello === undefined) return;
  await sendHook(daemonPlace(place.home).socket, { daemon: "stop" }, 10_000).catch(() => undefined);
  await expect.poll(() => isThere(hello.pid)).toBe(false);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** `conduct hook codex`, as Codex runs it: it starts the daemon where there is none. */
async function hook(event: JsonObject): Promise<{ readonly code: number | null; readonly said: string }> {
  const { CONDUCT_SOCKET: _, ...env } = process.env;
  const child = spawn(process.execPath, [conductProgram(), "hook", "codex"], {
    env: { ...env, CONDUCT_HOME: place.home, CONDUCT_KEYS: keys(), CONDUCT_HOOK_MS: String(PATIENT) },
    stdio: "pipe",
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      said += text;
    });
  child.stdin.on("error", () => undefined);
  child.stdin.end(JSON.stringify(event));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, said };
}

describe("what the daemon leaves at rest", () => {
  it("SEA-35 no file of the home contains a secret of a Codex message, input or result; without the key calls are denied", {
    timeout: PATIENT,
  }, async () => {
    const call = shellCall(place.workspace, `echo '${SECRET_TEXT}'`, "c1");
    const message = { ...call, hook_event_name: "UserPromptSubmit", prompt: SECRET_TEXT };
    // Long enough to be cut: the whole of it is kept under a handle.
    const result = {
      ...call,
      hook_event_name: "PostToolUse",
      tool_response: `${SECRET_TEXT}\n${"line\n".repeat(200_000)}`,
    };
    for (const event of [message, { ...call, hook_event_name: "PreModelRequest" }, call, result])
      expect((await hook(event)).code).toBe(0);
    expect(findInFiles(place.home)).toEqual([]);
    await stop();
    expect(findInFiles(place.home)).toEqual([]);
    renameSync(keys(), `${keys()}-away`);
    const { code, said } = await hook({ ...call, tool_use_id: "c2" });
    expect(`${code} ${said}`).toMatch(/key of the store .*conduct\.db is missing/);
    await stop();
    renameSync(`${keys()}-away`, keys());
    expect(await hook({ ...call, tool_use_id: "c3" })).toMatchObject({ code: 0, said: "{}" });
  });
});
