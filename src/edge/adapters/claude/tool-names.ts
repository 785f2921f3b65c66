import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { PromptRequest } from "../../../engine/session/session-options.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import type { ClaudeOptions } from "./native.ts";
import { OWN_SERVER } from "./tool-map.ts";

const OWN: ReadonlySet<string> = new Set(CONDUCT_TOOLS.map(({ name }) => name));

/** What the runtime calls the tools of the common vocabulary. */
const NATIVE: Readonly<Record<string, string>> = {
  read_file: "Read",
  write_file: "Write",
  edit_file: "Edit",
  shell: "Bash",
  search: "Grep",
  fetch: "WebFetch",
  web_search: "WebSearch",
  task: "Agent",
};

/** How the model sees a tool. */
export function toolName(tool: string): string {
  if (OWN.has(tool)) return `mcp__${OWN_SERVER}__${tool}`;
  return Object.hasOwn(NATIVE, tool) ? (NATIVE[tool] ?? tool) : tool;
}

/**
 * What is known of the model's tools when the prompt is made: the host's list, if it gave one. The runtime tells them all
 * only after the first message; naming them from then on would change a prompt that is cached by then.
 */
export function promptRequest({ tools, disallowedTools = [] }: ClaudeOptions, session: SessionMoments): PromptRequest {
  if (!isList(tools)) return { toolName };
  const own = session.tools().map(({ name }) => toolName(name));
  return { toolName, tools: [...tools, ...own].filter((name) => !disallowedTools.includes(name)) };
}

function isList(tools: ClaudeOptions["tools"]): tools is readonly string[] {
  return Array.isArray(tools);
}
