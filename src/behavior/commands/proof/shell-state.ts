import type { List } from "./shell-tree.ts";

/** `undefined`: may be on or off. */
export type Option = boolean | undefined;

/** A command in the background: how it ends is decided when it starts, and seen when the shell waits for it. */
export type Job = { readonly ok: boolean; readonly facts: Facts };
/** The text of a variable, the status of a command that failed, or a process id. */
export type Value = string | typeof NONZERO | Job;
export const NONZERO = Symbol("status of a failed command");
/** A set of commands, one bit for each. */
export type Facts = bigint;

/** What is known of a shell at one point of one way through a script. */
export type State = {
  /** The commands that ran and succeeded. */
  readonly facts: Facts;
  /** `$?` is 0. */
  readonly ok: boolean;
  /** The first of PIPESTATUS is 0. */
  readonly first: Option;
  readonly variables: ReadonlyMap<string, Value>;
  readonly locals: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  readonly errexit: Option;
  readonly pipefail: Option;
  /** `$!` */
  readonly job: Job | undefined;
  readonly exitTrap: List | undefined;
  /** The shell, the function or the loop ends here. */
  readonly end: "exit" | "return" | "break" | "continue" | undefined;
};

export const START: State = {
  ...{ facts: 0n, ok: true, first: undefined, variables: new Map(), locals: new Set(), functions: new Set() },
  ...{ errexit: false, pipefail: false, job: undefined, exitTrap: undefined, end: undefined },
};

/** Thrown when a script has too many ways: then nothing is proven. */
export class TooManyWays extends Error {}

const MAX_SAME = 24;
const MAX_STATES = 160;
const MAX_WORK = 100_000;

/** Joins states. One with fewer facts covers one with more, because a proof has to hold on every way. */
export class StateJoiner {
  readonly #ids = new Map<object, number>();
  #work = 0;

  join(states: readonly State[]): readonly State[] {
    this.#spend(states.reduce((sum, { variables }) => sum + 2 + variables.size, 0));
    if (states.length < 2) return states;
    const joined = [...Map.groupBy(states, (state) => this.#keyOf(state)).values()].flatMap((same) => {
      const [one, ...rest] = same;
      if (one === undefined || rest.length === 0) return same;
      return this.leastFacts(same.map(({ facts }) => facts)).map((facts) => ({ ...one, facts }));
    });
    if (joined.length > MAX_STATES) throw new TooManyWays();
    return joined;
  }

  /** The sets that contain no other. */
  leastFacts(sets: readonly Facts[]): readonly Facts[] {
    let least: Facts[] = [];
    for (const facts of new Set(sets)) {
      this.#spend(least.length);
      if (least.some((one) => (one & facts) === one)) continue;
      least = [...least.filter((one) => (one & facts) !== facts), facts];
    }
    return least.length <= MAX_SAME ? least : [least.reduce((one, other) => one & other)];
  }

  areSame(some: readonly State[], others: readonly State[]): boolean {
    const [one, other] = [some, others].map((states) => new Set(states.map((state) => this.#fingerprint(state))));
    return one !== undefined && other !== undefined && one.size === other.size && one.isSubsetOf(other);
  }

  #fingerprint(state: State): string {
    return `${this.#keyOf(state)}:${state.facts.toString(36)}`;
  }

  #spend(work: number): void {
    this.#work += work;
    if (this.#work > MAX_WORK) throw new TooManyWays();
  }

  #keyOf(state: State): string {
    const { ok, first, variables, locals, functions, errexit, pipefail, job, exitTrap, end } = state;
    const names = [...variables].map(([name, value]) => `${name}=${this.#valueKey(value)}`).sort();
    const sets = [names, [...locals].sort(), [...functions].sort()].map((set) => set.join(" ")).join("|");
    return [ok, first, errexit, pipefail, this.#valueKey(job), this.#idOf(exitTrap), end, sets].join();
  }

  #valueKey(value: Value | undefined): string {
    if (typeof value !== "object") return value === undefined ? "" : value === NONZERO ? "!" : `'${value}`;
    return `&${value.ok}${value.facts.toString(36)}`;
  }

  #idOf(object: object | undefined): number {
    if (object === undefined) return 0;
    const id = this.#ids.get(object) ?? this.#ids.size + 1;
    this.#ids.set(object, id);
    return id;
  }
}
