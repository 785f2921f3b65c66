import { asList, asObject, asString, isObject, parseObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { exitResult } from "../shared/content.ts";
import type { HookDialect, HookEvent, HookReply, ToolUse } from "../shared/hooks/hook-event.ts";
import { CALL_WAIT_MS, CONTEXT_LIMIT, denied, failureOutput, STOP_CAP } from "./hooks-file.ts";
import { carriersOf, mapTool, mcpOf, toolName } from "./tool-map.ts";

/** The command hooks of Cursor (its editor and `cursor-agent`), written from their documentation. */
export const cursorDialect: HookDialect = {
  runtime: "cursor",
  title: "Cursor",
  read,
  map: mapTool,
  carriers: carriersOf,
  toolName,
  prompts: "result",
  contextLimit: CONTEXT_LIMIT,
  rewritesMessages: false,
  stopCap: STOP_CAP,
  waitMs: CALL_WAIT_MS,
  // A result repeats the command, but not every other argument.
  identity: ({ name, input }) => (name === "Shell" ? { command: input.command ?? null } : input),
  answer,
  failure: (given, cause) =>
    failureOutput(asString(asObject(given).hook_event_name), `Conduct could not handle this: ${cause}.`),
};

function read(given: JsonObject): HookEvent | { readonly fault: string } {
  const { hook_event_name: name, conversation_id: session, workspace_roots: roots, tool_input } = given;
  const root = asString(asList(roots)[0]) || asString(given.cwd);
  if (typeof session !== "string" || session === "") return { fault: `${asString(name)} has no conversation_id` };
  if (root === "") return { fault: "Cursor has no folder open; open one" };
  const { cwd, working_directory } = asObject(tool_input);
  const interactive = given.conduct_interactive === true;
  const origin = { session, root: session, cwd: root, model: asString(given.model) || undefined, interactive };
  switch (name) {
    case "sessionStart":
      return { ...origin, kind: "started" };
    case "beforeSubmitPrompt":
      if (typeof given.prompt !== "string") return { fault: "beforeSubmitPrompt has no prompt" };
      return { ...origin, kind: "message", text: given.prompt };
    case "preToolUse":
    case "postToolUse":
    case "postToolUseFailure": {
      const use = useOf(given);
      if (use === undefined) return { fault: `${name} has no tool_name` };
      const at = { ...origin, cwd: asString(cwd) || asString(working_directory) || asString(given.cwd) || root };
      if (name === "preToolUse") return { ...at, kind: "call", use };
      // A denied call did not run: either Conduct has recorded it, or it stays open and counts as cancelled.
      if (given.failure_type === "permission_denied") return { ...origin, kind: "other" };
      const result = name === "postToolUse" ? resultOf(use, given.tool_output) : failureOf(given);
      return { ...at, kind: "result", use, result, replaceable: false };
    }
    case "preCompact":
      return { ...origin, kind: "compacted" };
    case "stop":
      // After an error, or when a person has stopped it, nothing is left to check.
      return { ...origin, kind: given.status === "completed" ? "stop" : "other" };
    case "sessionEnd":
      return { ...origin, kind: "ended" };
    default:
      return typeof name === "string" ? { ...origin, kind: "other" } : { fault: "the event has no hook_event_name" };
  }
}

function useOf({ tool_name: name, tool_input, tool_use_id: id }: JsonObject): ToolUse | undefined {
  if (typeof name !== "string" || name === "") return undefined;
  const input = isObject(tool_input)
    ? tool_input
    : (parseObject(asString(tool_input)) ?? { input: tool_input ?? null });
  // Some ids have two lines.
  return { id: asString(id).replace(/\s+/g, "_") || undefined, name, input, mcp: mcpOf(name) };
}

/** A failing command is reported by an event of its own, without its exit code. */
function resultOf({ name }: ToolUse, output: unknown): ToolResult {
  const text = asString(output);
  if (name !== "Shell") return { outcome: "ok", parts: [{ kind: "text", text }] };
  const { output: printed, exitCode } = parseObject(text) ?? {};
  const parts = [{ kind: "text", text: typeof printed === "string" ? printed : text } as const];
  return { ...exitResult(typeof exitCode === "number" ? exitCode : undefined), parts };
}

function failureOf({ error_message }: JsonObject): ToolResult {
  return { outcome: "failed", parts: [{ kind: "text", text: asString(error_message) }] };
}

function answer(event: HookEvent, reply: HookReply): JsonObject {
  if (reply.kind === "refuse") {
    if (event.kind === "message") return { continue: false, user_message: reply.why };
    return event.kind === "stop" ? { followup_message: reply.why } : denied(reply.why);
  }
  switch (event.kind) {
    case "message":
      return { continue: true };
    case "call":
      // No `permission`: Cursor still asks the person what it would ask without Conduct.
      return reply.kind === "pass" && reply.input !== undefined ? { updated_input: reply.input } : {};
    case "started":
    case "result":
      return reply.context === undefined || reply.context === "" ? {} : { additional_context: reply.context };
    default:
      return {};
  }
}
