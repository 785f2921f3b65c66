import { serveConductTools } from "../../../../edge/adapters/codex/conduct-mcp.ts";
import { type CallConductTool, serveOwnTools } from "../../../../edge/adapters/shared/mcp/serve-own-tools.ts";
import { askDaemon } from "../../../../edge/host/daemon/daemon-ask.ts";
import { sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { readStdin } from "../../../../edge/host/node/read-stdin.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { HookCopilotArgs } from "../../declared/setup-commands.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import type { HookRuntimeName } from "./hook-runtimes.ts";
import { runHook } from "./run-hook.ts";

/** `conduct hook NAME` with options; without any, `conduct.mjs` passes the streams on directly. */
async function hook(runtime: HookRuntimeName, event?: string): Promise<Outcome> {
  let answer = "";
  let failure = "";
  const code = await runHook(runtime, event, {
    input: readStdin,
    out: (text) => {
      answer += text;
    },
    error: (text) => {
      failure += text;
    },
    env: process.env,
    alone: async (home, given) => (await import("./alone.ts")).answerAlone(home, given),
  });
  if (code === 0) return done({ answer }, answer);
  return failed("HOOK_FAILED", failure.trim(), "conduct daemon status", { exitCode: code });
}

export const hookCodex = () => hook("codex");
export const hookCopilot = ({ event }: HookCopilotArgs) => hook("copilot", event);
export const hookCursor = () => hook("cursor");
export const hookGemini = () => hook("gemini");

/** One of Conduct's tools may have to count tokens first. */
const LIMIT_MS = 60_000;

/** Each call of Conduct's own tools is answered by the daemon. */
const askForTool: CallConductTool = (request) => {
  const { CONDUCT_SOCKET: socket } = process.env;
  return socket ? sendHook(socket, request, LIMIT_MS) : askDaemon(conductHome(), request, LIMIT_MS);
};

/** `conduct hook codex-tools`: Conduct's own tools as an MCP server on stdio. */
export async function hookCodexTools(): Promise<Outcome> {
  await serveConductTools(process.stdin, process.stdout, askForTool);
  return done({}, "");
}

/** The same for a runtime that tells the server nothing about the session: the daemon finds it by the allowed call. */
async function serveTools(runtime: HookRuntimeName): Promise<Outcome> {
  await serveOwnTools(process.stdin, process.stdout, {
    instructions: "Conduct's own tools: results that were shortened, checkpoints, and the user's memory.",
    origin: () => ({ conduct_hook: runtime }),
    call: askForTool,
  });
  return done({}, "");
}

export const hookCopilotTools = () => serveTools("copilot");
export const hookGeminiTools = () => serveTools("gemini");
