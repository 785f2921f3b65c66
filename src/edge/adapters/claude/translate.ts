import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import { asObject, parseObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Advice, Decision, Denial } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import { DIRECTIVES } from "../../../behavior/policy/builtin/requirements.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { Delivered } from "../../../engine/moments/session.ts";
import { type Rewritten, rewriteInput } from "../rewrite-input.ts";
import type { HookAnswer, PostToolUse, PreToolUse, Stop, ToolEvent, UserPromptSubmit } from "./native.ts";
import type { ResultShape } from "./result-shape.ts";
import { carriersOf, mapTool, type Place } from "./tool-map.ts";

/** A native call as the engine takes it. */
export function toCall(event: ToolEvent, step: string, more: Omit<Place, "cwd"> = {}): CallInput {
  const place = { cwd: event.cwd, ...more };
  const mapped = mapTool(event.tool_name, event.tool_input, place, event.mcp_server);
  return { id: event.tool_use_id, step, ...mapped };
}

/** Equal for two reports of one call unless its input was changed in between. */
export function callKey({ tool, args }: Pick<CallInput, "tool" | "args">): string {
  return canonicalJson([tool, args]);
}

/**
 * The modes in which the runtime puts a question to a person. In the others it answers by itself, so that a question
 * has to be a denial there.
 */
const ASKING_MODES = new Set(["default", "acceptEdits", "plan"]);

export function canAsk({ permission_mode = "default" }: Pick<PreToolUse, "permission_mode">, asker: boolean): boolean {
  return asker && ASKING_MODES.has(permission_mode);
}

/** What rules have made of the native input of a call that was not denied; `undefined` when they left it alone. */
export function rewrittenInput(event: ToolEvent, call: CallInput, decision: Decision): Rewritten | undefined {
  if (decision.kind === "deny" || decision.input === undefined) return undefined;
  return rewriteInput(asObject(event.tool_input), call.args, decision.input, carriersOf(event.tool_name, call));
}

/** An allow says nothing but its advice and the input as rewritten: the runtime's own permission rules still hold. */
export function fromDecision(
  decision: Decision,
  { asks, own, input }: { asks: boolean; own: boolean; input?: JsonObject | undefined },
): HookAnswer {
  const rewritten = input === undefined ? {} : { updatedInput: { ...input } };
  switch (decision.kind) {
    case "allow":
      return advised(decision.advice, own, rewritten);
    case "deny":
      return { ...(decision.endTurn ? endTurn(decision) : {}), ...denied(renderDenial(decision)) };
    case "ask":
      return asks ? asked(`${decision.question} (${decision.approval})`, rewritten) : denied(renderQuestion(decision));
  }
}

/** A call that could not be checked at all. */
export function fromFault(error: unknown): HookAnswer {
  const message = error instanceof Error ? error.message : String(error);
  return denied(
    `Denied by conduct: This call could not be checked (${message}), so it did not run.\nNext: Tell the operator that Conduct failed.`,
  );
}

function endTurn({ rule }: Denial): HookAnswer {
  return { continue: false, stopReason: `Conduct ended the turn: '${rule}' was refused too often.` };
}

export function denied(reason: string): HookAnswer {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  };
}

type Updated = { readonly updatedInput?: Record<string, unknown> };

function asked(question: string, rewritten: Updated): HookAnswer {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "ask",
      permissionDecisionReason: question,
      ...rewritten,
    },
  };
}

/** Conduct's own tools need no permission. */
function advised(advice: readonly Advice[], own: boolean, rewritten: Updated): HookAnswer {
  if (advice.length === 0 && !own && rewritten.updatedInput === undefined) return {};
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      ...rewritten,
      ...(own ? { permissionDecision: "allow" as const } : {}),
      ...(advice.length === 0 ? {} : { additionalContext: advice.map(({ text }) => text).join("\n") }),
    },
  };
}

/** The runtime gives the structured content of an MCP tool as a text by itself; plain text comes as a list of blocks. */
export function requirementsIn({ tool_name, tool_response }: PostToolUse): { readonly requirements?: unknown } {
  if (!tool_name.startsWith("mcp__") || typeof tool_response !== "string") return {};
  const { [DIRECTIVES]: requirements } = parseObject(tool_response) ?? {};
  return requirements === undefined ? {} : { requirements };
}

/** What replaces the runtime's own result, if anything does, and the feedback beside it. */
export function fromDelivered({ result, changed, feedback }: Delivered, shape: ResultShape): HookAnswer {
  const replaced = changed && shape.replace !== undefined ? { updatedToolOutput: shape.replace(result.parts) } : {};
  const context = feedback === undefined ? {} : { additionalContext: feedback };
  if (Object.keys(replaced).length + Object.keys(context).length === 0) return {};
  return { hookSpecificOutput: { hookEventName: "PostToolUse", ...replaced, ...context } };
}

/** Text for the model beside an event; nothing when there is none. */
export function withContext(
  hookEventName: "PostToolUseFailure" | "PostToolBatch" | "UserPromptSubmit" | "SubagentStart" | "SessionStart",
  text: string | undefined,
): HookAnswer {
  return text === undefined || text === "" ? {} : { hookSpecificOutput: { hookEventName, additionalContext: text } };
}

export function fromStop(decision: StopDecision): HookAnswer {
  return decision.done ? {} : { decision: "block", reason: decision.feedback };
}

/** Is the agent only waiting for a subagent that will wake it? Then this is a pause, and the real stop comes later. */
export function isPause({ background_tasks = [] }: Pick<Stop, "background_tasks">): boolean {
  return background_tasks.some(({ type }) => type === "subagent");
}

/** The runtime also submits its own notices as prompts, in the middle of a turn; they are nobody's message. */
export function isMessage({ prompt, source = "sdk" }: Pick<UserPromptSubmit, "prompt" | "source">): boolean {
  return (source === "sdk" || source === "user") && !prompt.startsWith("<task-notification>");
}
