import { formatDuration } from "../../base/kernel/duration.ts";
import { neutraliseTags } from "../../base/kernel/text.ts";
import type { Exhausted } from "../../base/words/budget.ts";
import type { CompletionResult } from "../../base/words/hosting/completion.ts";

/**
 * `result` is absent when there is no checker, or when it was not asked because of `exhausted`; an agent without a checker
 * bypasses nothing, so its engine leaves `exhausted` out. `refusals` counts those of this turn.
 */
export type StopInput = {
  readonly result?: CompletionResult;
  readonly refusals: number;
  readonly bound: number;
  readonly exhausted?: Exhausted;
};

/** `why` is for the operator, `feedback` for the agent. */
export type StopDecision =
  | {
      readonly done: true;
      readonly status: "complete" | "incomplete" | "bypassed";
      readonly why?: string;
      readonly feedback?: string;
    }
  | { readonly done: false; readonly feedback: string };

const DEFAULT_FEEDBACK = "The work is not complete yet. Continue, and finish what is left before you stop.";

/** Is it done? A stop is refused while the work is incomplete, but never beyond the bound and never out of time or budget. */
export function decideStop({ result, refusals, bound, exhausted }: StopInput): StopDecision {
  if (result?.complete === true) {
    return { done: true, status: "complete", ...(result.note !== undefined && { why: result.note }) };
  }
  const text = result?.feedback?.trim() ? { feedback: neutraliseTags(result.feedback) } : {};
  if (exhausted !== undefined) return { done: true, status: "bypassed", why: exhaustedText(exhausted), ...text };
  if (result === undefined) return { done: true, status: "complete" };
  // Written so that a bound that is no number ends the loop too.
  if (!(refusals < bound)) {
    const why = `Still incomplete after ${refusals} refused ${refusals === 1 ? "stop" : "stops"}; the bound is ${bound}.`;
    return { done: true, status: "incomplete", why, ...text };
  }
  return { done: false, feedback: DEFAULT_FEEDBACK, ...text };
}

function exhaustedText({ what, limit, used }: Exhausted): string {
  if (what === "deadline") return "Completion was not enforced: the deadline has passed.";
  const show = what === "time" ? formatDuration : String;
  return `Completion was not enforced: the budget for ${what} is used up (${show(used)} of ${show(limit)}).`;
}
