import { asObject } from "../../../base/kernel/json.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { ToolDeclaration } from "../../../engine/tools/conduct-tool.ts";
import { runOwnTool } from "../shared/own-tools.ts";
import type { OpencodeTool, UserMessage } from "./native.ts";

/**
 * The tools that Conduct may give an agent. OpenCode needs a plugin's tools at its start, before any session: the
 * names are here, the descriptions come with the first session, and each message disables the tools that its session
 * lacks.
 */
export const OWN_TOOLS = [
  "read_result",
  "verify_context",
  "review_plan",
  "update_instructions",
  "read_memory",
  "save_memory",
] as const;

export function ownTools(find: (sessionID: string) => Promise<SessionMoments>): { [name: string]: OpencodeTool } {
  const tool = (name: string): OpencodeTool => ({
    description: name,
    args: {},
    async execute(args, { sessionID }) {
      const { text, isError } = await runOwnTool(await find(sessionID), name, asObject(args));
      // In OpenCode a failing tool throws.
      if (isError) throw new Error(text);
      return text;
    },
  });
  return Object.fromEntries(OWN_TOOLS.map((name) => [name, tool(name)]));
}

/** Disables, for the answer to this message, the tools that the session lacks. */
export function switchTools(message: UserMessage, session: SessionMoments): void {
  const given = new Set(session.tools().map(({ name }) => name));
  const missing = OWN_TOOLS.filter((name) => !given.has(name));
  if (missing.length === 0) return;
  message.tools = { ...message.tools, ...Object.fromEntries(missing.map((name) => [name, false])) };
}

/** Sets a tool's description and schema, as the sessions declare it. */
export function describeTool(
  toolID: string,
  output: { description: string },
  declared: ReadonlyMap<string, ToolDeclaration>,
): void {
  const tool = declared.get(toolID);
  if (tool === undefined) return;
  Object.assign(output, { description: tool.description, jsonSchema: tool.inputSchema });
}
