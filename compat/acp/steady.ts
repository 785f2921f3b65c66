import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject } from "../../src/base/kernel/json.ts";
import type { Steady, SteadyOptions } from "../steady.ts";
import { probedEnv } from "../steady-processes.ts";
import { pick, startClient } from "./proxy-client.ts";

const AGENT = [process.execPath, "--disable-warning=ExperimentalWarning", join(import.meta.dirname, "sdk-agent.ts")];

/** The SDK's own agent, alone or behind `conduct acp`: a call is a prompt with one permission request in it. */
export async function openSteady({ calls, under }: SteadyOptions): Promise<Steady> {
  const root = mkdtempSync(join(tmpdir(), "conduct-acp-steady-"));
  const home = join(root, "home");
  mkdirSync(home, { mode: 0o700 });
  const client = await startClient({
    through: under === "conduct" ? [] : undefined,
    command: AGENT,
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root, CONDUCT_HOME: home, ...probedEnv },
    hear: () => undefined,
    answer: (request) => pick(request, "allow_once"),
  });
  const { sessionId } = await client.agent.request("session/new", { cwd: root, mcpServers: [] });
  const name = under === "conduct" ? "conduct acp" : "agent";
  return {
    processes: [{ name, pid: client.child.pid ?? 0, probed: true }],
    async turn() {
      const from = performance.now();
      for (let at = 0; at < calls; at += 1) {
        const prompt = [{ type: "text" as const, text: `ask echo ${at}` }];
        const { stopReason } = asObject(await client.agent.request("session/prompt", { sessionId, prompt }));
        if (stopReason !== "end_turn") throw new Error(`the turn ended: ${stopReason}`);
      }
      return performance.now() - from;
    },
    async close() {
      await client.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
