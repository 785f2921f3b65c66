import { formatDuration } from "../../base/kernel/duration.ts";
import { neutraliseTags } from "../../base/kernel/text.ts";
import type { Exhausted } from "../../base/words/budget.ts";
import type { CompletionResult } from "../../base/words/hosting/completion.ts";

/** `result` is absent without a checker, or if `exhausted` skipped it. `refusals` counts those of this turn. */
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

/** Refuses a stop while the work is incomplete, within the bound and while time and budget last. */
export function decideStop({ result, refusals, bound, exhausted }: StopInput): StopDecision {
  if (result?.complete === true) return { done: true, status: "complete", why: result.note };
  const feedback = result?.feedback?.trim() ? neutraliseTags(result.feedback) : undefined;
  if (exhausted !== undefined) return { done: true, status: "bypassed", why: exhaustedText(exhausted), feedback };
  if (result === undefined) return { done: true, status: "complete" };
  // A bound of NaN ends the loop too.
  if (!(refusals < bound)) {
    const why = `Still incomplete after ${refusals} refused ${refusals === 1 ? "stop" : "stops"}; the bound is ${bound}.`;
    return { done: true, status: "incomplete", why, feedback };
  }
  return { done: false, feedback: feedback ?? DEFAULT_FEEDBACK };
}

function exhaustedText({ what, limit, used }: Exhausted): string {
  if (what === "deadline") return "Completion was not enforced: the deadline has passed.";
  const show = what === "time" ? formatDuration : String;
  return `Completion was not enforced: the budget for ${what} is used up (${show(used)} of ${show(limit)}).`;
}
