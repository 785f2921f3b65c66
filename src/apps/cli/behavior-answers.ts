import type { ContractState } from "../../behavior/contract/contract-state.ts";
import type { NextAction, Outcome } from "./outcome.ts";

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

/** A command line that was understood, with a value that was not. */
export function badArgument(message: string, fix: string, code = "BAD_ARGUMENT"): Wrong {
  return { ok: false, code, message, fix, next: [], exitCode: 2 };
}

/** What is said when the journal cannot be relied on to its end. `result`: what was last known to be good. */
export function damaged(fault: NonNullable<ContractState["fault"]>, result?: unknown): Wrong {
  const message = `the stored contract cannot be trusted: ${fault.message}`;
  const fix = "what was in force before stays so, and nothing is written until it is repaired: conduct journal verify";
  const shown = result === undefined ? {} : { result };
  return { ok: false, code: "GATEWAY_BEHAVIOR_FAILED", message, fix, ...shown, next: [VERIFY] };
}
