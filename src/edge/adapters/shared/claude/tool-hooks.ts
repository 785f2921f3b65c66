import { errorText } from "../../../../base/kernel/error-text.ts";
import { asObject, withDigitsOf } from "../../../../base/kernel/json.ts";
import type { CallInput } from "../../../../base/words/call.ts";
import type { Part } from "../../../../base/words/result.ts";
import { requirementsIn } from "../content.ts";
import { cancelCall, decideInTime } from "../refusals.ts";
import { rewriteRefusal } from "../tool-args.ts";
import type * as hook from "./native.ts";
import type { HookAnswer, HookEvent } from "./native.ts";
import { failureOf, fullOutput, outcomeOf, shapeOf } from "./result-shape.ts";
import { openNextStep, type Scope, type Scopes, stepOf } from "./scopes.ts";
import { isOwn } from "./tool-map.ts";
import {
  callKey,
  denied,
  fromDecision,
  fromDelivered,
  fromFault,
  fromStop,
  isPause,
  rewrittenInput,
  structuredOf,
  toCall,
  withContext,
} from "./translate.ts";

/** The settings in which the SDK and the command line differ; all else is the same. */
export type CallSettings = {
  readonly scopes: Scopes;
  /** Will the runtime put a question about this call to a person? */
  asks(event: hook.PreToolUse): boolean;
  /** How long a call waits for a person whom Conduct asks; by default until the question expires. */
  readonly waitMs?: number;
  /** How long the session may take for a decision, its approver included. No limit by default. */
  readonly limitMs?: number;
  readonly home?: string;
  /** The source of the server with Conduct's own tools; `sdk` is this very process. */
  readonly ownSource: string;
};

/** The moment `call`. */
export async function onPreToolUse(settings: CallSettings, event: hook.PreToolUse): Promise<HookAnswer> {
  const { scopes, limitMs, waitMs, ownSource } = settings;
  try {
    const scope = await scopes.of(event);
    const { session } = scope;
    const call = callOf(settings, scope, event);
    const final = isFinal(scope, event);
    const early = await refuseFinal(scopes, scope, event);
    if (early !== undefined) return denied(early);
    // If the runtime asks the person, Conduct does not ask as well.
    const asks = settings.asks(event);
    const decision = await decideInTime(asks ? session.onCall(call) : session.decide(call, { waitMs }), {
      limitMs,
      giveBack: () => cancelCall(session, call),
    });
    if (decision.kind === "deny" && final) scopes.final = "none";
    // In shadow mode, and while Conduct is paused, nothing is refused.
    const enforces = decision.kind === "allow" && decision.because !== "shadow" && decision.because !== "paused";
    if (final && scope.calls > 0 && enforces) {
      await cancelCall(session, call);
      return denied(ALONE);
    }
    const rewritten = rewrittenInput(event, call, decision);
    if ("cannot" in rewritten) {
      await cancelCall(session, call);
      const reason = rewriteRefusal(call.tool, "Claude", rewritten.cannot);
      scopes.tell("PreToolUse", reason, "rewrite");
      return denied(reason);
    }
    const { input } = rewritten;
    // Nobody was asked, so there is no refusal: the question stays open.
    if (decision.kind === "ask" && !asks) await cancelCall(session, call);
    else if (decision.kind !== "deny") {
      const run = input === undefined ? call : callOf(settings, scope, { ...event, tool_input: input });
      const asked = decision.kind === "ask" ? true : undefined;
      scope.open.set(call.id, { tool: call.tool, key: callKey(run), asked });
    }
    const answered = input && withDigitsOf(asObject(event.tool_input), input);
    return fromDecision(decision, { asks, own: isOwn(event.mcp_server, ownSource), input: answered });
  } catch (error) {
    scopes.tell("PreToolUse", error);
    return fromFault(error);
  }
}

/** The moment `result` of a call that the runtime reports as done. */
export async function onPostToolUse(settings: CallSettings, event: hook.PostToolUse): Promise<HookAnswer> {
  const { scopes } = settings;
  const { tool_name, tool_response } = event;
  try {
    const shape = shapeOf(tool_name, tool_response, tool_name === "Bash" ? await fullOutput(tool_response) : undefined);
    try {
      const scope = await scopes.of(event);
      const call = callOf(settings, scope, event);
      const decided = scope.open.get(call.id);
      scope.open.delete(call.id);
      // Other hooks and the permission callback can change the input after the decision; such a call proves nothing.
      const changed = decided !== undefined && decided.key !== callKey(call);
      const ended = changed ? ({ outcome: "unknown" } as const) : outcomeOf(tool_name, tool_response);
      const requirements = requirementsIn(structuredOf(event));
      const delivered = await scope.session.onResult(call, { ...ended, parts: shape.parts, requirements });
      return fromDelivered(delivered, shape);
    } catch (error) {
      scopes.tell("PostToolUse", error);
      const text = `Conduct withheld this result, because it could not be checked (${errorText(error)}). Tell the operator.`;
      const parts: readonly Part[] = [{ kind: "text", text }];
      return fromDelivered({ result: { outcome: "unknown", parts }, changed: true }, shape);
    }
  } catch (error) {
    // A block would still show the model the result; ending the turn does not.
    return { continue: false, stopReason: `Conduct could not check a result: ${errorText(error)}` };
  }
}

/** The moment `result` of a call that the runtime reports as failed. */
export async function onFailure(settings: CallSettings, event: hook.PostToolUseFailure): Promise<HookAnswer> {
  const scope = await settings.scopes.of(event);
  scope.open.delete(event.tool_use_id);
  const parts: readonly Part[] = [{ kind: "text", text: event.error }];
  const call = callOf(settings, scope, event);
  // The runtime shows the model its own text of a failure, cut at 10,000 characters.
  const { feedback } = await scope.session.onResult(call, { ...failureOf(event), parts }, { replaceable: false });
  return withContext("PostToolUseFailure", feedback);
}

/** The step is over. An allowed call without a result was refused by the runtime or a person. */
export async function onBatch({ scopes }: CallSettings, event: hook.PostToolBatch): Promise<HookAnswer> {
  const scope = await scopes.of(event);
  const feedback: string[] = [];
  for (const { tool_use_id: id, tool_response } of event.tool_calls) {
    feedback.push((await refuse(scopes, event, id, String(tool_response ?? ""))) ?? "");
  }
  openNextStep(scope);
  scope.session.notice({ kind: "step-closed" });
  return withContext("PostToolBatch", feedback.filter((text) => text !== "").join("\n\n"));
}

export async function onPermissionDenied({ scopes }: CallSettings, event: hook.PermissionDenied): Promise<HookAnswer> {
  await refuse(scopes, event, event.tool_use_id, event.reason);
  return {};
}

async function refuse(scopes: Scopes, event: HookEvent, id: string, text: string): Promise<string | undefined> {
  const { open, session } = await scopes.of(event);
  const call = open.get(id);
  if (call === undefined) return undefined;
  open.delete(id);
  const parts = [{ kind: "text", text } as const];
  return (await session.onResult({ id, tool: call.tool }, { outcome: "denied", parts })).feedback;
}

function callOf({ home, ownSource }: CallSettings, scope: Scope, event: hook.PreToolUse): CallInput {
  return toCall(event, stepOf(scope), { home, ownSource });
}

/** A subagent may be continued later, so its session stays open. The completion check is its parent's. */
export async function onSubagentStop(scopes: Scopes, event: HookEvent): Promise<HookAnswer> {
  if (event.agent_id !== undefined) scopes.find(event.agent_id)?.session.notice({ kind: "step-closed" });
  return {};
}

/** After this many refusals in a row the runtime ends the turn itself (`CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`). */
const STOP_CAP = 8;

/** The moment `stop`. The runtime lets a stop pass when its hook fails, so a failure refuses it once here. */
export async function onStop(scopes: Scopes, event: hook.Stop): Promise<HookAnswer> {
  if (isPause(event)) return {};
  const { final } = scopes;
  scopes.final = "none";
  if (final === "checked") return {};
  try {
    const { last_assistant_message: output } = event;
    openNextStep(scopes.main);
    return fromStop(await scopes.main.session.onStop({ reason: "end_turn", bound: STOP_CAP, output }));
  } catch (error) {
    scopes.tell("Stop", error);
    return event.stop_hook_active ? {} : { decision: "block", reason: uncheckedText(error) };
  }
}

function uncheckedText(error: unknown): string {
  return `Conduct could not check whether the work is complete (${errorText(error)}).`;
}

/** A structured output of the main thread ends the turn. */
function isFinal({ name }: Scope, { tool_name }: hook.PreToolUse): boolean {
  return tool_name === "StructuredOutput" && name === "main";
}

/** The runtime fails the query after five failed structured outputs (`MAX_STRUCTURED_OUTPUT_RETRIES`). */
const FINAL_CAP = 4;

/** Evidence of calls next to the structured output would not count yet. */
const ALONE = "Give the structured output by itself, when you have the results of your other calls.";

/**
 * The moment `stop` for a call that ends the turn, because the runtime ignores a refusal at the stop after it. Returns
 * the reason to refuse the call. Counts every other call.
 */
async function refuseFinal(scopes: Scopes, scope: Scope, event: hook.PreToolUse): Promise<string | undefined> {
  if (!isFinal(scope, event)) {
    scope.calls += 1;
    if (scope === scopes.main) scopes.final = "none";
    return undefined;
  }
  if (scope.calls > 0) return undefined;
  const before = scopes.final;
  scopes.final = "checked";
  try {
    const output = JSON.stringify(event.tool_input);
    const { done, feedback } = await scope.session.onStop({ reason: "structured_output", bound: FINAL_CAP, output });
    return done ? undefined : feedback;
  } catch (error) {
    scopes.tell("StructuredOutput", error);
    if (before === "unchecked") return undefined;
    scopes.final = "unchecked";
    return uncheckedText(error);
  }
}
