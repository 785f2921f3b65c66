import { appendFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

/** A real MCP server for the kit: `node mcp-server.ts LOG` writes a line to LOG for each tool run. */
const [, , log = ""] = process.argv;
const tools = ["look", "erase"].map((name) => ({
  name,
  description: `To ${name} a shelf.`,
  inputSchema: { type: "object" as const, properties: { shelf: { type: "string" } }, required: ["shelf"] },
}));

const server = new Server({ name: "kit", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
  const shelf = String(params.arguments?.shelf);
  appendFileSync(log, `${params.name} ${shelf}\n`);
  return { content: [{ type: "text", text: `${params.name}: shelf ${shelf} is done` }] };
});
await server.connect(new StdioServerTransport());
