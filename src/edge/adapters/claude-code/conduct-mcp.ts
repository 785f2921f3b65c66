import { asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import type { ClaudeCodeHooks } from "./adapter.ts";

/** Calls of a tool are gated by the hooks as any call is, so that Claude Code need not ask about these once more. */
const TOOLS = CONDUCT_TOOLS.map(({ name, description, inputSchema, access }) => ({
  name,
  description,
  inputSchema,
  annotations: { readOnlyHint: access === "read", destructiveHint: false, openWorldHint: false },
}));

/**
 * Answers one JSON-RPC message of an MCP client over http, without sessions or streams: Conduct's own tools, each run in
 * the session whose call it is. `undefined` for what wants no answer.
 */
export async function answerMcp(
  message: unknown,
  hooks: Pick<ClaudeCodeHooks, "callTool">,
): Promise<JsonObject | undefined> {
  if (!isObject(message)) return failed(null, -32600, "this is no JSON-RPC message");
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
      return answered(id, { tools: TOOLS });
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
