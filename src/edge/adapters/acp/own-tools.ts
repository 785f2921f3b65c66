import { randomBytes } from "node:crypto";
import { asList } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import { feedbackOf } from "../shared/content.ts";
import { type HttpServing, serveHttp } from "../shared/mcp/serve-http.ts";
import { type ToolHost, toolServer } from "../shared/mcp/tool-server.ts";
import { declareTools, mapOwnCall, OWN_SERVER, ownResult, refusal } from "../shared/own-tools.ts";
import type { LiveSession } from "./live-session.ts";
import { type Around, permit, show } from "./permissions.ts";

/** Conduct's tools for one session, as a loopback MCP server whose token only the agent has. */
export type OwnServer = HttpServing & { readonly token: string };

/**
 * Lists all tools, because an agent asks before it names its session; a tool that the session lacks returns an error.
 */
export async function serveOwnTools(
  session: Promise<LiveSession>,
  around: Around,
  version: string,
): Promise<OwnServer> {
  const token = randomBytes(32).toString("hex");
  const host: ToolHost = {
    instructions: "",
    tools: async () => declareTools(CONDUCT_TOOLS),
    async call({ name, arguments: args }) {
      const live = await session;
      const call = mapOwnCall({ name, arguments: args }, around.newId());
      const permitted = await permit(live, call, around);
      if (permitted.kind === "refused") return refusal(permitted.text);
      const moments = await live.moments();
      const tool = moments.tools().find((one) => one.name === name);
      if (tool === undefined) {
        await moments.onResult(call, { outcome: "failed", parts: [] });
        return refusal(`This session has no tool '${name}'.`);
      }
      const delivered = await moments.onResult(call, await tool.run(permitted.input ?? args));
      show(live, around, moments.takeDebug());
      return ownResult(delivered.result, { before: permitted.advice, after: feedbackOf(delivered) });
    },
  };
  const serve = () => ({ server: toolServer(host, version), end: async () => undefined });
  const serving = await serveHttp({ host: "127.0.0.1", port: 0, token, serve, log: around.log });
  return { ...serving, token };
}

/** The params that open a session, with Conduct's server added. */
export function withOwnServer(params: JsonObject, { url, token }: OwnServer): JsonObject {
  const headers = [{ name: "Authorization", value: `Bearer ${token}` }];
  const own = { type: "http", name: OWN_SERVER, url, headers };
  return { ...params, mcpServers: [...asList(params.mcpServers), own] };
}
