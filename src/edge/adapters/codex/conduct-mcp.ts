import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";

/** Where a tool call is answered: the daemon's socket, or the adapter itself. */
export type CallConductTool = (request: JsonObject) => Promise<unknown>;

/**
 * Codex refuses or asks a person about a tool that may destroy something or reaches outside; whether one of these runs is
 * Conduct's to decide, and nothing is lost by them: notes are added, and a change of instructions can be undone.
 */
const TOOLS = CONDUCT_TOOLS.map(({ name, description, inputSchema, access }) => ({
  name,
  description,
  inputSchema,
  annotations: { readOnlyHint: access === "read", destructiveHint: false, openWorldHint: false },
}));

/** The model does not see these tools until it looks for them; Codex shows this where it says how. */
const INSTRUCTIONS = `Search by name for: ${CONDUCT_TOOLS.map(({ name }) => name).join(", ")}.`;

/** A minimal MCP server over stdio that hosts Conduct's own tools in Codex; register it under the name `conduct`. */
export async function serveConductTools(input: Readable, output: Writable, call: CallConductTool): Promise<void> {
  for await (const line of createInterface({ input })) {
    const message = parse(line);
    if (message?.id === undefined) continue;
    const reply = await answer(message, call);
    output.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, ...reply })}\n`);
  }
}

async function answer({ method, params }: JsonObject, call: CallConductTool): Promise<JsonObject> {
  const given = isObject(params) ? params : {};
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: given.protocolVersion ?? "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "conduct", version: "0" },
          instructions: INSTRUCTIONS,
        },
      };
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools: TOOLS } };
    case "tools/call":
      return { result: await callTool(given, call) };
    default:
      return { error: { code: -32601, message: `no method ${String(method)}` } };
  }
}

/** Codex says in `_meta` which of its threads calls; the thread of a subagent is its own. */
async function callTool({ name, arguments: args, _meta }: JsonObject, call: CallConductTool): Promise<JsonObject> {
  const meta = isObject(_meta) ? _meta : {};
  try {
    const request = { conduct_tool: name ?? null, arguments: args ?? {}, thread_id: meta.threadId ?? null };
    const answered = await call(request);
    if (isObject(answered) && typeof answered.text === "string") {
      return { content: [{ type: "text", text: answered.text }], isError: answered.isError === true };
    }
    throw new Error("an answer that cannot be read");
  } catch (error) {
    const text = `Conduct could not be reached: ${error instanceof Error ? error.message : String(error)}`;
    return { content: [{ type: "text", text }], isError: true };
  }
}

function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
