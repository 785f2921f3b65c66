import { acpCapabilities } from "../../edge/adapters/acp/capabilities.ts";
import type { InstallableRuntime, InstallPlace } from "./runtime.ts";
import { isUsualHome } from "./usual-home.ts";

/** Nothing is installed for ACP: the editor starts Conduct in the agent's place. What `doctor` has to say of it all the same. */
export const acp: Pick<InstallableRuntime, "title" | "capabilities" | "loose"> & { readonly name: "acp" } = {
  name: "acp",
  title: "An agent in an editor (ACP)",
  capabilities: acpCapabilities,
  loose:
    "what the agent does without asking permission and without the editor runs unseen: it has to be told to ask for everything",
};

/** An agent that speaks ACP; whatever comes after `--` takes its place. */
const AGENT = ["opencode", "acp"];

/** How the editor starts it: words of a command, and what its environment needs. */
export type EditorCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
};

/** By whole paths: an editor that was started from the desktop has another PATH than a terminal. */
export function editorCommand(
  { env, home }: Pick<InstallPlace, "env" | "home">,
  node: string,
  program: string,
  agent: readonly string[] = AGENT,
): EditorCommand {
  return {
    command: node,
    args: [program, "acp", "--", ...agent],
    env: isUsualHome(env, home) ? {} : { CONDUCT_HOME: home },
  };
}

/** The entry for the settings of Zed; other editors have the same three words under names of their own. */
export function zedEntry(command: EditorCommand): string {
  return `"agent_servers": ${JSON.stringify({ "OpenCode, conducted": { type: "custom", ...command } })}`;
}
