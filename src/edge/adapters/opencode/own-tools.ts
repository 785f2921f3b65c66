import { isObject } from "../../../base/kernel/json.ts";
import { shownText } from "../../../behavior/results/shown-text.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { ToolDeclaration } from "../../../engine/tools/conduct-tool.ts";
import type { OpencodeTool, UserMessage } from "./native.ts";

/**
 * The tools that Conduct may give an agent. OpenCode wants its plugins' tools when it starts, before there is a session: their
 * names stand here, what they are and take comes with the first session, and a message switches off those its session has not.
 */
export const OWN_TOOLS = [
  "read_result",
  "verify_context",
  "review_plan",
  "update_instructions",
  "read_memory",
  "save_memory",
] as const;

/** The tools as OpenCode registers them. They run for a session that has them, and only when the call was allowed. */
export function ownTools(find: (sessionID: string) => Promise<SessionMoments>): { [name: string]: OpencodeTool } {
  const tool = (name: string): OpencodeTool => ({
    description: name,
    args: {},
    async execute(args, { sessionID }) {
      const session = await find(sessionID);
      const own = session.tools().find((one) => one.name === name);
      if (own === undefined) throw new Error(`This session has no tool '${name}'.`);
      const { outcome, parts } = await own.run(isObject(args) ? args : {});
      const text = shownText(parts);
      // In OpenCode a tool that fails throws.
      if (outcome !== "ok") throw new Error(text);
      return text;
    },
  });
  return Object.fromEntries(OWN_TOOLS.map((name) => [name, tool(name)]));
}

/** Switches off, for the answer to this message, the tools that the session was not given. */
export function switchTools(message: UserMessage, session: SessionMoments): void {
  const given = new Set(session.tools().map(({ name }) => name));
  const missing = OWN_TOOLS.filter((name) => !given.has(name));
  if (missing.length === 0) return;
  message.tools = { ...message.tools, ...Object.fromEntries(missing.map((name) => [name, false])) };
}

/** Sets what a tool is and takes, as the session that was opened last has told; all are told the same. */
export function describeTool(
  toolID: string,
  output: { description: string },
  declared: ReadonlyMap<string, ToolDeclaration>,
): void {
  const tool = declared.get(toolID);
  if (tool === undefined) return;
  Object.assign(output, { description: tool.description, jsonSchema: tool.inputSchema });
}
