import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { KitRun } from "../../../testing/kit/driver.ts";
import type { LoopTool } from "../../../testing/loop/scripted-loop.ts";
import { requirementsIn } from "../shared/content.ts";

type McpTools = { readonly tools: { readonly [name: string]: LoopTool }; close(): Promise<void> };

/** The tools of real MCP servers on stdio, as `server/name`. */
export async function mcpTools(servers: KitRun["mcpServers"] = {}): Promise<McpTools> {
  const tools: { [name: string]: LoopTool } = {};
  const clients: Client[] = [];
  for (const [server, { command, args }] of Object.entries(servers)) {
    const client = new Client({ name: "scripted-loop", version: "1" });
    await client.connect(new StdioClientTransport({ command, args: [...args] }));
    clients.push(client);
    for (const { name } of (await client.listTools()).tools) tools[`${server}/${name}`] = toolOf(client, name);
  }
  return { tools, close: async () => void (await Promise.all(clients.map((client) => client.close()))) };
}

function toolOf(client: Client, name: string): LoopTool {
  return async (args) => {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: { ...args } });
    const parts = content.flatMap((part) => (part.type === "text" ? [{ kind: "text" as const, text: part.text }] : []));
    return { outcome: isError === true ? "failed" : "ok", parts, requirements: requirementsIn(structuredContent) };
  };
}
