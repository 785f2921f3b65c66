import { acpCapabilities } from "../../edge/adapters/acp/capabilities.ts";
import type { ClientCommand, StartedRuntime } from "./client-command.ts";

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
