import type { JsonObject } from "../../../base/words/json.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { ToolDeclaration } from "../../../engine/tools/conduct-tool.ts";

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
