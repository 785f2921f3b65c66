import { isObject } from "../../../base/kernel/json.ts";
import { toolName } from "../../../edge/adapters/shared/claude/tool-map.ts";
import type { KnownAgent } from "../agents/agents.ts";
import type { CommandUse } from "./hosted-commands.ts";

/** Runs at the model provider. All other tools of the Claude Agent SDK run in its own process. */
const ELSEWHERE: ReadonlySet<string> = new Set(["web_search"]);

export function commandUse({ agent, definition }: KnownAgent): CommandUse {
  const names = agent.tools.map(({ name }) => name);
  if (definition.runtime === "claude" && names.some((name) => toolName(name) !== name && !ELSEWHERE.has(name)))
    return "unsandboxed";
  const { completion } = definition;
  const checks = isObject(completion) && completion.command !== undefined;
  return names.includes("shell") || checks ? "sandboxed" : "none";
}
