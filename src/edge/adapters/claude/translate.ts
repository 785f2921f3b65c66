import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Advice, Decision, Denial } from "../../../base/words/decision.ts";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { Delivered } from "../../../engine/moments/session.ts";
import type { HookAnswer, PreToolUse, Stop, ToolEvent, UserPromptSubmit } from "./native.ts";
import type { ResultShape } from "./result-shape.ts";
import { mapTool } from "./tool-map.ts";

/** A native call as the engine takes it. */
export function toCall(event: ToolEvent, step: string, home?: string): CallInput {
  const place = { cwd: event.cwd, ...(home === undefined ? {} : { home }) };
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

/** An allow says nothing but its advice: the runtime's own permission rules still hold. Conduct's own tools need none. */
export function fromDecision(decision: Decision, { asks, own }: { asks: boolean; own: boolean }): HookAnswer {
  switch (decision.kind) {
    case "allow":
      return advised(decision.advice, own);
    case "deny":
      return { ...(decision.endTurn ? endTurn(decision) : {}), ...denied(renderDenial(decision)) };
    case "ask":
      return asks ? asked(`${decision.question} (${decision.approval})`) : denied(renderQuestion(decision));
  }
}

/** A call that could not be checked at all. */
export function fromFault(error: unknown): HookAnswer {
  const message = error instanceof Error ? error.message : String(error);
  return denied(`Denied by conduct: This call could not be checked (${message}).\nNext: Tell the operator.`);
}

function endTurn({ rule }: Denial): HookAnswer {
  return { continue: false, stopReason: `Conduct ended the turn: '${rule}' was refused too often.` };
}

function denied(reason: string): HookAnswer {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  };
}

function asked(question: string): HookAnswer {
  return {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask", permissionDecisionReason: question },
  };
}

function advised(advice: readonly Advice[], own: boolean): HookAnswer {
  if (advice.length === 0 && !own) return {};
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      ...(own ? { permissionDecision: "allow" as const } : {}),
      ...(advice.length === 0 ? {} : { additionalContext: advice.map(({ text }) => text).join("\n") }),
    },
  };
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
  hookEventName: "PostToolUseFailure" | "PostToolBatch" | "UserPromptSubmit" | "SubagentStart",
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
