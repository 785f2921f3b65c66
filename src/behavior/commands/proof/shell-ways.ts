import type { ShellRun } from "../shell/shell-line.ts";
import { isLiteral } from "../shell/shell-word.ts";
import { type Facts, type Option, START, type State, StateJoiner, TooManyWays } from "./shell-state.ts";
import type { List, Node, ShellTree, Statement } from "./shell-tree.ts";
import {
  assignedWords,
  changedNames,
  isZero,
  knownValue,
  mayFail,
  mayStop,
  sourceOf,
  testResult,
  untrackedNames,
} from "./shell-values.ts";

type RunNode = Extract<Node, { kind: "run" }>;
type CompoundNode = Extract<Node, { kind: "compound" }>;

/** Where a list runs. `ignored`: `set -e` does not end the shell. */
type Place = { readonly ignored: boolean; readonly inFunction: boolean; readonly loop: Loop };
/** `across`: a loop around the function or the subshell. `each`: over known items, read item by item. */
type Loop = "none" | "each" | "here" | "across";
const TOP: Place = { ignored: false, inFunction: false, loop: "none" };

const MAX_ROUNDS = 12;

export type WayOptions = {
  /** The options that a shell starts with: `bash -e -c …`. */
  readonly optionsOf: (run: ShellRun) => Pick<State, "errexit" | "pipefail"> | undefined;
  readonly readOptions: (words: readonly string[], given: ShellOptions) => ShellOptions;
};
export type ShellOptions = { readonly errexit: Option; readonly pipefail: Option; readonly noexec: boolean };

/**
 * Follows every way through a script. A command that may succeed or fail makes two ways of one. The result covers all
 * that a shell can do: a way may be impossible, but none is missing.
 */
export class ShellWays {
  readonly #tree: ShellTree;
  readonly #options: WayOptions;
  readonly #joiner = new StateJoiner();
  readonly #bits = new Map<ShellRun, bigint>();
  readonly #isUntracked: (name: string) => boolean;

  constructor(tree: ShellTree, runs: readonly ShellRun[], options: WayOptions) {
    this.#tree = tree;
    this.#options = options;
    this.#isUntracked = untrackedNames(runs);
  }

  /** What succeeded on each way that ends with status 0. */
  successes(): readonly ReadonlySet<ShellRun>[] {
    const ends = this.#shell(this.#tree.line, START, TOP);
    const ways = this.#joiner.leastFacts(ends.filter(({ ok }) => ok).map(({ facts }) => facts));
    return ways.map((facts) => new Set([...this.#bits].flatMap(([run, bit]) => ((facts & bit) === 0n ? [] : [run]))));
  }

  #with(facts: Facts, run: ShellRun): Facts {
    const bit = this.#bits.get(run) ?? 1n << BigInt(this.#bits.size);
    this.#bits.set(run, bit);
    return facts | bit;
  }

  /** Runs a list as a shell of its own, to its end and through its EXIT trap. */
  #shell(list: List, state: State, place: Place): readonly State[] {
    return this.#ended(this.#list(list, { ...state, exitTrap: undefined, end: undefined }, place));
  }

  #ended(states: readonly State[]): readonly State[] {
    return states.flatMap((state) => {
      if (state.exitTrap === undefined) return [state];
      const handled = this.#list(state.exitTrap, { ...state, exitTrap: undefined, end: undefined }, TOP);
      if (handled.some(({ exitTrap }) => exitTrap !== undefined)) throw new TooManyWays();
      return handled.map((end) => (end.end === "exit" ? end : { ...end, ok: state.ok }));
    });
  }

  #subshell(run: (inner: State, place: Place) => readonly State[], state: State, place: Place): readonly State[] {
    const inner = { ...state, exitTrap: undefined };
    const ends = this.#ended(run(inner, { ...place, loop: outside(place.loop) }));
    return this.#joiner.join(ends.map(({ ok, facts }) => ({ ...state, ok, facts, first: undefined })));
  }

  #list(list: List, state: State, place: Place): readonly State[] {
    return this.#listFrom(list, [state], place);
  }

  #listFrom(list: List, states: readonly State[], place: Place): readonly State[] {
    return list.reduce((all, one) => this.#each(all, (state) => this.#statement(one, state, place)), states);
  }

  #each(states: readonly State[], step: (state: State) => readonly State[]): readonly State[] {
    return this.#joiner.join(states.flatMap((state) => (state.end === undefined ? step(state) : [state])));
  }

  #statement(statement: Statement, state: State, place: Place): readonly State[] {
    if (!statement.background) return this.#chain(statement, state, place);
    const alone = { ...state, facts: START.facts };
    const ends = this.#subshell((inner, at) => this.#chain(statement, inner, at), alone, place);
    return ends.map(({ ok, facts }) => ({ ...state, ok: true, first: undefined, job: { ok, facts } }));
  }

  #chain({ pipes }: Statement, state: State, place: Place): readonly State[] {
    let states: readonly State[] = [state];
    for (const [i, { after, negated, nodes }] of pipes.entries()) {
      const at = { ...place, ignored: place.ignored || negated || i < pipes.length - 1 };
      states = this.#each(states, (one) => {
        if (i > 0 && (after === "&&") !== one.ok) return [one];
        const ends = this.#pipeline(nodes, one, at);
        const all = negated ? ends.map((end) => (end.end === undefined ? { ...end, ok: !end.ok } : end)) : ends;
        return all.flatMap((end) => this.#afterError(end, nodes, at));
      });
    }
    return states;
  }

  /** With `set -e`. A function or a group that fails does not always end the shell. */
  #afterError(state: State, [node, ...more]: readonly Node[], { ignored }: Place): readonly State[] {
    if (state.ok || state.end !== undefined || state.errexit === false) return [state];
    const isPlain = node?.kind === "subshell" || (node?.kind === "run" && !node.call && !node.eval);
    const isCertain = state.errexit === true && !ignored && (isPlain || more.length > 0);
    const ended: State = { ...state, end: "exit" };
    return isCertain ? [ended] : [ended, state];
  }

  #pipeline(nodes: readonly Node[], state: State, place: Place): readonly State[] {
    const [first, ...rest] = nodes;
    if (first === undefined) return [state];
    if (rest.length === 0) {
      const ends = this.#node(first, state, place);
      const isCommand = first.kind === "run" && !first.call && !first.eval && first.run.words.length > 0;
      return ends.map((end) => ({ ...end, first: isCommand && first.run.keyword === undefined ? end.ok : undefined }));
    }
    const inside = (node: Node, from: State) => this.#subshell((inner, at) => this.#node(node, inner, at), from, place);
    // `first` is the status of the first command, `ok` says whether all so far succeeded.
    let ways = inside(first, state).map((end) => ({ end, first: end.ok, all: end.ok }));
    for (const node of rest) {
      ways = ways.flatMap((way) =>
        inside(node, { ...state, facts: way.end.facts }).map((end) => ({ ...way, end, all: way.all && end.ok })),
      );
    }
    const ends = ways.flatMap(({ end, first: one, all }) => {
      const oks = state.pipefail === undefined ? [all, end.ok] : [state.pipefail ? all : end.ok];
      return oks.map((ok) => ({ ...end, ok, first: one }));
    });
    return this.#joiner.join(ends);
  }

  #node(node: Node, state: State, place: Place): readonly State[] {
    const failed: State = { ...state, ok: false };
    const unopened: State[] = node.redirects.some(mayFail) ? [failed, { ...failed, end: "exit" }] : [];
    switch (node.kind) {
      case "run":
        return [...unopened, ...this.#run(node, state, place)];
      case "group":
        return [...unopened, ...this.#list(node.list, state, place)];
      case "subshell":
        return [...unopened, ...this.#subshell((inner, at) => this.#list(node.list, inner, at), state, place)];
      case "function":
        return [{ ...state, ok: true, functions: new Set([...state.functions, node.name]) }];
      case "compound":
        return [...unopened, ...this.#compound(node, state, place)];
      case "other":
        return both(state);
    }
  }

  #compound({ compound, parts }: CompoundNode, given: State, place: Place): readonly State[] {
    const name = compound.name ?? "";
    const state = { ...given, variables: without(given.variables, [name]) };
    const stopped: State = { ...state, ok: false, end: "exit" };
    const partOf = (kind: string, branch?: number): List => {
      const found = parts.findLast(({ scope }) => scope.kind === kind && scope.branch === branch);
      if (found === undefined) throw new TooManyWays();
      return found.list;
    };
    switch (compound.kind) {
      case "if": {
        const condition = { ...place, ignored: true };
        let open: readonly State[] = [state];
        const ends: State[] = [];
        for (let branch = 0; branch < compound.branches; branch += 1) {
          const tested = this.#listFrom(partOf("condition", branch), open, condition);
          const isDone = (one: State) => one.end !== undefined;
          ends.push(...tested.filter(isDone));
          const going = tested.filter((one) => !isDone(one));
          ends.push(...this.#listFrom(partOf("if", branch), going.filter(isOk), place));
          open = going.filter((one) => !one.ok);
        }
        const otherwise = parts.find(({ scope }) => scope.kind === "if" && scope.branch === compound.branches);
        const rest = otherwise && this.#listFrom(otherwise.list, open, place);
        return this.#joiner.join([...ends, ...(rest ?? open.map((one) => ({ ...one, ok: true })))]);
      }
      case "case": {
        if (compound.total === undefined) throw new TooManyWays();
        const ends: State[] = compound.total ? [] : [{ ...state, ok: true }];
        for (let branch = 0; branch < compound.branches; branch += 1) {
          const part = parts.find((one) => one.scope.branch === branch);
          ends.push(...(part ? this.#listFrom(part.list, both(state), place) : [{ ...state, ok: true }]));
        }
        return this.#joiner.join([stopped, ...ends]);
      }
      case "each":
        return [
          stopped,
          ...this.#list(
            parts[0]?.list ?? [],
            { ...state, ok: true },
            { ...place, loop: place.loop === "none" ? "each" : place.loop },
          ).map((end) => ({
            ...end,
            variables: without(end.variables, [name]),
          })),
        ];
      case "while":
      case "until":
      case "for": {
        const body = partOf("loop");
        const isFor = compound.kind === "for";
        const condition = isFor ? undefined : partOf("condition");
        return [stopped, ...this.#loop(compound.kind, condition, body, state, place, name)];
      }
    }
  }

  /** Runs the body until no new state comes out of it. */
  #loop(
    kind: "while" | "until" | "for",
    condition: List | undefined,
    body: List,
    state: State,
    place: Place,
    name: string,
  ): readonly State[] {
    const here: Place = { ...place, loop: "here" };
    let heads: readonly State[] = [{ ...state, ok: true }];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const outs: State[] = [];
      const next: State[] = [];
      const leave = (end: State) => {
        if (end.end === "continue" || end.end === undefined) next.push({ ...end, end: undefined });
        else outs.push(end.end === "break" ? { ...end, end: undefined } : end);
      };
      for (const head of heads) {
        const start = { ...head, variables: without(head.variables, [name]) };
        const tested = condition ? this.#list(condition, start, { ...here, ignored: true }) : both(start);
        for (const one of tested) {
          if (one.end !== undefined) leave(one);
          else if (one.ok === (kind === "until")) outs.push({ ...one, ok: head.ok });
          else for (const end of this.#list(body, one, here)) leave(end);
        }
      }
      const all = this.#joiner.join([...heads, ...next]);
      if (this.#joiner.areSame(all, heads)) return this.#joiner.join(outs);
      heads = all;
    }
    throw new TooManyWays();
  }

  #run(node: RunNode, state: State, place: Place): readonly State[] {
    const { run, substitutions } = node;
    const stopped: readonly State[] = mayStop(run) ? [{ ...state, ok: false, end: "exit" }] : [];
    const changed = changedNames(run);
    const counts =
      place.loop === "none" || place.loop === "each" ? assignedWords(run) : assignedWords(run).map(uncounted);
    const variables = new Map(changed === undefined ? [] : without(state.variables, changed));
    for (const { name } of run.assignments) variables.delete(name);
    const isKnown = substitutions.length === 0;
    for (const [name, source] of counts) {
      const value = isKnown ? knownValue(source, state) : undefined;
      if (value === undefined || this.#isUntracked(name)) variables.delete(name);
      else variables.set(name, value);
    }
    const after = { ...state, variables };
    return [...stopped, ...this.#command(node, state, after, place)];
  }

  #command(node: RunNode, before: State, after: State, place: Place): readonly State[] {
    const { run, substitutions } = node;
    if (run.keyword !== undefined) return statuses(after, testResult(run, before));
    const skip = run.words.findIndex(({ text }) => !/^(?:command|builtin)$/.test(text));
    const words = run.words.slice(Math.max(0, skip));
    const [program, ...rest] = words;
    if (program === undefined) {
      const [only] = substitutions;
      if (only === undefined) return [{ ...after, ok: true }];
      return this.#substituted(run, substitutions, after, place);
    }
    const name = program.text;
    if (skip <= 0 && before.functions.has(name)) return this.#call(node, name, after, place);
    const argument = rest[0] === undefined ? undefined : knownValue(sourceOf(rest[0]), before);
    const texts = rest.map(({ text }) => text);
    switch (name) {
      case "true":
      case ":":
        return [{ ...after, ok: true }];
      case "false":
        return [{ ...after, ok: false }];
      case "exit":
      case "return": {
        if (rest.length > 1) throw new TooManyWays();
        const ends = statuses(after, rest.length === 0 ? before.ok : isZero(argument));
        const end = name === "return" && place.inFunction ? ("return" as const) : ("exit" as const);
        const isError = name === "return" && !place.inFunction;
        return [...(isError ? [{ ...after, ok: false }] : []), ...ends.map((one) => ({ ...one, end }))];
      }
      case "break":
      case "continue":
        if (place.loop === "none") return both(after);
        if (place.loop !== "here" || rest.length > 0) throw new TooManyWays();
        return [{ ...after, ok: true, end: name }];
      case "exec":
        if (rest.length === 0) return both(after);
        return this.#plain(node, { ...after, exitTrap: undefined }).map((one) => ({ ...one, end: "exit" }));
      case "set": {
        const { noexec, ...options } = this.#options.readOptions(texts, { ...after, noexec: false });
        const isUnknown = !rest.every(isLiteral) && texts[0] !== "--";
        const set = isUnknown ? { errexit: undefined, pipefail: undefined } : options;
        return noexec ? [{ ...after, ok: true, end: "exit" }] : [{ ...after, ...set, ok: true }];
      }
      case "trap":
        return this.#trap(node, texts, after);
      case "eval":
        if (node.eval === undefined) throw new TooManyWays();
        return this.#list(node.eval, { ...after, variables: before.variables }, place);
      case "wait": {
        const jobs = rest.map((word) => knownValue(sourceOf(word), before));
        const job = jobs.at(-1);
        if (typeof job !== "object" || !jobs.every((one) => typeof one === "object")) return both(after);
        return job.ok
          ? [
              { ...after, ok: true, facts: after.facts | job.facts },
              { ...after, ok: false },
            ]
          : [{ ...after, ok: false }];
      }
      case "test":
      case "[":
        return statuses(after, skip > 0 ? undefined : testResult(run, before));
      case "local":
      case "declare":
      case "typeset": {
        const locals = new Set([...after.locals, ...(changedNames(run) ?? [])]);
        return both({ ...after, locals });
      }
      default:
        return this.#plain(node, after);
    }
  }

  /** `out=$(npm test)` has the status of the substitution; a file such as `<(…)` has none. */
  #substituted(run: ShellRun, substitutions: readonly List[], state: State, place: Place): readonly State[] {
    const [only, ...more] = substitutions;
    const [assignment, ...others] = run.assignments;
    const source = assignment === undefined ? "" : sourceOf(assignment.value);
    const isStatus = /^"?(?:\$\((?!\()|`)/.test(source) && more.length === 0 && others.length === 0;
    if (only === undefined || !isStatus) return both(state);
    const errexit = state.errexit === false ? false : undefined;
    const ends = this.#subshell((inner, at) => this.#list(only, { ...inner, errexit }, at), state, place);
    return ends.map((end) => ({ ...end, errexit: state.errexit }));
  }

  #call(node: RunNode, name: string, state: State, place: Place): readonly State[] {
    const { call } = node;
    if (call === undefined || this.#tree.functions.get(name) !== 1) throw new TooManyWays();
    if (/^(?:exit|return|set|eval|exec|trap|break|continue|:|\.|source|unset|export|readonly|shift)$/.test(name))
      throw new TooManyWays();
    const loop = outside(place.loop);
    const ends = this.#list(call, { ...state, locals: new Set() }, { ...place, inFunction: true, loop });
    return this.#joiner.join(
      ends.map((end) => ({
        ...end,
        end: end.end === "return" ? undefined : end.end,
        first: undefined,
        locals: state.locals,
        variables: end.end === "exit" ? end.variables : without(end.variables, [...end.locals]),
      })),
    );
  }

  #trap({ handler, run }: RunNode, [action = "", ...signals]: readonly string[], state: State): readonly State[] {
    if (!signals.some((signal) => /^(?:EXIT|0)$/.test(signal))) return both(state);
    const isKnown = run.words[1] !== undefined && isLiteral(run.words[1]);
    // A handler with a value in it was checked by its text.
    const exitTrap = isKnown && !/^-?$/.test(action) ? handler : undefined;
    if (exitTrap === undefined && isKnown && !/^-?$/.test(action)) throw new TooManyWays();
    return [{ ...state, ok: true, exitTrap }];
  }

  /** A program: it succeeds or fails. A shell does what its script does. */
  #plain({ run }: RunNode, state: State): readonly State[] {
    const options = this.#options.optionsOf(run);
    const script = options && this.#tree.scripts.get(run);
    const done = { ...state, facts: this.#with(state.facts, run) };
    if (script === undefined)
      return [
        { ...done, ok: true },
        { ...state, ok: false },
      ];
    const ends = this.#shell(script, { ...START, ...options, facts: state.facts }, TOP);
    const failed = [{ ...state, ok: false }];
    return this.#joiner.join([
      ...failed,
      ...ends.map(({ ok, facts }) => ({ ...state, ok, facts: ok ? this.#with(facts, run) : facts })),
    ]);
  }
}

function outside(loop: Loop): Loop {
  return loop === "here" ? "across" : loop;
}

function isOk({ ok }: State): boolean {
  return ok;
}

function both(state: State): readonly State[] {
  return [
    { ...state, ok: true },
    { ...state, ok: false },
  ];
}

function statuses(state: State, ok: Option): readonly State[] {
  return ok === undefined ? both(state) : [{ ...state, ok }];
}

function without(variables: State["variables"], names: readonly string[]): State["variables"] {
  if (!names.some((name) => variables.has(name))) return variables;
  return new Map([...variables].filter(([name]) => !names.includes(name)));
}

/** In a loop a counter may have any value. */
function uncounted([name, source]: readonly [string, string]): readonly [string, string] {
  return [name, source.includes("((") ? "$(" : source];
}
