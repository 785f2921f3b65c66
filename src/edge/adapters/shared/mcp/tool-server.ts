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
import { callback, checkOptions, optional, text } from "../../../../base/kernel/check-options.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { asObject } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { canElicit, type McpCall, OWN_SERVER, refusal } from "../own-tools.ts";

const WAY_OUT = "A person can run `conduct doctor` to see what is wrong.";

/** A call with its client's abilities. `elicit` is present if the client can show a form to a person. */
export type ToolRequest = McpCall & {
  readonly meta: JsonObject;
  readonly signal: AbortSignal;
  readonly elicit?: (params: JsonObject, timeoutMs: number) => Promise<JsonObject>;
};

export type ToolHost = {
  readonly instructions: string;
  tools(): Promise<readonly JsonObject[]>;
  /** Returns a result in MCP's format. A rejection becomes an error of the tool. */
  call(request: ToolRequest): Promise<JsonObject>;
};

/** Conduct's own tools as an MCP server; connect it to a transport. */
export function toolServer(host: ToolHost, version: string): Server {
  // A host may have other methods too.
  checkOptions("toolServer", host, { instructions: text, tools: callback, call: callback, end: optional(callback) });
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
      elicit: elicits ? elicit : undefined,
    };
    const failed = (error: unknown) => refusal(`Conduct could not do this: ${errorText(error)}. ${WAY_OUT}`);
    return (await call(request).catch(failed)) as CallToolResult;
  });
  return server;
}

/** Serves over two streams, until the client closes its end. */
export async function serveStreams(server: Server, input: Readable, output: Writable): Promise<void> {
  // The SDK's transport handles messages only, not the end of the stream.
  const over = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
    output.once("error", () => resolve());
    server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport(input, output));
  await over;
  await server.close();
}
