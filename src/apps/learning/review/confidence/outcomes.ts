import type { ContractState } from "../../../../behavior/contract/contract-state.ts";

/** A candidate that was decided on: how sure the reviewer was by itself, and whether people wanted it. */
export type DecidedOutcome = { readonly pattern: string; readonly raw: number; readonly promoted: boolean };

/**
 * What became of candidates of the review, the oldest first. One that was promoted in other words was right, only badly put; one
 * that expired was never decided on.
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
