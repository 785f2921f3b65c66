import { serveConductTools } from "../../src/edge/adapters/codex/conduct-mcp.ts";
import { sendHook } from "../../src/edge/host/daemon/hook-socket-client.ts";

await serveConductTools(process.stdin, process.stdout, (request) =>
  sendHook(process.env.CONDUCT_SOCKET ?? "", request, 10_000),
);
