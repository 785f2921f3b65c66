import { errorText } from "../../base/kernel/error-text.ts";
import type { CompletionChecker, CompletionContext, CompletionResult } from "../../base/words/hosting/completion.ts";

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
  return notVerified("the check gave no answer that can be read");
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
