import type { Exhausted } from "../../base/words/budget.ts";
import type { CompletionChecker, CompletionContext, CompletionResult } from "../../base/words/hosting/completion.ts";
import { decideStop, runChecker, type StopDecision } from "../../behavior/completion/decide-stop.ts";
import { turnSlice } from "../../behavior/session/session-identity.ts";
import { emit, observingOf, overLimit, type SessionContext, viewOf } from "../session/session-context.ts";
import type { StopRequest } from "../session/session-options.ts";
import { cancelOpenCalls, endStepFirst } from "../session/steps.ts";

/** Default maximum of refused stops per turn; the agent or its runtime may set less. */
export const STOP_BOUND = 5;
const COMPLETION_MS = 120_000;

const MAX_TIMER_MS = 2_147_483_647;

/** Runs the checker within its timeout. Skipped when time or budget is used up: the agent could not continue. */
async function gatherForStop(
  checker: CompletionChecker | undefined,
  context: Omit<CompletionContext, "signal">,
  exhausted: Exhausted | undefined,
  limitMs: number,
): Promise<CompletionResult | undefined> {
  if (checker === undefined || exhausted !== undefined) return undefined;
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new DOMException(`no answer after ${limitMs} ms`, "TimeoutError")),
    Math.min(limitMs, MAX_TIMER_MS),
  );
  try {
    return await runChecker(checker, { ...context, signal: late.signal });
  } finally {
    clearTimeout(timer);
    late.abort();
  }
}

/** The `stop` moment: decides whether the agent is done. Refusals are counted so that the turn ends eventually. */
export async function onStop(context: SessionContext, request: StopRequest = {}): Promise<StopDecision> {
  const closed = endStepFirst(context);
  const { completion, limits } = context.compiled.agent;
  const over = completion === undefined ? undefined : overLimit(context, { calls: 1 });
  const { filesystem, commands } = context.ports;
  const { adapter } = context;
  const asked = { tentativeOutput: request.output, stopReason: request.reason };
  const given = { session: viewOf(context), filesystem, commands, adapter, ...asked };
  // Work may be complete with exactly the budget used; beyond it, or past the deadline, no checker runs.
  const beyond = completion === undefined ? undefined : overLimit(context, {});
  const result = await gatherForStop(completion, given, beyond, limits.completionMs ?? COMPLETION_MS);
  const bound = Math.min(limits.stops ?? STOP_BOUND, request.bound ?? Number.POSITIVE_INFINITY);
  const turn = context.slices.get(turnSlice);
  const decision = decideStop({ refusals: turn.refusals, bound, result, exhausted: over });
  const passes = decision.done || observingOf(context) !== undefined;
  context.clock.atOnce(() => {
    if (passes) cancelOpenCalls(context);
    else context.slices = context.slices.with(turnSlice, { ...turn, refusals: turn.refusals + 1 });
    emit(context, {
      type: "stop",
      status: decision.done ? decision.status : "refused",
      refusals: context.slices.get(turnSlice).refusals,
      bound,
      feedback: decision.feedback,
      why: decision.done ? decision.why : undefined,
      ...closed,
    });
  });
  return passes && !decision.done ? { done: true, status: "incomplete" } : decision;
}
