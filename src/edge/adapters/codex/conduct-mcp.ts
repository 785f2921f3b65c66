import type { Readable, Writable } from "node:stream";
import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import { serveStreams, type ToolHost, type ToolRequest, toolServer } from "../shared/mcp/tool-server.ts";
import { declareTools } from "../shared/own-tools.ts";

/** Answers a tool call: the daemon's socket, or the adapter itself. */
export type CallConductTool = (request: JsonObject) => Promise<unknown>;

/** Shown where Codex explains its tool search: the model does not see these tools until it searches for them. */
const INSTRUCTIONS = `Search by name for: ${CONDUCT_TOOLS.map(({ name }) => name).join(", ")}.`;

/**
 * An MCP server over stdio with Conduct's own tools for Codex; register it under the name `conduct`. Codex's hooks
 * decide whether a call runs, so nothing is decided here.
 */
export function serveConductTools(input: Readable, output: Writable, call: CallConductTool): Promise<void> {
  const host: ToolHost = {
    instructions: INSTRUCTIONS,
    tools: async () => declareTools(CONDUCT_TOOLS),
    call: (request) => callTool(request, call),
  };
  return serveStreams(toolServer(host, "0"), input, output);
}

/** `_meta` has the calling thread; a subagent has a thread of its own. */
async function callTool({ name, arguments: args, meta }: ToolRequest, call: CallConductTool): Promise<JsonObject> {
  const answered = await call({ conduct_tool: name, arguments: args, thread_id: meta.threadId ?? null });
  if (isObject(answered) && typeof answered.text === "string") {
    return { content: [{ type: "text", text: answered.text }], isError: answered.isError === true };
  }
  throw new Error("the daemon's answer cannot be read");
}
