import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { ToolDeclaration } from "../../../engine/tools/conduct-tool.ts";
import { blockOf, textBlock } from "./content.ts";

/** The name of the MCP server that offers Conduct's own tools. No other server may have it. */
export const OWN_SERVER = "conduct";

export type OwnToolResult = { readonly text: string; readonly isError: boolean };

/** Runs one of Conduct's own tools for an allowed call; returns an error if the session has no such tool. */
export async function runOwnTool(session: SessionMoments, name: string, args: JsonObject): Promise<OwnToolResult> {
  const tool = session.tools().find((one) => one.name === name);
  if (tool === undefined) return { text: `This session has no tool '${name}'.`, isError: true };
  const { outcome, parts } = await tool.run(args);
  return { text: shownText(parts), isError: outcome !== "ok" };
}

/** Conduct's tools in MCP's format. None is destructive: notes are added, and changed instructions can be undone. */
export function declareTools(tools: readonly ToolDeclaration[]): readonly JsonObject[] {
  return tools.map(({ name, description, inputSchema, access }) => ({
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: access === "read", destructiveHint: false, openWorldHint: false },
  }));
}

export type McpCall = { readonly name: string; readonly arguments: JsonObject };

/** Reads a `tools/call`, or returns why it cannot be read. Arguments are optional. */
export function readCall(params: JsonObject): McpCall | { readonly fault: string } {
  const { name } = params;
  const args = params.arguments ?? {};
  if (typeof name !== "string" || name === "") return { fault: "tools/call needs the name of a tool" };
  return isObject(args) ? { name, arguments: args } : { fault: `the arguments of '${name}' are not an object` };
}

/** A call of one of Conduct's own tools, which have their plain names everywhere. */
export function mapOwnCall(call: McpCall, id: string): CallInput {
  const { name, arguments: args } = call;
  return { id, tool: name, args, native: { runtime: "mcp", server: OWN_SERVER, name, input: args } };
}

/** A refused call as an error result, so that the model reads the reason. */
export function refusal(text: string): JsonObject {
  return { content: [textBlock(text)], isError: true };
}

/** A result of Conduct's own tools in MCP's format, with texts before and after. */
export function ownResult(
  { outcome, parts }: ToolResult,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): JsonObject {
  const content = [...before.map(textBlock), ...parts.map(blockOf), ...after.map(textBlock)];
  return outcome === "ok" ? { content } : { content, isError: true };
}

/** Whether the client can show a form to a person. A client that only opens pages cannot. */
export function canElicit(client: { readonly capabilities?: Json }): boolean {
  const { elicitation } = asObject(client.capabilities);
  return isObject(elicitation) && (isObject(elicitation.form) || elicitation.url === undefined);
}
