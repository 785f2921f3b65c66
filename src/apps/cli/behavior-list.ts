import type { ActiveBehaviorContract, Candidate, ContractScope, ContractView } from "../../base/words/contract.ts";
import { contractFor } from "../../behavior/contract/active-contract.ts";
import type { ContractState } from "../../behavior/contract/contract-state.ts";
import { candidateAt, isOpen } from "../../behavior/contract/fold-candidates.ts";
import { isOver } from "../../behavior/contract/iso-time.ts";
import { renderContract } from "../../behavior/contract/render-contract.ts";
import { rankOf, scopesOf, viewOf } from "../../behavior/contract/scopes.ts";
import { readView } from "./behavior-draft.ts";
import { renderList } from "./behavior-render-list.ts";
import { damaged, type GovernanceCommand, withContract } from "./behavior-world.ts";
import type { NextAction } from "./outcome.ts";

/** A contract with the block that agents are told. */
export type ShownContract = ActiveBehaviorContract & { readonly block: string };

/**
 * What is in force for a view. Without one it is what everybody is told, and `scopes` has every other scope as a session is told
 * that is in that scope alone.
 */
export type ShownList = ShownContract & {
  readonly view: ContractView;
  readonly scopes?: readonly (ShownContract & { readonly scope: ContractScope })[];
  readonly candidates: readonly Candidate[];
  readonly cap: { readonly directives: number; readonly note?: string };
};

/** `conduct behavior list` */
export const runList: GovernanceCommand = async (args, terminal, world) => {
  const view = readView(args);
  if ("ok" in view) return view;
  return withContract(world, "read", async ({ service }) => {
    const state = await service.state();
    const { limits, note } = world.cap;
    const cap = { directives: limits.items, ...(note === undefined ? {} : { note }) };
    const list: ShownList = { ...listOf(state, view, world.clock.now()), cap };
    const text = renderList(list, terminal, state.fault?.message);
    if (state.fault !== undefined) return { ...damaged(state.fault, list), text };
    return { ok: true, result: list, text, next: nextOf(list) };
  });
};

function listOf(state: ContractState, view: ContractView, now: number): Omit<ShownList, "cap"> {
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
  const candidates = [...state.candidates]
    .map(([, candidate]) => candidateAt(candidate, now))
    .filter((candidate) => isOpen(candidate) && !isOver(candidate.expiresAt, now))
    .sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1));
  return {
    ...{ version, generatedAt, hash, view, directives, block },
    ...(scopesOf(view).length > 1 ? {} : { scopes: narrower.map((scope) => ({ scope, ...shown(viewOf(scope)) })) }),
    candidates,
  };
}

function nextOf({ directives, candidates }: ShownList): readonly NextAction[] {
  const [first] = directives;
  const [candidate] = candidates;
  return [
    {
      command: 'conduct behavior add "STOP: long status reports"',
      description: "Say what you want of your agents",
      params: { directive: { description: "KEEP, MORE, LESS, STOP or START, a colon and a text" } },
    },
    ...(first === undefined ? [] : [{ command: `conduct behavior show ${first.id}`, description: "All about one of them" }]),
    ...(candidate === undefined
      ? []
      : [{ command: `conduct behavior promote ${candidate.id}`, description: "Put what was proposed into force" }]),
    { command: "conduct behavior history", description: "What was changed, when and by whom" },
  ];
}
