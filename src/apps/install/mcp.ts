import { mcpProxyCapabilities } from "../../edge/adapters/mcp/capabilities.ts";
import type { ClientCommand, StartedRuntime } from "./client-command.ts";

/** The client starts Conduct beside its servers, and in place of those whose calls are to be decided on. */
export const mcp: StartedRuntime = {
  name: "mcp",
  title: "A client of MCP servers",
  capabilities: mcpProxyCapabilities,
  loose: "a server that the client can still start without the proxy, and the client's own tools, run unseen",
};

/** A server that many have; whatever comes after `--` takes its place. */
const FILES = ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."];

export const MCP_WORDS: readonly string[] = ["mcp"];

/** `name` is what rules call the server. */
export function mcpProxyWords(name = "files", server: readonly string[] = FILES): readonly string[] {
  return ["mcp", "proxy", "--name", name, "--", ...server];
}

/** An entry in a client's map of servers, `mcpServers` or `servers`. */
export function mcpEntry(name: string, command: ClientCommand): string {
  return `"${name}": ${JSON.stringify(command)}`;
}
