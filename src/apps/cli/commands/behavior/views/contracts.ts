import type {
  ActiveBehaviorContract,
  BehaviorDirective,
  Candidate,
  ContractScope,
  ContractView,
} from "../../../../../base/words/contract.ts";
import { contractFor } from "../../../../../behavior/contract/active-contract.ts";
import { allDirectives, type ContractState } from "../../../../../behavior/contract/contract-state.ts";
import { candidateAt, isOpen } from "../../../../../behavior/contract/decide/fold-candidates.ts";
import { isOver } from "../../../../../behavior/contract/iso-time.ts";
import { contractLines, renderContract } from "../../../../../behavior/contract/render-contract.ts";
import { rankOf, scopesOf, viewOf } from "../../../../../behavior/contract/scopes.ts";

/** A contract with the block that agents are told. */
type ShownContract = ActiveBehaviorContract & { readonly block: string };

/**
 * What is in force for a view. Without one it is what everybody is told, and `scopes` has every other scope as a session is told
 * that is in that scope alone.
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
  return {
    ...{ version, generatedAt, hash, view, directives, block },
    ...(isWhole(view) ? { scopes: narrower.map((scope) => ({ scope, ...shown(viewOf(scope)) })) } : {}),
    candidates: openCandidates(state, now),
  };
}

/** Nobody in particular is asked about. */
export function isWhole(view: ContractView): boolean {
  return scopesOf(view).length === 1;
}

/** What is told more and no longer, in every scope: of what is told, ids aside. */
export function changedDirectives(
  before: ContractState,
  after: ContractState,
): { readonly added: readonly BehaviorDirective[]; readonly removed: readonly BehaviorDirective[] } {
  const [old, now] = [before, after].map(
    (state) => new Map(allDirectives(state).map((one) => [`${one.scope} ${contractLines([one])}`, one])),
  );
  return {
    added: [...(now ?? [])].flatMap(([line, one]) => (old?.has(line) ? [] : [one])),
    removed: [...(old ?? [])].flatMap(([line, one]) => (now?.has(line) ? [] : [one])),
  };
}

/** Those that can be decided on, the oldest first. */
function openCandidates(state: ContractState, now: number): readonly Candidate[] {
  return [...state.candidates]
    .map(([, candidate]) => candidateAt(candidate, now))
    .filter((candidate) => isOpen(candidate) && !isOver(candidate.expiresAt, now))
    .sort((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? -1 : 1));
}
