import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { daemonHost } from "../../edge/host/daemon/daemon-host.ts";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { findPython, runInPty } from "../../edge/host/switch/test/test-pty.ts";
import { numberedLines } from "../../testing/kit/scenarios/scenario.ts";
import { useDaemons } from "./test/test-daemon.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const { place, configure } = useDaemons();
const environment = (): NodeJS.ProcessEnv => {
  const { CONDUCT_SOCKET: _, CONDUCT_TOKEN: __, ...env } = process.env;
  return { ...env, CONDUCT_HOME: place.home, NO_COLOR: "1", COLUMNS: "80" };
};

afterEach(async () => void (await conduct("daemon", "stop")));

async function conduct(...args: readonly string[]) {
  const child = spawn(process.execPath, [conductProgram(), ...args], { env: environment() });
  const [out, error, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { status, shown: out + error };
}

const open = (runtime: string) =>
  daemonHost(environment()).open({ runtime, id: `${runtime}-1`, cwd: place.workspace, window: 200_000 });

let calls = 0;
const callOf = (runtime: string, tool: string) => {
  calls += 1;
  return { id: `c${calls}`, tool, args: {}, actions: [], paths: [], native: { runtime, name: tool, input: {} } };
};

describe("the shipped daemon", () => {
  it.each(["opencode", "pi"])(
    "S4D-1 limits.window of conduct.yaml wins over the window that %s reports",
    async (runtime) => {
      configure("agents: { coder: { limits: { window: 10_000 } } }\n");
      const session = await open(runtime);
      await session.onMessage({ text: "go" });
      session.notice({ kind: "started", adapter: runtime, model: "openai/gpt-5.1", window: 200_000 });
      const call = callOf(runtime, "lookup");
      expect(await session.onCall(call)).toMatchObject({ kind: "allow" });
      const parts = [{ kind: "text", text: numberedLines(900) }] as const;
      const { result } = await session.onResult(call, { outcome: "ok", parts });
      expect(JSON.stringify(result)).toContain("exceeds limit of 3000.");
    },
    PATIENT,
  );

  it.skipIf(findPython() === undefined)(
    "S4D-2 conduct elevate elevates a session of the daemon for a time, and --off ends it",
    async () => {
      configure("agents: { coder: { tools: [{ name: erase, risk: high }] } }\n");
      const session = await open("pi");
      await session.onMessage({ text: "go" });
      const erase = () => session.onCall(callOf("pi", "erase"));
      expect(await erase()).toMatchObject({ kind: "deny", code: "high-risk" });
      // The test plays the runtime, so that every program it starts is an agent's until the runtime is forgotten.
      expect(await conduct("elevate", "pi-1")).toMatchObject({ shown: expect.stringContaining("INSIDE_AGENT") });
      rmSync(join(place.home, "runtimes"), { recursive: true });
      expect(await conduct("elevate", "pi-1")).toMatchObject({
        status: 1,
        shown: expect.stringContaining("it does not run in a terminal"),
      });
      const line = [process.execPath, conductProgram(), "elevate", "pi-1", "--for", "5m"];
      const { code, shown } = await runInPty("xterm", line, environment());
      expect(shown).toContain("elevated pi-1 for 5 minutes");
      expect(code).toBe(0);
      expect(await erase()).toMatchObject({ kind: "allow", because: "elevated" });
      expect(await conduct("elevate", "pi-1", "--off")).toMatchObject({ status: 0 });
      expect(await erase()).toMatchObject({ kind: "deny" });
    },
    PATIENT,
  );
});
