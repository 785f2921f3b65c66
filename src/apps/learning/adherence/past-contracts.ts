import type {
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

/** What was in force in the past. The journal is read and folded once, however many turns and users are asked about. */
export class PastContracts {
  readonly #events: readonly ContractEvent[];
  /** After each event; they share what did not change. */
  readonly #states: readonly ContractState[];
  readonly #views = new Map<ContractState, RememberedContracts>();
  readonly #checks: ReadonlyMap<string, readonly Declared[]>;

  /** All that changed the contract, the oldest first. */
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
   * The directives that a turn was told, each with the check that was declared by then: a check is not told, and so changes no version.
   * `undefined` when what it was told is not what the journal says.
   */
  directivesOf({ version, hash }: Told, view: ContractView, at: number): readonly BehaviorDirective[] | undefined {
    const state = this.#states[this.#events.findLastIndex(({ seq }) => seq <= version)] ?? EMPTY_CONTRACT;
    const views = this.#views.get(state) ?? new RememberedContracts();
    this.#views.set(state, views);
    const contract = views.for(state, view, at);
    return contract.hash === hash ? contract.directives.map((one) => this.#asDeclared(one, version, at)) : undefined;
  }

  /** The standing rules that were there then. A clock that was set back makes no hole in the row of events. */
  rulesAt(at: number): readonly StandingRule[] {
    const state = this.#states[this.#events.findLastIndex((event) => event.at <= at)] ?? EMPTY_CONTRACT;
    return [...state.rules].map(([, rule]) => rule);
  }

  #asDeclared(directive: BehaviorDirective, version: number, at: number): BehaviorDirective {
    const later = this.#checks.get(directive.id)?.findLast((one) => one.seq > version && one.at <= at);
    if (later === undefined) return directive;
    const { check: _, ...rest } = directive;
    return later.check === null ? rest : { ...rest, check: later.check };
  }
}
