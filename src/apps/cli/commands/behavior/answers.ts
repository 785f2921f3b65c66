import type { ContractState } from "../../../../behavior/contract/contract-state.ts";
import type { NextAction, Outcome } from "../../line/outcome.ts";

export type Wrong = Extract<Outcome, { readonly ok: false }>;

export const LIST: NextAction = { command: "conduct behavior list", description: "Show the contract as it is" };
export const HISTORY: NextAction = {
  command: "conduct behavior history",
  description: "What was changed, when and by whom",
};
export const VERIFY: NextAction = {
  command: "conduct journal verify",
  description: "See whether the journal is whole",
};

const REPAIR: NextAction = {
  command: "conduct journal repair --dry-run",
  description: "See what a repair would come to",
};

/** A command line that was understood, with a value that was not. */
export function badArgument(message: string, fix: string, code = "BAD_ARGUMENT"): Wrong {
  return { ok: false, code, message, fix, next: [], exitCode: 2 };
}

/** What is said when the journal cannot be relied on to its end. `result`: what was last known to be good. */
export function damaged(fault: NonNullable<ContractState["fault"]>, result?: unknown): Wrong {
  const message = `the governance journal is damaged: ${fault.message}`;
  const fix = "nothing is written and every call is denied until it is repaired: conduct journal repair";
  const shown = result === undefined ? {} : { result };
  return { ok: false, code: "GATEWAY_BEHAVIOR_FAILED", message, fix, ...shown, next: [VERIFY, REPAIR] };
}
