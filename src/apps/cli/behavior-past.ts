import { type ContractState, foldContract } from "../../behavior/contract/contract-state.ts";
import type { ContractService } from "../../engine/governance/contract-service.ts";

/** A point of the contract's life: after a change, or at a time. */
export type Point = { readonly seq: number } | { readonly at: number };

/** All scopes as they were then, and the time that it was. Only where the state has no fault. */
export async function pastState(
  service: ContractService,
  point: Point,
): Promise<{ readonly state: ContractState; readonly now: number }> {
  const events = [...(await service.events({ limit: Number.POSITIVE_INFINITY }))].reverse();
  // A clock that was set back must not make a hole in the row of events.
  const last = events.findLastIndex((event) => ("seq" in point ? event.seq <= point.seq : event.at <= point.at));
  const past = events.slice(0, last + 1);
  return { state: foldContract(past), now: "at" in point ? point.at : (past.at(-1)?.at ?? 0) };
}
