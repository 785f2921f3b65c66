import { asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { exitResult } from "../shared/content.ts";
import type { HookDialect, HookEvent, HookReply, ToolUse } from "../shared/hooks/hook-event.ts";
import { CALL_WAIT_MS, failureOutput } from "./hooks-file.ts";
import { carriersOf, mapTool, mcpOf, toolName } from "./tool-map.ts";

/** The command hooks of Copilot CLI 1.0. An event does not have its name: our command adds it as `conduct_event`. */
export const copilotDialect: HookDialect = {
  runtime: "copilot",
  title: "Copilot CLI",
  read,
  map: mapTool,
  carriers: carriersOf,
  toolName,
  prompts: "message",
  rewritesMessages: true,
  stopCap: 8,
  waitMs: CALL_WAIT_MS,
  answer,
  failure: (given, cause) =>
    failureOutput(asString(asObject(given).conduct_event), `Conduct could not handle this: ${cause}.`),
};

function read(given: JsonObject): HookEvent | { readonly fault: string } {
  const { conduct_event: name, sessionId: session, cwd, timestamp: at, parentAgentId } = given;
  if (typeof session !== "string" || session === "" || typeof cwd !== "string" || cwd === "")
    return { fault: `${asString(name)} has no sessionId or no cwd` };
  const interactive = given.conduct_interactive === true;
  // A subagent's session names the one that started it; the start itself is reported by the parent.
  const isBelow = typeof parentAgentId === "string" && given.agentId === session;
  const origin = { session, root: isBelow ? parentAgentId : session, cwd, interactive };
  const time = typeof at === "number" ? at : undefined;
  switch (name) {
    case "userPromptSubmitted":
      if (typeof given.prompt !== "string") return { fault: "userPromptSubmitted has no prompt" };
      return { ...origin, kind: "message", text: given.prompt };
    case "preToolUse":
    case "postToolUse":
    case "postToolUseFailure": {
      const use = useOf(given);
      if (use === undefined) return { fault: `${name} has no toolName` };
      if (name === "preToolUse") return { ...origin, kind: "call", use, at: time };
      const failed = name === "postToolUseFailure";
      const result = failed ? failureOf(given) : resultOf(use, asObject(given.toolResult));
      return { ...origin, kind: "result", use, result, at: time, replaceable: !failed };
    }
    case "agentStop":
      return { ...origin, kind: "stop" };
    case "preCompact":
      return { ...origin, kind: "compacted" };
    case "sessionEnd":
      return { ...origin, kind: "ended" };
    default:
      return typeof name === "string" ? { ...origin, kind: "other" } : { fault: "the event has no name" };
  }
}

function useOf({ toolName: name, toolArgs }: JsonObject): ToolUse | undefined {
  if (typeof name !== "string" || name === "") return undefined;
  return { name, input: isObject(toolArgs) ? toolArgs : { input: toolArgs ?? null }, mcp: mcpOf(name) };
}

function failureOf({ error }: JsonObject): ToolResult {
  return { outcome: "failed", parts: [{ kind: "text", text: asString(error) }] };
}

/** A failing command is a `success`; its exit code is the last line. */
function resultOf({ name }: ToolUse, { resultType, textResultForLlm }: JsonObject): ToolResult {
  const text = asString(textResultForLlm);
  const parts = [{ kind: "text", text } as const];
  if (resultType !== "success") return { outcome: "failed", parts };
  if (name !== "bash") return { outcome: "ok", parts };
  const code = /<shellId: \S+ completed with exit code (\d+)>\s*$/.exec(text)?.[1];
  return { ...exitResult(code === undefined ? undefined : Number(code)), parts };
}

function answer(event: HookEvent, reply: HookReply): JsonObject {
  const context = reply.context === undefined || reply.context === "" ? {} : { additionalContext: reply.context };
  switch (reply.kind) {
    case "refuse":
      if (event.kind !== "call") return { decision: "block", reason: reply.why };
      return { permissionDecision: "deny", permissionDecisionReason: reply.why };
    case "replace": {
      const resultType = reply.failed ? "failure" : "success";
      return { modifiedResult: { resultType, textResultForLlm: reply.text }, ...context };
    }
    case "pass":
      // No `permissionDecision`: Copilot CLI still asks the person what it would ask without Conduct.
      return {
        ...(reply.text === undefined ? {} : { modifiedPrompt: reply.text }),
        ...(reply.input === undefined ? {} : { modifiedArgs: reply.input }),
        ...context,
      };
  }
}
