import { serveConductTools } from "../../../../edge/adapters/codex/conduct-mcp.ts";
import { askDaemon } from "../../../../edge/host/daemon/daemon-ask.ts";
import { sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { readStdin } from "../../../../edge/host/node/read-stdin.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import { hookCodex } from "./codex.ts";

/** `conduct hook codex` with options; without any, `conduct.mjs` passes the streams on directly. */
export async function hook(): Promise<Outcome> {
  let answer = "";
  let failure = "";
  const code = await hookCodex({
    input: readStdin,
    out: (text) => {
      answer += text;
    },
    error: (text) => {
      failure += text;
    },
    env: process.env,
    alone: async (home, event) => (await import("./alone.ts")).answerAlone(home, event),
  });
  if (code === 0) return done({ answer }, answer);
  return failed("HOOK_FAILED", failure.trim(), "conduct daemon status", { exitCode: code });
}

/** One of Conduct's tools may have to count tokens first. */
const LIMIT_MS = 60_000;

/** `conduct hook codex-tools`: Conduct's own tools as an MCP server on stdio. Each call is answered by the daemon. */
export async function hookCodexTools(): Promise<Outcome> {
  const { CONDUCT_SOCKET: socket } = process.env;
  const home = conductHome();
  await serveConductTools(process.stdin, process.stdout, (request) =>
    socket ? sendHook(socket, request, LIMIT_MS) : askDaemon(home, request, LIMIT_MS),
  );
  return done({}, "");
}
