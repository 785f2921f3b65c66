import type { List } from "./shell-tree.ts";

/** `undefined`: may be on or off. */
export type Option = boolean | undefined;

/** A set of facts that commands prove if they succeed, one bit for each. */
export type Facts = bigint;

/** A command in the background: how it ends is decided when it starts, and seen when the shell waits for it. */
export type Job = { readonly id: number; readonly ok: boolean; readonly passed: Facts; readonly tried: Facts };
/** The text of a variable, the status of a command that failed, or a process id. */
export type Value = string | typeof NONZERO | Job;
export const NONZERO = Symbol("status of a failed command");

/** What seldom changes in a shell. Equal ones are one object with one number. */
export type Settings = {
  readonly id: number;
  readonly variables: ReadonlyMap<string, Value>;
  readonly functions: ReadonlySet<string>;
  readonly errexit: Option;
  readonly pipefail: Option;
  /** `$!` */
  readonly job: Job | undefined;
  /** The jobs that nobody waited for yet. */
  readonly jobs: readonly Job[];
  readonly exitTrap: List | undefined;
};

/** What is known of a shell at one point of one way through a script. */
export type State = {
  readonly settings: Settings;
  /** `$?` is 0. */
  readonly ok: boolean;
  /** The first of PIPESTATUS is 0. */
  readonly first: Option;
  /** The shell, the function or the loop ends here. */
  readonly end: "exit" | "return" | "break" | "continue" | undefined;
  /** The facts whose last command succeeded. */
  readonly passed: Facts;
  /** The facts that no later success can prove: another command for them failed, or may still run. */
  readonly spoiled: Facts;
};

/** Thrown when a script cannot be followed, or has too many ways: then nothing is proven. */
export class NotFollowed extends Error {}

const MAX_STATES = 48;
const MAX_WORK = 8_000;
const ENDS = [undefined, "exit", "return", "break", "continue"];

/** Makes and joins states. A joined state knows only what all of its states know. */
export class StateSpace {
  readonly #settings = new Map<string, Settings>();
  readonly #ids = new Map<object, number>();
  #work = 0;
  #jobs = 0;

  start(options: Pick<Settings, "errexit" | "pipefail">): State {
    const nothing = {
      variables: new Map(),
      functions: new Set<string>(),
      job: undefined,
      jobs: [],
      exitTrap: undefined,
    };
    const settings = this.#interned({ id: 0, ...nothing, ...options });
    return { settings, ok: true, first: undefined, end: undefined, passed: 0n, spoiled: 0n };
  }

  with(state: State, changes: Partial<Settings>): State {
    return { ...state, settings: this.#interned({ ...state.settings, ...changes }) };
  }

  join(states: readonly State[]): readonly State[] {
    this.spend(states.length);
    if (states.length < 2) return states;
    const joined = joinedStates(states);
    if (joined.length <= MAX_STATES) return joined;
    const fewer = joinedStates(states.map((state) => this.forgotten(state)));
    if (fewer.length > MAX_STATES) throw new NotFollowed();
    return fewer;
  }

  /** The state with no variable known, so that nobody can wait for its jobs. */
  forgotten(state: State): State {
    const spoiled = state.spoiled | undecided(state.settings.jobs);
    return { ...this.with(state, { variables: new Map(), job: undefined, jobs: [] }), spoiled };
  }

  /** Starts a job, which ends as the state says. */
  withJob(state: State, { ok, passed, spoiled }: State, tried: Facts): State {
    this.#jobs += 1;
    const job: Job = { id: this.#jobs, ok, passed: passed & ~spoiled, tried };
    const jobs = tried === 0n ? state.settings.jobs : [...state.settings.jobs, job];
    return { ...this.with(state, { job, jobs }), ok: true, first: undefined };
  }

  spend(work: number): void {
    this.#work += work;
    if (this.#work > MAX_WORK) throw new NotFollowed();
  }

  #interned(settings: Settings): Settings {
    const { variables, functions, errexit, pipefail, job, jobs, exitTrap } = settings;
    this.spend(1 + (variables.size >> 2));
    const names = [...variables].map(([name, value]) => `${name}=${valueKey(value)}`).sort();
    const all = [errexit, pipefail, valueKey(job), jobs.map(valueKey).join("+"), this.#idOf(exitTrap)];
    const key = [...all, names.join(" "), [...functions].sort().join(" ")].join("|");
    const known = this.#settings.get(key) ?? { ...settings, id: this.#settings.size };
    this.#settings.set(key, known);
    return known;
  }

  #idOf(object: object | undefined): number {
    if (object === undefined) return 0;
    const id = this.#ids.get(object) ?? this.#ids.size + 1;
    this.#ids.set(object, id);
    return id;
  }
}

function joinedStates(states: readonly State[]): readonly State[] {
  const joined = new Map<number, State>();
  for (const state of states) {
    const first = state.first === undefined ? 2 : Number(state.first);
    const key = ((state.settings.id * 5 + ENDS.indexOf(state.end)) * 3 + first) * 2 + Number(state.ok);
    const other = joined.get(key);
    const known = other ?? state;
    const isKnown = known.passed === state.passed && known.spoiled === state.spoiled;
    const [passed, spoiled] = [known.passed & state.passed, known.spoiled | state.spoiled];
    joined.set(key, isKnown ? known : { ...known, passed, spoiled });
  }
  return [...joined.values()];
}

export function areSame(some: readonly State[], others: readonly State[]): boolean {
  return (
    some.length === others.length &&
    some.every((one, i) => {
      const other = others[i];
      return one.settings === other?.settings && one.passed === other.passed && one.spoiled === other.spoiled;
    })
  );
}

function valueKey(value: Value | undefined): string {
  if (typeof value !== "object") return value === undefined ? "" : value === NONZERO ? "!" : `'${value}`;
  return `&${value.id}`;
}

/** The facts that jobs may still decide. */
export function undecided(jobs: readonly Job[]): Facts {
  return jobs.reduce((facts, { tried }) => facts | tried, 0n);
}

/** A state that may go on with either status. */
export function both(state: State): readonly State[] {
  return [
    { ...state, ok: true },
    { ...state, ok: false },
  ];
}
