import type { ContractState } from "../../../../behavior/contract/contract-state.ts";

/** A decided candidate: the reviewer's raw confidence, and whether it was promoted. */
export type DecidedOutcome = { readonly pattern: string; readonly raw: number; readonly promoted: boolean };

/**
 * Outcomes of the review's candidates, oldest first. A candidate promoted with another wording counts as right; an
 * expired one was never decided.
 */
export function decidedOutcomes({ candidates }: ContractState): readonly DecidedOutcome[] {
  return [...candidates]
    .map(([, candidate]) => candidate)
    .filter(({ status }) => status === "promoted" || status === "rejected")
    .sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1))
    .flatMap(({ origin, status }) =>
      origin?.raw === undefined ? [] : [{ pattern: origin.pattern, raw: origin.raw, promoted: status === "promoted" }],
    );
}
