import type {
  ActiveBehaviorContract,
  BehaviorDirective,
  ContractEvent,
  ContractView,
} from "../../base/words/contract.ts";
import { type ContractState, foldContract } from "./contract-state.ts";
import { isOver, isoTime } from "./iso-time.ts";
import { comparisonKey } from "./parse/comparison-key.ts";
import { contractLines, hashLines } from "./render-contract.ts";
import { scopesOf } from "./scopes.ts";

/**
 * The directives in force for a view at a time: wider scopes first, then the older. What is over is left out from that
 * moment on, under the same version until the expiry is written down. What two scopes say stands once.
 */
export function contractFor(state: ContractState, view: ContractView, now: number): ActiveBehaviorContract {
  const scopes = scopesOf(view).flatMap((scope) => state.scopes.get(scope) ?? []);
  const newest = scopes.reduce((a, b) => (b.version > a.version ? b : a), { version: 0, at: 0 });
  const directives = sayOnce(
    scopes.flatMap((scope) => scope.directives).filter(({ expiresAt }) => !isOver(expiresAt, now)),
  );
  const hash = hashLines(contractLines(directives));
  return { version: newest.version, generatedAt: isoTime(newest.at), directives, hash };
}

/** The contract as it was: after the event of that sequence, or at that time. Events in their order. */
export function contractAt(
  events: readonly ContractEvent[],
  point: { readonly seq: number } | { readonly at: number },
  view: ContractView,
): ActiveBehaviorContract {
  // A clock that was set back must not make a hole in the row of events.
  const last = events.findLastIndex((event) => ("seq" in point ? event.seq <= point.seq : event.at <= point.at));
  const past = events.slice(0, last + 1);
  const now = "at" in point ? point.at : (past.at(-1)?.at ?? 0);
  return contractFor(foldContract(past), view, now);
}

function sayOnce(directives: readonly BehaviorDirective[]): readonly BehaviorDirective[] {
  const said = new Set<string>();
  return directives.filter(({ type, text }) => {
    const same = `${type} ${comparisonKey(text)}`;
    if (said.has(same)) return false;
    said.add(same);
    return true;
  });
}
