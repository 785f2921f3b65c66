import type { Readable, Writable } from "node:stream";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import { type CallConductTool, serveOwnTools } from "../shared/mcp/serve-own-tools.ts";

/** Shown where Codex explains its tool search: the model does not see these tools until it searches for them. */
const INSTRUCTIONS = `Search by name for: ${CONDUCT_TOOLS.map(({ name }) => name).join(", ")}.`;

/** Conduct's own tools for Codex as an MCP server. `_meta` has the calling thread; a subagent has one of its own. */
export function serveConductTools(input: Readable, output: Writable, call: CallConductTool): Promise<void> {
  return serveOwnTools(input, output, {
    instructions: INSTRUCTIONS,
    origin: ({ meta }) => ({ thread_id: meta.threadId ?? null }),
    call,
  });
}
