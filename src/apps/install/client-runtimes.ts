import { acpCapabilities } from "../../edge/adapters/acp/capabilities.ts";
import { mcpProxyCapabilities } from "../../edge/adapters/mcp/capabilities.ts";
import { launcherPath } from "./launcher/launcher-files.ts";
import type { InstallableRuntime, InstallPlace } from "./runtime.ts";

/** The editor starts Conduct in the agent's place. */
export const acp: StartedRuntime = {
  name: "acp",
  title: "An agent in an editor (ACP)",
  capabilities: acpCapabilities,
  loose:
    "what the agent does without asking permission and without the editor runs unseen: it has to be told to ask for everything",
};

/** An agent that speaks ACP; whatever comes after `--` takes its place. */
const AGENT = ["opencode", "acp"];

export function acpWords(agent: readonly string[] = AGENT): readonly string[] {
  return ["acp", "--", ...agent];
}

/** The entry for the settings of Zed; other editors have the same three words under names of their own. */
export function zedEntry(command: ClientCommand): string {
  return `"agent_servers": ${JSON.stringify({ "OpenCode, conducted": { type: "custom", ...command } })}`;
}

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

/** What a client starts in place of something else: nothing is installed for it, and `doctor` has things to say of it all the same. */
export type StartedRuntime = Pick<InstallableRuntime, "title" | "capabilities" | "loose"> & {
  readonly name: "acp" | "mcp";
};

/** How a client starts it: words of a command, and what its environment needs. */
export type ClientCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
};

/** By a whole path, because a client that was started from the desktop has another PATH than a terminal. The launcher knows its home. */
export function clientCommand({ home }: Pick<InstallPlace, "home">, words: readonly string[]): ClientCommand {
  return { command: launcherPath(home), args: words, env: {} };
}
