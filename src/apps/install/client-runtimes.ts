import { acpCapabilities, mcpProxyCapabilities } from "../../edge/adapters/capabilities.ts";
import { launched } from "./hooks/hook-command.ts";
import { launcherPath } from "./launcher/launcher-files.ts";
import type { InstallableRuntime, InstallPlace } from "./runtime.ts";

/** The editor starts Conduct instead of the agent. */
export const acp: StartedRuntime = {
  name: "acp",
  title: "An agent in an editor (ACP)",
  capabilities: acpCapabilities,
  loose: "Conduct does not see what the agent does without asking: configure it to ask for everything",
};

/** An example agent with ACP support; replace it with any command after `--`. */
const AGENT = ["opencode", "acp"];

export function acpWords(agent: readonly string[] = AGENT): readonly string[] {
  return ["acp", "--", ...agent];
}

/** The entry for Zed's settings; other editors have the same three fields under other names. */
export function zedEntry(command: ClientCommand): string {
  return `"agent_servers": ${JSON.stringify({ "OpenCode, conducted": { type: "custom", ...command } })}`;
}

/** The client starts Conduct as one more server, and as a proxy for servers whose calls need a decision. */
export const mcp: StartedRuntime = {
  name: "mcp",
  title: "A client of MCP servers",
  capabilities: mcpProxyCapabilities,
  loose: "Conduct does not see the client's own tools, nor servers that it starts without the proxy",
};

/** An example server; replace it with any command after `--`. */
const FILES = ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."];

export const MCP_WORDS: readonly string[] = ["mcp"];

/** `name` is the server's name in rules. */
export function mcpProxyWords(name = "files", server: readonly string[] = FILES): readonly string[] {
  return ["mcp", "proxy", "--name", name, "--", ...server];
}

/** An entry in a client's map of servers, `mcpServers` or `servers`. */
export function mcpEntry(name: string, command: ClientCommand): string {
  return `"${name}": ${JSON.stringify(command)}`;
}

/** A runtime that a client starts: nothing is installed for it, but `doctor` still checks it. */
export type StartedRuntime = Pick<InstallableRuntime, "title" | "capabilities" | "loose"> & {
  readonly name: "acp" | "mcp";
};

/** The command and environment with which a client starts it. */
export type ClientCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
};

/** Absolute path: clients started from the desktop have another PATH. The launcher knows its home. */
export function clientCommand(
  { home, platform }: Pick<InstallPlace, "home" | "platform">,
  words: readonly string[],
): ClientCommand {
  return { ...launched(launcherPath(home, platform), words, platform), env: {} };
}
