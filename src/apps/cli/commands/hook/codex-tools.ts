import { serveConductTools } from "../../../../edge/adapters/codex/conduct-mcp.ts";
import { askDaemon } from "../../../../edge/host/daemon/daemon-ask.ts";
import { sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { CommandBody } from "../../line/command.ts";

/** A tool of Conduct's may have to count tokens first. */
const LIMIT_MS = 60_000;

/** `conduct hook codex-tools`: Conduct's own tools as an MCP server on stdio. Each call is answered by the daemon. */
export const hookCodexTools: CommandBody = async () => {
  const { CONDUCT_SOCKET: socket } = process.env;
  const home = conductHome();
  await serveConductTools(process.stdin, process.stdout, (request) =>
    socket ? sendHook(socket, request, LIMIT_MS) : askDaemon(home, request, LIMIT_MS),
  );
  return { ok: true, result: {}, text: "", next: [] };
};
