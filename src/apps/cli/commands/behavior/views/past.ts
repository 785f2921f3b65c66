import type { ContractEvent, ContractView } from "../../../../../base/words/contract.ts";
import { contractFor } from "../../../../../behavior/contract/active-contract.ts";
import {
  applyEvent,
  type ContractState,
  EMPTY_CONTRACT,
  foldContract,
} from "../../../../../behavior/contract/contract-state.ts";
import type { ContractService } from "../../../../../engine/governance/contract-service.ts";

/** A point of the contract's life: after a change, or at a time. */
export type Point = { readonly seq: number } | { readonly at: number };

/** All scopes as they were then, and the time that it was. Only where the state has no fault. */
export async function pastState(
  service: ContractService,
  point: Point,
): Promise<{ readonly state: ContractState; readonly now: number }> {
  const events = await wholeHistory(service);
  // A clock that was set back must not make a hole in the row of events.
  const last = events.findLastIndex((event) => ("seq" in point ? event.seq <= point.seq : event.at <= point.at));
  const past = events.slice(0, last + 1);
  return { state: foldContract(past), now: "at" in point ? point.at : (past.at(-1)?.at ?? 0) };
}

/** The versions whose lines had this hash for the view, the oldest first; the first digits are enough. */
export async function versionsOf(
  service: ContractService,
  hash: string,
  view: ContractView,
): Promise<readonly number[]> {
  const found = new Set<number>();
  let state = EMPTY_CONTRACT;
  for (const event of await wholeHistory(service)) {
    state = applyEvent(state, event);
    const contract = contractFor(state, view, event.at);
    if (contract.hash.startsWith(hash)) found.add(contract.version);
  }
  return [...found];
}

/** Every change, the oldest first. */
export async function wholeHistory(service: ContractService): Promise<readonly ContractEvent[]> {
  return [...(await service.events({ limit: Number.POSITIVE_INFINITY }))].reverse();
}
