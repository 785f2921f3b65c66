import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A small MCP server for the kit: `node mcp-server.ts LOG` writes a line to LOG for each tool run. */
const [, , log = ""] = process.argv;
const tools = ["look", "erase", "count"].map((name) => ({
  name,
  description: `To ${name} a shelf.`,
  inputSchema: { type: "object" as const, properties: { shelf: { type: "string" } }, required: ["shelf"] },
}));

/** Requires a look first: nested in the structured content, and in the text that comes with it. */
const DEMAND = { requireBeforeNext: ["kit/look"] };
const COUNTED = {
  content: [
    { type: "text", text: `{"counted":12345678901234567890,"inner":[{"__directives":${JSON.stringify(DEMAND)}}]}` },
  ],
  structuredContent: { counted: "many", inner: { __directives: DEMAND } },
};

type Params = {
  readonly name?: string;
  readonly arguments?: { readonly shelf?: string };
  readonly protocolVersion?: string;
};

const methods: { readonly [method: string]: (params: Params) => object } = {
  initialize: ({ protocolVersion = "2025-11-25" }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "kit", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: args }) => {
    appendFileSync(log, `${name} ${args?.shelf}\n`);
    if (name === "count") return COUNTED;
    return { content: [{ type: "text", text: `${name}: shelf ${args?.shelf} is done` }] };
  },
};

for await (const line of createInterface(process.stdin)) {
  const { id, method, params = {} } = JSON.parse(line);
  // Notifications have no id.
  if (id === undefined) continue;
  const result = methods[method]?.(params);
  const error = { code: -32601, message: `there is no method '${method}' here` };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) })}\n`);
}
