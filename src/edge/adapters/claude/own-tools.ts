import { z } from "zod";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import type { ClaudeSdk } from "./native.ts";
import { partsText } from "./result-shape.ts";
import type { Scopes } from "./scopes.ts";
import { OWN_SERVER } from "./tool-map.ts";

/** Conduct's tools as an MCP server in this process, and the names by which the runtime lets them run unasked. */
export function ownTools(
  sdk: ClaudeSdk,
  scopes: Scopes,
): { readonly server: object; readonly allowed: readonly string[] } {
  const tools = scopes.main.session.tools();
  const server = sdk.createSdkMcpServer({
    name: OWN_SERVER,
    version: "1.0.0",
    // Else the runtime hides them behind its tool search.
    alwaysLoad: true,
    tools: tools.map((tool) => asMcpTool(sdk, tool, scopes)) as never[],
  });
  return { server, allowed: tools.map(({ name }) => `mcp__${OWN_SERVER}__${name}`) };
}

function asMcpTool(sdk: ClaudeSdk, { name, description, inputSchema }: ConductTool, scopes: Scopes): object {
  const schema = z.fromJSONSchema(inputSchema);
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  return sdk.tool(name, description, shape as never, async (args: JsonObject, extra?: unknown) => {
    // One server serves the main thread and every subagent: the call's id says whose session answers.
    const scope = scopes.holding(callIdOf(extra)) ?? scopes.main;
    const tool = scope.session.tools().find((one) => one.name === name);
    if (tool === undefined) return { content: [{ type: "text", text: `There is no tool '${name}'.` }], isError: true };
    const { outcome, parts } = await tool.run(args);
    return { content: [{ type: "text", text: partsText(parts) }], isError: outcome !== "ok" };
  });
}

function callIdOf(extra: unknown): string {
  if (typeof extra !== "object" || extra === null || !("_meta" in extra)) return "";
  const meta = extra._meta;
  if (typeof meta !== "object" || meta === null || !("claudecode/toolUseId" in meta)) return "";
  return String(meta["claudecode/toolUseId"]);
}
