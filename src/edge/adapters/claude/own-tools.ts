import { z } from "zod";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import type { ClaudeSdk } from "./native.ts";
import { partsText } from "./result-shape.ts";
import type { Scopes } from "./scopes.ts";
import { OWN_SERVER } from "./tool-map.ts";

/** Conduct's tools as an MCP server in this process. They pass the moments like any call, and no permission prompt. */
export function ownTools(sdk: ClaudeSdk, scopes: Scopes): object {
  return sdk.createSdkMcpServer({
    name: OWN_SERVER,
    version: "1.0.0",
    // Else the runtime hides them behind its tool search.
    alwaysLoad: true,
    tools: scopes.main.session.tools().map((tool) => asMcpTool(sdk, tool, scopes)) as never[],
  });
}

type McpResult = { content: { type: "text"; text: string }[]; isError: boolean };

function asMcpTool(sdk: ClaudeSdk, declared: ConductTool, scopes: Scopes): object {
  const { name, description, inputSchema, access } = declared;
  const schema = z.fromJSONSchema(inputSchema);
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const run = async (args: JsonObject, extra?: unknown): Promise<McpResult> => {
    // One server serves the main thread and every subagent: the call's id says whose session answers.
    const scope = scopes.holding(callIdOf(extra)) ?? scopes.main;
    const tool = scope.session.tools().find((one) => one.name === name);
    if (tool === undefined) return { content: [{ type: "text", text: `There is no tool '${name}'.` }], isError: true };
    const { outcome, parts } = await tool.run(args);
    return { content: [{ type: "text", text: partsText(parts) }], isError: outcome !== "ok" };
  };
  return sdk.tool(name, description, shape as never, run, { annotations: { readOnlyHint: access === "read" } });
}

function callIdOf(extra: unknown): string {
  if (typeof extra !== "object" || extra === null || !("_meta" in extra)) return "";
  const meta = extra._meta;
  if (typeof meta !== "object" || meta === null || !("claudecode/toolUseId" in meta)) return "";
  return String(meta["claudecode/toolUseId"]);
}
