import type {
  ActiveBehaviorContract,
  BehaviorDirective,
  Candidate,
  ContractEvent,
  ContractScope,
  ContractView,
} from "../../../../base/words/contract.ts";
import {
  type ContractPoint,
  contractFor,
  contractLines,
  eventsUntil,
  renderContract,
} from "../../../../behavior/contract/active-contract.ts";
import {
  allDirectives,
  applyEvent,
  type ContractState,
  candidateAt,
  EMPTY_CONTRACT,
  foldContract,
  isOpen,
} from "../../../../behavior/contract/contract-state.ts";
import { isOver } from "../../../../behavior/contract/iso-time.ts";
import { rankOf, scopesOf, viewOf } from "../../../../behavior/contract/scopes.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";

type ShownContract = ActiveBehaviorContract & { readonly block: string };

/**
 * The contract in force for a view. Without a view, the contract for all sessions; `scopes` then has one entry per
 * other scope, as a session in that scope alone sees it.
 */
export type ShownContracts = ShownContract & {
  readonly view: ContractView;
  readonly scopes?: readonly (ShownContract & { readonly scope: ContractScope })[];
  readonly candidates: readonly Candidate[];
};

export function contractsOf(state: ContractState, view: ContractView, now: number): ShownContracts {
  const shown = (of: ContractView): ShownContract => {
    const contract = contractFor(state, of, now);
    return { ...contract, block: renderContract(contract) };
  };
  const { version, generatedAt, hash, directives, block } = shown(view);
  const narrower = [...state.scopes]
    .filter(([, own]) => own.directives.some(({ expiresAt }) => !isOver(expiresAt, now)))
    .map(([scope]) => scope as ContractScope)
    .filter((scope) => scope !== "global")
    .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  const scopes = isWhole(view) ? narrower.map((scope) => ({ scope, ...shown(viewOf(scope)) })) : undefined;
  return { version, generatedAt, hash, view, directives, block, scopes, candidates: openCandidates(state, now) };
}

/** True if the view names no agent, channel or user. */
export function isWhole(view: ContractView): boolean {
  return scopesOf(view).length === 1;
}

/** Directives added and removed in every scope, compared by content and not by id. */
export function changedDirectives(
  before: ContractState,
  after: ContractState,
): { readonly added: readonly BehaviorDirective[]; readonly removed: readonly BehaviorDirective[] } {
  const byLine = (state: ContractState) =>
    new Map(allDirectives(state).map((one) => [`${one.scope} ${contractLines([one])}`, one]));
  const [old, now] = [byLine(before), byLine(after)];
  return {
    added: [...now].flatMap(([line, one]) => (old.has(line) ? [] : [one])),
    removed: [...old].flatMap(([line, one]) => (now.has(line) ? [] : [one])),
  };
}

/** Candidates that can be decided on, the oldest first. */
function openCandidates(state: ContractState, now: number): readonly Candidate[] {
  return [...state.candidates]
    .map(([, candidate]) => candidateAt(candidate, now))
    .filter((candidate) => isOpen(candidate) && !isOver(candidate.expiresAt, now))
    .sort((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? -1 : 1));
}

/** All scopes at that point, and its time. Only for a state without faults. */
export async function pastState(
  service: ContractService,
  point: ContractPoint,
): Promise<{ readonly state: ContractState; readonly now: number }> {
  const past = eventsUntil(await wholeHistory(service), point);
  return { state: foldContract(past), now: "at" in point ? point.at : (past.at(-1)?.at ?? 0) };
}

/** The versions with this hash for the view, the oldest first; a prefix of the hash is enough. */
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
