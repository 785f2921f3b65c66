import { z } from "zod";
import { asObject, asString } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import type { Scopes } from "../shared/claude/scopes.ts";
import { textBlock } from "../shared/content.ts";
import { OWN_SERVER, runOwnTool } from "../shared/own-tools.ts";
import type { ClaudeSdk } from "./native.ts";

/** Conduct's tools as an in-process MCP server. Calls pass the moments, without a permission prompt. */
export function ownTools(sdk: ClaudeSdk, scopes: Scopes): object {
  return sdk.createSdkMcpServer({
    name: OWN_SERVER,
    version: "1.0.0",
    // Otherwise the runtime hides them behind its tool search.
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
    // One server serves the main thread and every subagent; the call's id identifies the session.
    const scope = scopes.holding(callIdOf(extra)) ?? scopes.main;
    const { text, isError } = await runOwnTool(scope.session, name, args);
    return { content: [textBlock(text)], isError };
  };
  return sdk.tool(name, description, shape as never, run, { annotations: { readOnlyHint: access === "read" } });
}

function callIdOf(extra: unknown): string {
  return asString(asObject(asObject(extra)._meta)["claudecode/toolUseId"]);
}
