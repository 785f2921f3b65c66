import type { AgentTool } from "@earendil-works/pi-agent-core";
import { z } from "zod";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, isObject, parseExactly } from "../../../base/kernel/json.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { DIRECTIVES, splitDirectives } from "../../../behavior/policy/builtin/requirements.ts";
import type { ClaudeSdk } from "../../../edge/adapters/claude/native.ts";
import { shapeOf } from "../../../edge/adapters/mcp/result-shape.ts";
import { type Block, blockOf, textBlock } from "../../../edge/adapters/shared/content.ts";
import type { Response } from "../../../edge/adapters/shared/mcp/json-rpc.ts";
import { refusal } from "../../../edge/adapters/shared/own-tools.ts";
import { type MappedCall, piToolMap, type ToolMap } from "../../../edge/adapters/shared/pi/tool-map.ts";
import type { ServerTool } from "./hosted-servers.ts";

/** Providers allow 64 letters, digits, `_` and `-` in a tool's name. */
const MOST = 64;

/** Names for the model, by which rules find the tools again: `mcp__github__create_issue` is `github/create_issue`. */
export function nameTools(tools: readonly ServerTool[]): ReadonlyMap<string, ServerTool> {
  const named = new Map<string, ServerTool>();
  for (const served of tools) {
    const whole = `mcp__${served.server}__${served.tool.name}`;
    const plain = whole.replaceAll(/[^\w-]/g, "_");
    const fits = plain.length <= MOST && !named.has(plain);
    named.set(fits ? plain : `${plain.slice(0, MOST - 9)}_${sha256(whole).slice(0, 8)}`, served);
  }
  return named;
}

export function vocabularyName({ server, tool }: ServerTool): string {
  return `${server}/${tool.name}`;
}

/** A declared tool of a server, which only the server can offer. */
export function isOfServer({ mcpServers = {} }: Agent, tool: string): boolean {
  return tool.includes("/") && Object.hasOwn(mcpServers, tool.split("/", 1)[0] ?? "");
}

/** Maps the names of servers' tools, and all others as Pi's own. */
export function serverToolMap(named: () => ReadonlyMap<string, ServerTool>): ToolMap {
  return (name, input): MappedCall => {
    const served = named().get(name);
    return served === undefined ? piToolMap(name, input) : { tool: vocabularyName(served), args: input };
  };
}

/** A server's tool as one of Pi's. A result with `isError` fails. */
export function asPiTool(name: string, served: ServerTool): AgentTool {
  const { description, inputSchema } = served.tool;
  return {
    name,
    label: name,
    description,
    parameters: { type: "object", properties: {}, ...inputSchema },
    async execute(_id, params, signal) {
      const { blocks, isOk, directives } = readResponse(await served.call(params as JsonObject, signal), served);
      // In Pi a failing tool throws.
      if (!isOk) throw new Error(blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n"));
      return { content: [...blocks], details: { requirements: directives.map((one) => ({ [DIRECTIVES]: one })) } };
    },
  };
}

/** A server's response for the model. Directives count only in structured content. */
function readResponse(response: Response, served: ServerTool) {
  const { resultType } = asObject(response.body.result);
  if (resultType === "input_required") {
    const text = `${vocabularyName(served)} needs input from a person, and the gateway cannot ask for it. It did not run.`;
    return { blocks: [textBlock(text)], isOk: false, directives: [] };
  }
  const { result, structured } = shapeOf(response.body);
  const blocks: Block[] = result.parts.map(blockOf);
  if (structured !== undefined && structured.repeat === undefined) {
    // The text is written from the server's own digits.
    const exact = asObject(asObject(asObject(parseExactly(response.raw.toString())).result).structuredContent);
    blocks[structured.at] = textBlock(JSON.stringify(splitDirectives(exact).rest));
  }
  const directives = structured === undefined ? [] : splitDirectives(structured.value).directives;
  const shown =
    blocks.length === 0 ? [textBlock(result.outcome === "ok" ? "(no output)" : "(no reason given)")] : blocks;
  return { blocks: shown, isOk: result.outcome === "ok", directives: directives as readonly Json[] };
}

/**
 * The servers for the Claude Agent SDK. They live in the gateway's process and pass the calls on, so that the SDK gets
 * neither the programs nor their secrets. `skipped`: tools whose arguments the SDK cannot describe.
 */
export function claudeServers(
  sdk: ClaudeSdk,
  tools: readonly ServerTool[],
): { readonly servers: { readonly [name: string]: object }; readonly skipped: readonly string[] } {
  const skipped: string[] = [];
  const servers = Map.groupBy(tools, ({ server }) => server);
  const made = [...servers].map(([name, served]) => {
    const declared = served.flatMap((one) => {
      try {
        return [asClaudeTool(sdk, one)];
      } catch {
        skipped.push(vocabularyName(one));
        return [];
      }
    });
    return [name, sdk.createSdkMcpServer({ name, version: "1.0.0", alwaysLoad: true, tools: declared as never[] })];
  });
  return { servers: Object.fromEntries(made), skipped };
}

function asClaudeTool(sdk: ClaudeSdk, served: ServerTool): object {
  const { name, description, inputSchema } = served.tool;
  const schema = z.fromJSONSchema({ type: "object", properties: {}, ...inputSchema } as never);
  if (!(schema instanceof z.ZodObject)) throw new Error("not an object");
  const run = async (args: JsonObject, extra?: unknown): Promise<JsonObject> => {
    const { signal } = asObject(extra) as { readonly signal?: unknown };
    try {
      const response = await served.call(args, signal instanceof AbortSignal ? signal : undefined);
      const { result } = response.body;
      const { blocks, isOk } = readResponse(response, served);
      return isOk && isObject(result) ? result : { content: blocks, isError: true };
    } catch (error) {
      return refusal(errorText(error));
    }
  };
  return sdk.tool(name, description, schema.shape as never, run as never);
}
