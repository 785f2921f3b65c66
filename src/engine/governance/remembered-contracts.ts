import type { ActiveBehaviorContract, ContractView } from "../../base/words/contract.ts";
import { contractFor } from "../../behavior/contract/active-contract.ts";
import type { ContractState } from "../../behavior/contract/contract-state.ts";

/** Views of one state; there may be as many as users. */
const MAX_VIEWS = 1_000;

type Remembered = { readonly contract: ActiveBehaviorContract; readonly from: number; readonly until: number };

/** Caches `contractFor` while the state is the same and nothing in it has expired. */
export class RememberedContracts {
  #state: ContractState | undefined;
  readonly #views = new Map<string, Remembered>();

  for(state: ContractState, view: ContractView, now: number): ActiveBehaviorContract {
    if (state !== this.#state || this.#views.size >= MAX_VIEWS) this.#views.clear();
    this.#state = state;
    const key = JSON.stringify([view.agent, view.channel, view.user]);
    const known = this.#views.get(key);
    if (known !== undefined && now >= known.from && now < known.until) return known.contract;
    const contract = contractFor(state, view, now);
    const ends = contract.directives.map(({ expiresAt }) =>
      expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
    );
    this.#views.set(key, { contract, from: now, until: Math.min(...ends, Number.POSITIVE_INFINITY) });
    return contract;
  }
}
