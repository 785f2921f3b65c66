/** A small MCP server with two tools, `test` and `deploy`. Replace it with yours. */
import { createInterface } from "node:readline";

const schema = { type: "object", properties: {} };
const tools = {
  test: { description: "Runs the tests.", run: () => "all tests passed" },
  deploy: { description: "Deploys the shop.", run: () => "deployed" },
};
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "shop", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: Object.entries(tools).map(([name, { description }]) => ({ name, description, inputSchema: schema })),
  }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: tools[name].run() }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params ?? {});
  const answer = result === undefined ? { error: { code: -32601, message: `no method ${method}` } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
