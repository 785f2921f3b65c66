import type { Exhausted } from "../../base/words/budget.ts";
import type { CompletionChecker, CompletionContext, CompletionResult } from "../../base/words/completion.ts";
import { decideStop, type StopDecision } from "../../behavior/completion/decide-stop.ts";
import { runChecker } from "../../behavior/completion/run-checker.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import { turnSlice } from "../../behavior/session/turn.ts";

/** How often a stop may be refused in one turn, unless the agent or its runtime says less. */
export const STOP_BOUND = 5;
export const COMPLETION_MS = 120_000;

/** Node's timers take no more. */
const MAX_TIMER_MS = 2_147_483_647;

/** Asks the checker within its time. When time or budget is used up it is not asked: there is nothing left to do it with. */
export async function gatherForStop(
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

/** Is it done? A refusal is counted, so that the turn ends some time. */
export function decideOnStop(
  slices: Slices,
  result: CompletionResult | undefined,
  bound: number,
  exhausted: Exhausted | undefined,
): { readonly slices: Slices; readonly decision: StopDecision } {
  const turn = slices.get(turnSlice);
  const decision = decideStop({
    refusals: turn.refusals,
    bound,
    ...(result === undefined ? {} : { result }),
    ...(exhausted === undefined ? {} : { exhausted }),
  });
  const next = decision.done ? slices : slices.with(turnSlice, { ...turn, refusals: turn.refusals + 1 });
  return { slices: next, decision };
}
