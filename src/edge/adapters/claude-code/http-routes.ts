import { asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import type { HookRequest, HookRoute } from "../../host/daemon/hook-http.ts";
import { declareTools } from "../shared/own-tools.ts";
import type { ClaudeCodeHooks } from "./adapter.ts";
import type { From } from "./live-session.ts";

/** The daemon's routes for Claude Code: its hooks, and Conduct's own tools. */
export function claudeCodeRoutes(hooks: Pick<ClaudeCodeHooks, "handle" | "callTool">): readonly HookRoute[] {
  return [
    {
      method: "POST",
      path: "/hooks/claude-code",
      handle: async (request) => ({ status: 200, body: await hooks.handle(request.body, fromOf(request)) }),
    },
    {
      method: "POST",
      path: "/mcp/claude-code",
      async handle({ body }) {
        const answer = await answerMcp(body, hooks);
        return answer === undefined ? { status: 202 } : { status: 200, body: answer };
      },
    },
  ];
}

/** A Claude Code that an agent started is not interactive, whatever it reports. */
function fromOf({ query, headers }: HookRequest): From {
  const inside = headers["x-conduct-inside"] ?? "";
  const part = Number(query.get("part") ?? 1);
  return {
    interactive: headers["x-conduct-entrypoint"] === "cli" && inside === "",
    part: Number.isInteger(part) && part > 1 ? part : undefined,
  };
}

/**
 * Answers one JSON-RPC message of an MCP client over HTTP, without sessions or streams: Conduct's own tools, each run in
 * the session of its call. `undefined` for notifications.
 */
async function answerMcp(message: unknown, hooks: Pick<ClaudeCodeHooks, "callTool">): Promise<JsonObject | undefined> {
  if (!isObject(message)) return failed(null, -32600, "this is not a JSON-RPC message");
  const { id, method, params } = message;
  if (id === undefined) return undefined;
  switch (method) {
    case "initialize":
      return answered(id, {
        protocolVersion: asObject(params).protocolVersion ?? "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "conduct", version: "0" },
      });
    case "ping":
      return answered(id, {});
    case "tools/list":
      return answered(id, { tools: declareTools(CONDUCT_TOOLS) });
    case "tools/call": {
      const { name, arguments: args, _meta } = asObject(params);
      const call = asString(asObject(_meta)["claudecode/toolUseId"]);
      const { text, isError } = await hooks.callTool(asString(name), asObject(args), call);
      return answered(id, { content: [{ type: "text", text }], isError });
    }
    default:
      return failed(id, -32601, `no method ${asString(method)}`);
  }
}

type Id = JsonObject[string];

function answered(id: Id, result: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id, result };
}

function failed(id: Id, code: number, message: string): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
