import type { TokenCounter } from "../../../base/ports/token-counter.ts";
import type { ActiveBehaviorContract } from "../../../base/words/contract.ts";
import { type ContractLimits, type FullestBlock, fullestBlock } from "../contract-limits.ts";
import { allDirectives, type ContractState } from "../contract-state.ts";
import { renderContract } from "../render-contract.ts";

/** How much one block is, how much the fullest is that a conversation can have, and how much that one may be. */
export type ContractRoom = {
  readonly tokens: number;
  readonly fullest: { readonly items: FullestBlock; readonly tokens: FullestBlock };
  readonly most: Pick<ContractLimits, "items" | "tokens">;
};

export function roomOf(
  state: ContractState,
  contract: ActiveBehaviorContract,
  counter: Pick<TokenCounter, "count">,
  { items, tokens }: ContractLimits,
): ContractRoom {
  const all = allDirectives(state);
  return {
    tokens: counter.count(renderContract(contract)),
    fullest: { items: fullestBlock(all, "items", counter), tokens: fullestBlock(all, "tokens", counter) },
    most: { items, tokens },
  };
}
