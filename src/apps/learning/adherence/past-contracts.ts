import type {
  ActiveBehaviorContract,
  BehaviorDirective,
  ContractEvent,
  ContractView,
  DirectiveCheck,
  StandingRule,
} from "../../../base/words/contract.ts";
import { applyEvent, type ContractState, EMPTY_CONTRACT } from "../../../behavior/contract/contract-state.ts";
import { RememberedContracts } from "../../../engine/governance/remembered-contracts.ts";

type Told = { readonly version: number; readonly hash: string };
type Declared = { readonly seq: number; readonly at: number; readonly check: DirectiveCheck | null };

/** Past contracts. The journal is read and folded once for all turns and users. */
export class PastContracts {
  readonly #events: readonly ContractEvent[];
  /** The state after each event; unchanged parts are shared. */
  readonly #states: readonly ContractState[];
  readonly #views = new Map<ContractState, RememberedContracts>();
  readonly #checks: ReadonlyMap<string, readonly Declared[]>;

  /** `events`: all contract changes, oldest first. */
  constructor(events: readonly ContractEvent[]) {
    this.#events = events;
    let state = EMPTY_CONTRACT;
    this.#states = events.map((event) => {
      state = applyEvent(state, event);
      return state;
    });
    const declared = events.filter((event) => event.kind === "directive-checked");
    this.#checks = Map.groupBy(declared, ({ id }) => id);
  }

  /**
   * The directives in a turn's prompt, each with its check declared by then: checks are not in the prompt and so
   * change no version. Returns `undefined` if prompt and journal do not match.
   */
  directivesOf({ version, hash }: Told, view: ContractView, at: number): readonly BehaviorDirective[] | undefined {
    const contract = this.contractAt(version, view, at);
    const { seq } = this.#stateOf(version);
    return contract.hash === hash ? contract.directives.map((one) => this.#asDeclared(one, seq, at)) : undefined;
  }

  /** The contract of a version for a view. Expiry uses the given time. */
  contractAt(version: number, view: ContractView, at: number): ActiveBehaviorContract {
    const state = this.#stateOf(version);
    const views = this.#views.get(state) ?? new RememberedContracts();
    this.#views.set(state, views);
    return views.for(state, view, at);
  }

  /** The state right after the change that made this version. */
  #stateOf(version: number): ContractState {
    if (version === 0) return EMPTY_CONTRACT;
    return this.#states.find((state) => state.version === version) ?? this.#states.at(-1) ?? EMPTY_CONTRACT;
  }

  /** The standing rules at that time. A clock that was set back leaves no gap between events. */
  rulesAt(at: number): readonly StandingRule[] {
    const state = this.#states[this.#events.findLastIndex((event) => event.at <= at)] ?? EMPTY_CONTRACT;
    return [...state.rules].map(([, rule]) => rule);
  }

  #asDeclared(directive: BehaviorDirective, seq: number, at: number): BehaviorDirective {
    const later = this.#checks.get(directive.id)?.findLast((one) => one.seq > seq && one.at <= at);
    if (later === undefined) return directive;
    const { check: _, ...rest } = directive;
    return later.check === null ? rest : { ...rest, check: later.check };
  }
}
