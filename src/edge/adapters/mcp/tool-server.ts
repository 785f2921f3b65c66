import type { Readable, Writable } from "node:stream";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  type ElicitRequestFormParams,
  ListToolsRequestSchema,
  type ListToolsResult,
} from "@modelcontextprotocol/sdk/types.js";
import { callback, checkOptions, optional, text } from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { type McpCall, OWN_SERVER } from "./tool-map.ts";
import { canElicit, refusal } from "./translate.ts";

/** What a person can do when Conduct itself is what fails. */
const WAY_OUT = "A person can look with `conduct doctor`.";

/** A call with what its client has beside it. `elicit` is there where the client can put a form to a person. */
export type ToolRequest = McpCall & {
  readonly meta: JsonObject;
  readonly signal: AbortSignal;
  readonly elicit?: (params: JsonObject, timeoutMs: number) => Promise<JsonObject>;
};

/** What a server of Conduct's tools serves. */
export type ToolHost = {
  readonly instructions: string;
  tools(): Promise<readonly JsonObject[]>;
  /** A result as MCP has it. What it rejects with is told as an error of the tool. */
  call(request: ToolRequest): Promise<JsonObject>;
};

/** Conduct's own tools as an MCP server; connect it to a transport. */
export function toolServer(host: ToolHost, version: string): Server {
  checkHost(host);
  const { instructions, tools, call } = host;
  const server = new Server({ name: OWN_SERVER, version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [...(await tools())] }) as ListToolsResult);
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const elicits = canElicit({ capabilities: asObject(server.getClientCapabilities()) });
    const elicit = async (form: JsonObject, timeout: number) =>
      asObject(await server.elicitInput(form as unknown as ElicitRequestFormParams, { signal, timeout }));
    const request = {
      name: params.name,
      arguments: asObject(params.arguments),
      meta: asObject(params._meta),
      signal,
      ...(elicits ? { elicit } : {}),
    };
    const failed = (error: unknown) => refusal(`Conduct could not do this: ${errorText(error)}. ${WAY_OUT}`);
    return (await call(request).catch(failed)) as CallToolResult;
  });
  return server;
}

/** Serves over two streams, until the client closes its end. */
export async function serveStreams(server: Server, input: Readable, output: Writable): Promise<void> {
  // The SDK's transport listens for messages only, not for the end of the stream.
  const over = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
    output.once("error", () => resolve());
    // It gives up on a message that never ends.
    server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport(input, output));
  await over;
  await server.close();
}

/** A host may have methods of its own besides. */
function checkHost(host: ToolHost): void {
  checkOptions("toolServer", host, { instructions: text, tools: callback, call: callback, end: optional(callback) });
}
