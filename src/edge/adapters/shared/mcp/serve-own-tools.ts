import type { Readable, Writable } from "node:stream";
import { isObject } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../../engine/tools/conduct-tool.ts";
import { declareTools } from "../own-tools.ts";
import { serveStreams, type ToolHost, type ToolRequest, toolServer } from "./tool-server.ts";

/** Answers a tool call: the daemon's socket, or the adapter itself. */
export type CallConductTool = (request: JsonObject) => Promise<unknown>;

type OwnToolServer = {
  readonly instructions: string;
  /** What the request says about its origin. */
  origin(request: ToolRequest): JsonObject;
  readonly call: CallConductTool;
};

/**
 * An MCP server over stdio with Conduct's own tools; register it under the name `conduct`. The runtime's hooks decide
 * whether a call runs, so nothing is decided here.
 */
export function serveOwnTools(input: Readable, output: Writable, given: OwnToolServer): Promise<void> {
  const host: ToolHost = {
    instructions: given.instructions,
    tools: async () => declareTools(CONDUCT_TOOLS),
    async call(request) {
      const asked = { conduct_tool: request.name, arguments: request.arguments, ...given.origin(request) };
      const answered = await given.call(asked);
      if (isObject(answered) && typeof answered.text === "string") {
        return { content: [{ type: "text", text: answered.text }], isError: answered.isError === true };
      }
      throw new Error("the daemon's answer cannot be read");
    },
  };
  return serveStreams(toolServer(host, "0"), input, output);
}
