import { formatDuration } from "../../base/kernel/duration.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import { neutraliseTags } from "../../base/kernel/text.ts";
import type { Exhausted } from "../../base/words/budget.ts";
import type { CompletionChecker, CompletionContext, CompletionResult } from "../../base/words/hosting/completion.ts";

/** `result` is absent without a checker, or if `exhausted` skipped it. `refusals` counts those of this turn. */
type StopInput = {
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

/** `session's budget for input tokens is used up (120 of 100; limits.session.inputTokens)` */
export function usedUp({ what, limit, used, scope = "session" }: Exhausted): string {
  const whose = `${scope}'s`;
  if (what === "deadline")
    return `${whose} deadline passed ${formatDuration(used - limit)} ago (limits.${scope}.deadline)`;
  const show = what === "time" ? formatDuration : String;
  const name = what.replace("Tokens", " tokens");
  return `${whose} budget for ${name} is used up (${show(used)} of ${show(limit)}; limits.${scope}.${what})`;
}

function exhaustedText(limit: Exhausted): string {
  return `Completion was not enforced: the ${usedUp(limit)}.`;
}

/** A checker that throws, returns nonsense or is aborted by `context.signal` counts as incomplete. Never rejects. */
export async function runChecker(checker: CompletionChecker, context: CompletionContext): Promise<CompletionResult> {
  const { signal } = context;
  const aborted = Promise.withResolvers<CompletionResult>();
  const onAbort = () => aborted.resolve(notVerified(abortText(signal.reason)));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await (signal.aborted ? aborted.promise : Promise.race([answer(checker, context), aborted.promise]));
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function answer(checker: CompletionChecker, context: CompletionContext): Promise<CompletionResult> {
  try {
    return readResult(await checker.check(context));
  } catch (error) {
    return notVerified(`the check failed: ${errorText(error)}`);
  }
}

/** Checkers are foreign code: only `true` counts as complete, not any truthy value. */
function readResult(result: CompletionResult | undefined | null): CompletionResult {
  if (result?.complete === true) return ok(textOf(result.note));
  if (result?.complete === false) return incomplete(textOf(result.feedback));
  return notVerified("the check returned no valid result");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function notVerified(why: string): CompletionResult {
  return incomplete(`Completion could not be verified, so the work counts as not done: ${why}.`);
}

function abortText(reason: unknown): string {
  if (!(reason instanceof Error) || reason.name === "AbortError") return "the check was cancelled";
  return reason.name === "TimeoutError" ? "the check ran out of time" : `the check was stopped: ${errorText(reason)}`;
}

/** The work is done. The agent does not see `note`. */
export function ok(note?: string): CompletionResult {
  return { complete: true, note };
}

/** The work is not done. `feedback` tells the agent what is left. */
export function incomplete(feedback?: string): CompletionResult {
  return { complete: false, feedback };
}
