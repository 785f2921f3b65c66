import type { CompletionResult } from "../../base/words/hosting/completion.ts";

/** The work is done. `note` is for the record, not for the agent. */
export function ok(note?: string): CompletionResult {
  return note === undefined ? { complete: true } : { complete: true, note };
}

/** The work is not done. `feedback` tells the agent what is left; without it the stop is refused all the same. */
export function incomplete(feedback?: string): CompletionResult {
  return feedback === undefined ? { complete: false } : { complete: false, feedback };
}
