import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { exitResult, joinTexts, partOfBlock } from "../shared/content.ts";
import type { HookDialect, HookEvent, HookReply, ToolUse } from "../shared/hooks/hook-event.ts";
import { CALL_WAIT_MS } from "./settings.ts";
import { carriersOf, mapTool, toolName } from "./tool-map.ts";

/** The command hooks of Gemini CLI 0.61. */
export const geminiDialect: HookDialect = {
  runtime: "gemini",
  title: "Gemini CLI",
  read,
  map: mapTool,
  carriers: carriersOf,
  toolName,
  prompts: "request",
  rewritesMessages: false,
  waitMs: CALL_WAIT_MS,
  answer,
  failure,
};

function read(given: JsonObject): HookEvent | { readonly fault: string } {
  const { hook_event_name: name, session_id: session, cwd, timestamp } = given;
  if (typeof session !== "string" || session === "" || typeof cwd !== "string" || cwd === "")
    return { fault: `${asString(name)} has no session_id or no cwd` };
  const interactive = given.conduct_interactive === true;
  const origin = { session, root: session, cwd, interactive };
  const at = Date.parse(asString(timestamp)) || undefined;
  switch (name) {
    case "BeforeAgent":
      if (typeof given.prompt !== "string") return { fault: "BeforeAgent has no prompt" };
      return { ...origin, kind: "message", text: given.prompt };
    case "BeforeModel": {
      const { model, messages } = asObject(given.llm_request);
      return { ...origin, model: asString(model), kind: "request", opening: openingOf(messages) };
    }
    case "BeforeTool":
    case "AfterTool": {
      const use = useOf(given);
      if (use === undefined) return { fault: `${name} has no tool_name` };
      if (name === "BeforeTool") return { ...origin, kind: "call", use, at };
      return { ...origin, kind: "result", use, result: resultOf(use, asObject(given.tool_response)), at };
    }
    case "AfterAgent":
      return { ...origin, kind: "stop", output: asString(given.prompt_response) };
    case "SessionEnd":
      return { ...origin, kind: "ended" };
    default:
      return typeof name === "string" ? { ...origin, kind: "other" } : { fault: "the event has no hook_event_name" };
  }
}

function openingOf(messages: Json | undefined): string {
  return asString(asObject(asList(messages)[0]).content);
}

function useOf({ tool_name: name, tool_input, mcp_context }: JsonObject): ToolUse | undefined {
  if (typeof name !== "string" || name === "") return undefined;
  const input = isObject(tool_input) ? tool_input : { input: tool_input ?? null };
  const { server_name: server, tool_name: tool } = asObject(mcp_context);
  const mcp = typeof server === "string" && typeof tool === "string" ? { server, tool } : undefined;
  return { name, input, mcp };
}

/** A failing command has no `error`; its exit code is a line after its output. */
function resultOf({ name, input }: ToolUse, { llmContent, error }: JsonObject): ToolResult {
  const parts = contentParts(llmContent);
  if (isObject(error)) return { outcome: "failed", parts: parts.length > 0 ? parts : textParts(error.message) };
  if (name !== "run_shell_command") return { outcome: "ok", parts };
  if (input.is_background === true) return { outcome: "unknown", parts };
  return { ...exitOf(asString(llmContent)), parts };
}

/** The lines that Gemini CLI writes after a command's output. Without them the command was cancelled. */
const TRAILER =
  /\n(Error: .*\n)?(?:Exit Code: (\d+)\n)?(?:Signal: (.+)\n)?(?:Background PIDs: .*\n)?Process Group PGID: \d+(?:\n<\/untrusted_context>)?(?:\n\n\[System\] Tool input parameters .*)?\s*$/;

function exitOf(text: string): Pick<ToolResult, "outcome" | "exitCode"> {
  const found = TRAILER.exec(text);
  if (found === null) return { outcome: "unknown" };
  const [, error, code, signal] = found;
  if (signal !== undefined) return { outcome: "failed" };
  return exitResult(error === undefined || code !== undefined ? Number(code ?? 0) : undefined);
}

function contentParts(content: unknown): ToolResult["parts"] {
  if (typeof content === "string") return textParts(content);
  const all = Array.isArray(content) ? content : isObject(content) ? [content] : [];
  return all.map((part) => {
    const { text, inlineData } = asObject(part);
    const { mimeType, data } = asObject(inlineData);
    if (typeof text === "string") return { kind: "text", text };
    return partOfBlock(typeof data === "string" ? { type: "image", data, mimeType: asString(mimeType) } : part);
  });
}

function textParts(text: unknown): ToolResult["parts"] {
  return typeof text === "string" && text !== "" ? [{ kind: "text", text }] : [];
}

function answer(event: HookEvent, reply: HookReply): JsonObject {
  const shown = reply.shown === undefined || reply.shown === "" ? {} : { systemMessage: reply.shown };
  switch (reply.kind) {
    case "refuse":
      // Ending the turn leaves the model no reason to read; the person sees it.
      if (reply.endTurn === true) return { continue: false, stopReason: reply.why, ...shown };
      return { decision: "deny", reason: reply.why, ...shown };
    case "replace":
      // A replaced result carries no context.
      return { decision: "deny", reason: joinTexts([reply.text, reply.context]), ...shown };
    case "pass":
      return { ...shown, ...specificOutput(event, reply) };
  }
}

function specificOutput(
  event: HookEvent,
  { context, input, prompt }: Extract<HookReply, { kind: "pass" }>,
): JsonObject {
  const more = (hookEventName: string, output: JsonObject) => ({ hookSpecificOutput: { hookEventName, ...output } });
  const said = context === undefined || context === "" ? undefined : { additionalContext: context };
  switch (event.kind) {
    case "message":
      return said === undefined ? {} : more("BeforeAgent", said);
    case "result":
      return said === undefined ? {} : more("AfterTool", said);
    case "call":
      return input === undefined ? {} : more("BeforeTool", { tool_input: input });
    case "request":
      // With a single message Gemini CLI changes only the first text of the request, and not its own history.
      if (prompt === undefined) return {};
      return more("BeforeModel", {
        llm_request: { messages: [{ role: "user", content: `${prompt}\n\n${event.opening}` }] },
      });
    default:
      return {};
  }
}

function failure(given: unknown, cause: string): JsonObject {
  const text = `Conduct could not handle this: ${cause}.`;
  switch (asObject(given).hook_event_name) {
    case "BeforeAgent":
      return { decision: "deny", reason: `${text} The message was not sent. A person can run: conduct doctor` };
    case "AfterTool":
      return { decision: "deny", reason: `${text} The call has run; its result is withheld. Tell the operator.` };
    case "BeforeModel":
    case "AfterAgent":
    case "SessionStart":
    case "SessionEnd":
      return { systemMessage: text };
    default:
      return { decision: "deny", reason: `${text} The call did not run.\nNext: stop and tell the operator.` };
  }
}
