import type { ShellRun } from "../shell/shell-line.ts";
import { isLiteral, type ShellWord } from "../shell/shell-word.ts";
import { type ShellOptions, withOptions } from "./shell-options.ts";
import {
  both,
  type Facts,
  NotFollowed,
  type Option,
  type State,
  type StateSpace,
  undecided,
  type Value,
} from "./shell-state.ts";
import type { List, Node, ShellTree } from "./shell-tree.ts";
import {
  type CommandReading,
  isZero,
  knownValue,
  readCommand,
  sourceOf,
  testResult,
  type VariableUses,
} from "./shell-values.ts";

export type RunNode = Extract<Node, { kind: "run" }>;

/** Where a list runs. `ignored`: `set -e` does not end the shell. */
export type Place = { readonly ignored: boolean; readonly inFunction: boolean; readonly loop: Loop };
/** `across`: a loop around the function or the subshell. */
type Loop = "none" | "here" | "across";

/** What the end of a command says. */
export type CommandFacts = {
  /** Proven if it succeeds. */
  readonly proves: Facts;
  /** It may decide these as well, and its end does not show how. */
  readonly doubts: Facts;
  /** No longer true after it. */
  readonly outdates: Facts;
};

export type MarkedScript = {
  readonly tree: ShellTree;
  readonly uses: VariableUses;
  readonly facts: ReadonlyMap<ShellRun, CommandFacts>;
  /** Commands that prove something only if others succeed, too: a failure of one of them is final. */
  readonly parts: ReadonlySet<ShellRun>;
  /** The options of the shell that a command starts; `undefined` if its end is not the end of its script. */
  readonly optionsOf: (run: ShellRun) => ShellOptions | undefined;
};

export const NO_FACTS: CommandFacts = { proves: 0n, doubts: 0n, outdates: 0n };

/** Follows the lists that a command runs. */
export type ListWays = {
  list(list: List, states: readonly State[], place: Place): readonly State[];
  subshell(run: (inner: State, place: Place) => readonly State[], state: State, place: Place): readonly State[];
  shell(list: List, state: State): readonly State[];
  triedIn(list: List): Facts;
};

/** The ways through a simple command: a builtin changes the shell, a program succeeds or fails. */
export class CommandWays {
  readonly #script: MarkedScript;
  readonly #space: StateSpace;
  readonly #lists: ListWays;
  readonly #readings = new Map<ShellRun, CommandReading>();

  constructor(script: MarkedScript, space: StateSpace, lists: ListWays) {
    this.#script = script;
    this.#space = space;
    this.#lists = lists;
  }

  run(node: RunNode, state: State, place: Place): readonly State[] {
    const { run, substitutions } = node;
    const reading = this.#readings.get(run) ?? readCommand(run);
    this.#readings.set(run, reading);
    this.#space.spend(2);
    let after = this.without(state, reading.changed);
    if (reading.assigned.length > 0) {
      const variables = new Map(after.settings.variables);
      for (const [name, source] of reading.assigned) {
        const value = substitutions.length === 0 ? knownValue(source, state) : undefined;
        if (value === undefined || this.#script.uses.isUntracked(name)) variables.delete(name);
        else variables.set(name, value);
      }
      after = this.#space.with(after, { variables });
    }
    const ends = this.#command(node, reading.words, state, after, place);
    const stopped: readonly State[] = reading.mayStop ? [{ ...state, ok: false, end: "exit" }, ...ends] : ends;
    const { outdates } = this.factsOf(run);
    return outdates === 0n ? stopped : stopped.map((end) => ({ ...end, passed: end.passed & ~outdates }));
  }

  #command(node: RunNode, words: readonly ShellWord[], before: State, after: State, place: Place): readonly State[] {
    const { run } = node;
    if (run.keyword !== undefined) return statuses(after, testResult(run.words, run, before));
    const [program, ...rest] = words;
    if (program === undefined) return this.#substituted(node, after, place);
    const name = program.text;
    const own = run.words[0]?.text ?? "";
    // `command() { true; }` replaces the builtin.
    if (words.length !== run.words.length && before.settings.functions.has(own)) throw new NotFollowed();
    if (words.length === run.words.length && before.settings.functions.has(name))
      return this.#call(node, name, after, place);
    switch (name) {
      case "true":
      case ":":
        return [{ ...after, ok: true }];
      case "false":
        return [{ ...after, ok: false }];
      case "exit":
      case "return": {
        if (rest.length > 1) throw new NotFollowed();
        const [status] = rest.map((word) => isZero(knownValue(sourceOf(word), before)));
        const ends = statuses(after, rest.length === 0 ? before.ok : status);
        const isError = name === "return" && !place.inFunction;
        const end = name === "return" && place.inFunction ? ("return" as const) : ("exit" as const);
        return [...(isError ? [{ ...after, ok: false }] : []), ...ends.map((one) => ({ ...one, end }))];
      }
      case "break":
      case "continue":
        if (place.loop === "none") return both(after);
        if (place.loop !== "here" || rest.length > 0) throw new NotFollowed();
        return [{ ...after, ok: true, end: name }];
      case "exec":
        if (rest.length === 0) return both(after);
        return this.#program(run, this.#space.with(after, { exitTrap: undefined })).map((one) => ({
          ...one,
          end: "exit",
        }));
      case "set": {
        const options = withOptions(rest, after.settings);
        if (options === undefined) throw new NotFollowed();
        return [{ ...this.#space.with(after, options), ok: true }];
      }
      case "trap":
        return this.#trap(
          node,
          rest.map(({ text }) => text),
          after,
        );
      case "eval":
        if (node.eval === undefined) throw new NotFollowed();
        return this.#lists.list(node.eval, [{ ...after, settings: before.settings }], place);
      case "wait":
        return this.#wait(
          rest.map((word) => knownValue(sourceOf(word), before)),
          after,
        );
      case "test":
      case "[":
        return statuses(after, testResult(words, run, before));
      default:
        return this.#program(run, after);
    }
  }

  /** `out=$(npm test)` has the status of the substitution. */
  #substituted(node: RunNode, state: State, place: Place): readonly State[] {
    const [only] = node.substitutions;
    if (only === undefined) return [{ ...state, ok: true }];
    if (!isSubstitution(node)) return both(state);
    const errexit = state.settings.errexit === false ? false : undefined;
    const run = (inner: State, at: Place) => this.#lists.list(only, [this.#space.with(inner, { errexit })], at);
    return this.#lists.subshell(run, state, place);
  }

  #call({ call }: RunNode, name: string, state: State, place: Place): readonly State[] {
    const { tree, uses } = this.#script;
    if (call === undefined || tree.functions.get(name) !== 1 || SPECIAL_BUILTINS.test(name)) throw new NotFollowed();
    const ends = this.#lists.list(call, [state], { ...place, inFunction: true, loop: outside(place.loop) });
    return this.#space.join(
      ends.map((end) => {
        const back = { ...this.without(end, uses.locals), first: undefined };
        return end.end === "return" ? { ...back, end: undefined } : back;
      }),
    );
  }

  #trap({ handler, run }: RunNode, [action = "", ...signals]: readonly string[], state: State): readonly State[] {
    if (!signals.some((signal) => /^(?:EXIT|0)$/.test(signal))) return both(state);
    // A handler with a value in it was checked by its text.
    const exitTrap = run.words.every(isLiteral) && !/^-?$/.test(action) ? handler : undefined;
    if (exitTrap === undefined && run.words.every(isLiteral) && !/^-?$/.test(action)) throw new NotFollowed();
    return [{ ...this.#space.with(state, { exitTrap }), ok: true }];
  }

  #wait(given: readonly (Value | undefined)[], state: State): readonly State[] {
    const [job] = given;
    if (typeof job !== "object" || given.length > 1) return both(state);
    const at = state.settings.jobs.indexOf(job);
    if (at < 0) return both(state);
    const failed = { ...state, ok: false, spoiled: state.spoiled | job.tried };
    if (!job.ok) return [failed];
    const ended = this.#space.with(state, { jobs: state.settings.jobs.toSpliced(at, 1) });
    const spoiled = state.spoiled | (job.tried & ~job.passed);
    return [{ ...ended, ok: true, passed: state.passed | job.passed, spoiled }, failed];
  }

  /** A program: it succeeds or fails. A shell does what its script does. */
  #program(run: ShellRun, state: State): readonly State[] {
    const { proves, doubts } = this.factsOf(run);
    const script = this.#script.tree.scripts.get(run);
    const options = script && this.#script.optionsOf(run);
    if (script === undefined || options === undefined) {
      // What a program proves by its own end stands: `pnpm exec jest`.
      const hidden = script === undefined ? 0n : this.#lists.triedIn(script) & ~proves;
      return this.#ends(run, { ...state, passed: state.passed & ~doubts, spoiled: state.spoiled | hidden });
    }
    const start = { ...this.#space.start(options), passed: state.passed, spoiled: state.spoiled };
    const ends = this.#lists.shell(script, start).flatMap(({ ok, passed, spoiled, settings }) => {
      const after = { ...state, passed, spoiled: spoiled | undecided(settings.jobs) };
      return this.#ends(run, after).filter((end) => end.ok === ok);
    });
    return this.#space.join([{ ...state, ok: false }, ...ends]);
  }

  factsOf(run: ShellRun | undefined): CommandFacts {
    return (run && this.#script.facts.get(run)) ?? NO_FACTS;
  }

  /** Both ends of a program, with what they prove. */
  #ends(run: ShellRun, state: State): readonly State[] {
    const { proves } = this.factsOf(run);
    if (proves === 0n) return both(state);
    const spoils = this.#script.parts.has(run) ? proves : proves & undecided(state.settings.jobs);
    return [
      { ...state, ok: true, passed: state.passed | proves },
      { ...state, ok: false, passed: state.passed & ~proves, spoiled: state.spoiled | spoils },
    ];
  }

  without(state: State, names: readonly string[] | undefined): State {
    const { variables } = state.settings;
    if (names === undefined) return variables.size === 0 ? state : this.#space.forgotten(state);
    if (!names.some((name) => variables.has(name))) return state;
    const kept = new Map([...variables].filter(([name]) => !names.includes(name)));
    return this.#space.with(state, { variables: kept });
  }
}

const SPECIAL_BUILTINS = /^(?:exit|return|set|eval|exec|trap|break|continue|:|\.|source|unset|export|readonly|shift)$/;

/** `out=$(npm test)`, but not a file such as `<(…)`, and not `a=$(x) b=$(y)`. */
export function isSubstitution({ run, substitutions }: RunNode): boolean {
  const [assignment, ...others] = run.assignments;
  const source = assignment === undefined ? "" : sourceOf(assignment.value);
  const isOnly =
    substitutions.length === 1 && others.length === 0 && run.words.length === 0 && run.redirects.length === 0;
  return isOnly && /^"?(?:\$\((?!\()|`)/.test(source);
}

export function outside(loop: Loop): Loop {
  return loop === "here" ? "across" : loop;
}

function statuses(state: State, ok: Option): readonly State[] {
  return ok === undefined ? both(state) : [{ ...state, ok }];
}
