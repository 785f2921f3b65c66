import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject } from "../../src/base/kernel/json.ts";
import { sendHook } from "../../src/edge/host/daemon/hook-socket-client.ts";
import type { Steady } from "../steady.ts";
import { startSteadyDaemon } from "../steady-daemon.ts";

const LIMIT_MS = 60_000;
const EVENTS = ["PreToolUse", "PostToolUse", "PreModelRequest"];

/** The daemon alone, asked as Codex' hooks ask it, in one session: for thousands of turns, which no runtime makes in a minute. */
export async function openSteady({ calls }: { readonly calls: number }): Promise<Steady> {
  const root = mkdtempSync(join(tmpdir(), "conduct-steady-"));
  const workspace = join(root, "work");
  mkdirSync(workspace);
  const daemon = await startSteadyDaemon(join(root, "home"));
  let made = 0;
  const ask = async (name: string): Promise<void> => {
    const answer = await sendHook(daemon.socket, eventOf(name, made, workspace), LIMIT_MS);
    if (!isObject(answer) || Object.keys(answer).length > 0) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  };
  return {
    processes: [daemon.process],
    async turn() {
      const from = performance.now();
      for (let at = 0; at < calls; at += 1) {
        made += 1;
        for (const name of EVENTS) await ask(name);
      }
      return performance.now() - from;
    },
    async close() {
      await daemon.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function eventOf(name: string, made: number, cwd: string): object {
  return {
    hook_event_name: name,
    session_id: "steady",
    cwd,
    tool_use_id: `call_${made}`,
    tool_name: "Bash",
    tool_input: { command: `cat file-${made}.txt` },
    tool_response: "text",
  };
}
