import { canonicalJson } from "../../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { asObject, parseObject } from "../../../../base/kernel/json.ts";
import type { CallInput } from "../../../../base/words/call.ts";
import type { Decision } from "../../../../base/words/decision.ts";
import type { Sender } from "../../../../base/words/hosting/channel.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { StopDecision } from "../../../../behavior/completion/decide-stop.ts";
import { renderDenial, renderQuestion } from "../../../../behavior/policy/render-denial.ts";
import type { Delivered } from "../../../../engine/moments/result.ts";
import { joinTexts } from "../content.ts";
import { type Rewritten, rewriteInput } from "../tool-args.ts";
import type { HookAnswer, PostToolUse, PreToolUse, Stop, ToolEvent, UserPromptSubmit } from "./native.ts";
import type { ResultShape } from "./result-shape.ts";
import { carriersOf, mapTool, type Place } from "./tool-map.ts";

/** The sender of a message that no person wrote: it has no rights. */
export const NOBODY: Sender = { role: "viewer" };

export function toCall(event: ToolEvent, step: string, more: Omit<Place, "cwd"> = {}): CallInput {
  const mapped = mapTool(event.tool_name, event.tool_input, { cwd: event.cwd, ...more }, event.mcp_server);
  return { id: event.tool_use_id, step, ...mapped };
}

/** Equal for two reports of one call, unless its input was changed in between. */
export function callKey({ tool, args }: Pick<CallInput, "tool" | "args">): string {
  return canonicalJson([tool, args]);
}

/** In other permission modes the runtime answers questions by itself, so a question must be a denial there. */
const ASKING_MODES = ["default", "acceptEdits", "plan"];

/** Will the runtime ask a person? `more`: further modes in which it does. */
export function canAsk(
  { permission_mode = "default" }: Pick<PreToolUse, "permission_mode">,
  asker: boolean,
  more: readonly string[] = [],
): boolean {
  return asker && [...ASKING_MODES, ...more].includes(permission_mode);
}

/** The native input as rewritten by rules; no `input` if unchanged. */
export function rewrittenInput(
  event: ToolEvent,
  call: CallInput,
  decision: Decision,
): Rewritten | { readonly input: undefined } {
  if (decision.kind === "deny" || decision.input === undefined) return { input: undefined };
  return rewriteInput(asObject(event.tool_input), call.args, decision.input, carriersOf(event.tool_name, call));
}

/** An allow answers only with advice and rewritten input: the runtime's own permission rules stay in force. */
export function fromDecision(
  decision: Decision,
  { asks, own, input }: { asks: boolean; own: boolean; input?: JsonObject },
): HookAnswer {
  const rewritten = input === undefined ? {} : { updatedInput: { ...input } };
  switch (decision.kind) {
    case "allow": {
      const advice = decision.advice.map(({ text }) => text).join("\n");
      if (advice === "" && !own && input === undefined) return {};
      // Conduct's own tools need no permission.
      const permitted = own ? { permissionDecision: "allow" as const } : {};
      const advised = advice === "" ? {} : { additionalContext: advice };
      return { hookSpecificOutput: { hookEventName: "PreToolUse", ...rewritten, ...permitted, ...advised } };
    }
    case "deny": {
      const stopReason = `Conduct ended the turn: '${decision.rule}' was refused too often.`;
      return { ...(decision.endTurn ? { continue: false, stopReason } : {}), ...denied(renderDenial(decision)) };
    }
    case "ask":
      if (!asks) return denied(renderQuestion(decision));
      return permission("ask", `${withId(decision)}${alwaysHint(decision)}`, rewritten);
  }
}

/** A question with several lines ends with a diff. */
function withId({ question, approval }: Extract<Decision, { kind: "ask" }>): string {
  return `${question}${question.includes("\n") ? "\n" : " "}(${approval})`;
}

/** The runtime's own question has no such button. */
function alwaysHint({ remember, answer }: Extract<Decision, { kind: "ask" }>): string {
  return remember === true && answer !== undefined ? `\nTo allow it for this session: ${answer} --always` : "";
}

export function fromFault(error: unknown): HookAnswer {
  return denied(
    `Denied by conduct: This call could not be checked (${errorText(error)}), so it did not run.\nNext: Tell the operator that Conduct failed.`,
  );
}

export function denied(reason: string): HookAnswer {
  return permission("deny", reason);
}

function permission(permissionDecision: "deny" | "ask", permissionDecisionReason: string, more = {}): HookAnswer {
  return {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason, ...more },
  };
}

/** Structured content of an MCP tool arrives as one text; plain text arrives as a list of blocks. */
export function structuredOf({ tool_name, tool_response }: PostToolUse): JsonObject | undefined {
  return tool_name.startsWith("mcp__") && typeof tool_response === "string" ? parseObject(tool_response) : undefined;
}

/** The replacement of the runtime's result, if there is one, and feedback. */
export function fromDelivered({ result, changed, feedback }: Delivered, shape: ResultShape): HookAnswer {
  const replaced = changed && shape.replace !== undefined ? { updatedToolOutput: shape.replace(result.parts) } : {};
  const context = feedback === undefined ? {} : { additionalContext: feedback };
  if (Object.keys(replaced).length + Object.keys(context).length === 0) return {};
  return { hookSpecificOutput: { hookEventName: "PostToolUse", ...replaced, ...context } };
}

/** Text for the model next to an event. */
export function withContext(
  hookEventName: "PostToolUseFailure" | "PostToolBatch" | "UserPromptSubmit" | "SubagentStart" | "SessionStart",
  text: string | undefined,
): HookAnswer {
  return text === undefined || text === "" ? {} : { hookSpecificOutput: { hookEventName, additionalContext: text } };
}

export function fromStop(decision: StopDecision): HookAnswer {
  return decision.done ? {} : { decision: "block", reason: decision.feedback };
}

/** The agent only waits for a subagent that will wake it: the real stop comes later. */
export function isPause({ background_tasks = [] }: Pick<Stop, "background_tasks">): boolean {
  return background_tasks.some(({ type }) => type === "subagent");
}

/** The runtime also submits its own notices as prompts in the middle of a turn; they are no messages. */
export function isMessage({ prompt, source = "sdk" }: Pick<UserPromptSubmit, "prompt" | "source">): boolean {
  return (source === "sdk" || source === "user") && !prompt.startsWith("<task-notification>");
}

/** The answer with texts for the person; the model never sees them. */
export function withShown(answer: HookAnswer, texts: readonly (string | undefined)[]): HookAnswer {
  const systemMessage = joinTexts(texts);
  return systemMessage === "" ? answer : { ...answer, systemMessage };
}

/** Answers a message without the model, and leaves no trace of it in the conversation. */
export function replyWith(texts: readonly string[]): HookAnswer & { readonly reason: string } {
  const hookSpecificOutput = { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true } as const;
  return { decision: "block", reason: texts.join("\n"), hookSpecificOutput };
}
