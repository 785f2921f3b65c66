import type { ShellRun } from "../shell/shell-line.ts";
import { isLiteral, type ShellWord } from "../shell/shell-word.ts";
import { type ShellOptions, withOptions } from "./shell-options.ts";
import {
  areSame,
  type Facts,
  NotFollowed,
  type Option,
  type State,
  StateSpace,
  undecided,
  type Value,
} from "./shell-state.ts";
import type { List, Node, ShellTree, Statement } from "./shell-tree.ts";
import {
  type CommandReading,
  isZero,
  knownValue,
  mayFail,
  readCommand,
  sourceOf,
  testResult,
  type VariableUses,
} from "./shell-values.ts";

type RunNode = Extract<Node, { kind: "run" }>;
type CompoundNode = Extract<Node, { kind: "compound" }>;

/** Where a list runs. `ignored`: `set -e` does not end the shell. */
type Place = { readonly ignored: boolean; readonly inFunction: boolean; readonly loop: Loop };
/** `across`: a loop around the function or the subshell. */
type Loop = "none" | "here" | "across";
const TOP: Place = { ignored: false, inFunction: false, loop: "none" };

/** From the second number on, variables that a loop changes are forgotten, so that it comes to an end. */
const MAX_ROUNDS = 12;
const EXACT_ROUNDS = 4;

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

const NO_FACTS: CommandFacts = { proves: 0n, doubts: 0n, outdates: 0n };

/**
 * Follows every way through a script. A command that may succeed or fail makes two ways of one. The result covers all
 * that a shell can do: a way may be impossible, but none is missing.
 */
export class ShellWays {
  readonly #marked: MarkedScript;
  readonly #space = new StateSpace();
  readonly #tried = new WeakMap<List, Facts>();
  readonly #readings = new Map<ShellRun, CommandReading>();

  constructor(marked: MarkedScript) {
    this.#marked = marked;
  }

  /** What is proven on each way that ends with status 0. */
  proven(): Facts {
    const ends = this.#shell(this.#marked.tree.line, this.#space.start({ errexit: false, pipefail: false }));
    const good = ends
      .filter(isOk)
      .map(({ passed, spoiled, settings }) => passed & ~spoiled & ~undecided(settings.jobs));
    return good.length === 0 ? 0n : good.reduce((one, other) => one & other);
  }

  /** Runs a list as a shell of its own, to its end and through its EXIT trap. */
  #shell(list: List, state: State): readonly State[] {
    return this.#ended(this.#list(list, [state], TOP));
  }

  #ended(states: readonly State[]): readonly State[] {
    return states.flatMap((state) => {
      const { exitTrap } = state.settings;
      if (exitTrap === undefined) return [state];
      const handling = { ...this.#space.with(state, { exitTrap: undefined }), end: undefined };
      const handled = this.#list(exitTrap, [handling], TOP);
      if (handled.some(({ settings }) => settings.exitTrap !== undefined)) throw new NotFollowed();
      return handled.map((end) => (end.end === "exit" ? end : { ...end, ok: state.ok }));
    });
  }

  /** A shell of its own cannot wait for the jobs of the one around it, nor that one for its jobs. */
  #subshell(run: (inner: State, place: Place) => readonly State[], state: State, place: Place): readonly State[] {
    const { variables, jobs } = state.settings;
    const kept = new Map([...variables].filter(([, value]) => typeof value !== "object"));
    const inner = this.#space.with(state, { exitTrap: undefined, job: undefined, variables: kept });
    const ends = this.#ended(run(inner, { ...place, loop: outside(place.loop) }));
    const outer = ends.map(({ ok, passed, spoiled, settings }) => {
      const left = undecided(settings.jobs.slice(jobs.length));
      return { ...state, ok, passed, spoiled: spoiled | left, first: undefined };
    });
    return this.#space.join(outer);
  }

  #list(list: List, states: readonly State[], place: Place): readonly State[] {
    return list.reduce((all, one) => this.#each(all, (state) => this.#statement(one, state, place)), states);
  }

  #each(states: readonly State[], step: (state: State) => readonly State[]): readonly State[] {
    return this.#space.join(states.flatMap((state) => (state.end === undefined ? step(state) : [state])));
  }

  #statement(statement: Statement, state: State, place: Place): readonly State[] {
    if (!statement.background) return this.#chain(statement, state, place);
    const tried = this.#triedIn([statement]);
    const alone = { ...state, passed: 0n, spoiled: 0n };
    const ends = this.#subshell((inner, at) => this.#chain(statement, inner, at), alone, place);
    return ends.map((end) => this.#space.withJob(state, end, tried));
  }

  #chain({ pipes }: Statement, state: State, place: Place): readonly State[] {
    let states: readonly State[] = [state];
    for (const [i, { after, negated, nodes }] of pipes.entries()) {
      const at = { ...place, ignored: place.ignored || negated || i < pipes.length - 1 };
      states = this.#each(states, (one) => {
        if (i > 0 && (after === "&&") !== one.ok) return [one];
        const ends = this.#pipeline(nodes, one, at);
        const all = negated ? ends.map((end) => (end.end === undefined ? { ...end, ok: !end.ok } : end)) : ends;
        return all.flatMap((end) => afterError(end, nodes, at));
      });
    }
    return states;
  }

  #pipeline(nodes: readonly Node[], state: State, place: Place): readonly State[] {
    const [first, ...rest] = nodes;
    if (first === undefined) return [state];
    if (rest.length === 0) {
      const ends = this.#node(first, state, place);
      const isCommand = first.kind === "run" && !first.call && !first.eval && first.run.words.length > 0;
      return ends.map((end) => ({ ...end, first: isCommand && first.run.keyword === undefined ? end.ok : undefined }));
    }
    // Nobody knows which of them ends last.
    const tried = nodes.map((node) => this.#triedBy(node));
    const twice = tried.reduce(
      (facts, one, i) => facts | tried.slice(0, i).reduce((all, other) => all | (one & other), 0n),
      0n,
    );
    const inside = (node: Node, from: State) => this.#subshell((inner, at) => this.#node(node, inner, at), from, place);
    // `all`: everything so far succeeded.
    let ways = inside(first, { ...state, spoiled: state.spoiled | twice }).map((end) => ({
      end,
      first: end.ok,
      all: end.ok,
    }));
    for (const node of rest) {
      ways = ways.flatMap((way) =>
        inside(node, { ...way.end, ok: state.ok }).map((end) => ({ ...way, end, all: way.all && end.ok })),
      );
    }
    const ends = ways.flatMap(({ end, first: one, all }) => {
      const { pipefail } = state.settings;
      const oks = pipefail === undefined ? [all, end.ok] : [pipefail ? all : end.ok];
      return oks.map((ok) => ({ ...end, ok, first: one }));
    });
    return this.#space.join(ends);
  }

  #node(node: Node, given: State, place: Place): readonly State[] {
    const isFollowed = node.kind === "run" && isSubstitution(node);
    const lists = isFollowed ? [] : node.substitutions;
    const state = lists.reduce((one, list) => this.#notFollowed(list, one), given);
    const failed: State = { ...state, ok: false };
    const unopened: State[] = node.redirects.some(mayFail) ? [failed, { ...failed, end: "exit" }] : [];
    switch (node.kind) {
      case "run":
        return [...unopened, ...this.#run(node, state, place)];
      case "group":
        return [...unopened, ...this.#list(node.list, [state], place)];
      case "subshell":
        return [...unopened, ...this.#subshell((inner, at) => this.#list(node.list, [inner], at), state, place)];
      case "function": {
        const functions = new Set([...state.settings.functions, node.name]);
        return [{ ...this.#space.with(state, { functions }), ok: true }];
      }
      case "compound":
        return [...unopened, { ...failed, end: "exit" }, ...this.#compound(node, state, place)];
      case "other":
        return both(this.#notFollowed(node.list, state));
    }
  }

  /** Something runs, and nobody knows when and how it ends. */
  #notFollowed(list: List, state: State): State {
    return { ...state, spoiled: state.spoiled | this.#triedIn(list) };
  }

  #compound({ compound, parts }: CompoundNode, given: State, place: Place): readonly State[] {
    const state = this.#without(given, [compound.name ?? ""]);
    const partOf = (kind: string, branch?: number): List => {
      const found = parts.findLast(({ scope }) => scope.kind === kind && scope.branch === branch);
      if (found === undefined) throw new NotFollowed();
      return found.list;
    };
    switch (compound.kind) {
      case "if": {
        let open: readonly State[] = [state];
        const ends: State[] = [];
        for (let branch = 0; branch < compound.branches; branch += 1) {
          const tested = this.#list(partOf("condition", branch), open, { ...place, ignored: true });
          ends.push(...tested.filter(({ end }) => end !== undefined));
          const going = tested.filter(({ end }) => end === undefined);
          ends.push(...this.#list(partOf("if", branch), going.filter(isOk), place));
          open = going.filter(({ ok }) => !ok);
        }
        const otherwise = parts.find(({ scope }) => scope.kind === "if" && scope.branch === compound.branches);
        const rest = otherwise && this.#list(otherwise.list, open, place);
        return this.#space.join([...ends, ...(rest ?? open.map((one) => ({ ...one, ok: true })))]);
      }
      case "case": {
        if (compound.total === undefined) throw new NotFollowed();
        const ends: State[] = compound.total ? [] : [{ ...state, ok: true }];
        for (let branch = 0; branch < compound.branches; branch += 1) {
          const part = parts.find(({ scope }) => scope.branch === branch);
          ends.push(...(part ? this.#list(part.list, both(state), place) : [{ ...state, ok: true }]));
        }
        return this.#space.join(ends);
      }
      case "each": {
        const ends = this.#list(parts[0]?.list ?? [], [{ ...state, ok: true }], place);
        return ends.map((end) => this.#without(end, [compound.name ?? ""]));
      }
      case "while":
      case "until":
        return this.#loop(state, place, compound.name, partOf("loop"), {
          list: partOf("condition"),
          until: compound.kind === "until",
        });
      case "for":
        return this.#loop(state, place, compound.name, partOf("loop"));
    }
  }

  /** Runs the body until no new state comes out of it. */
  #loop(
    state: State,
    place: Place,
    name: string | undefined,
    body: List,
    condition?: { readonly list: List; readonly until: boolean },
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
        const start = this.#without(head, [name ?? ""]);
        const tested = condition ? this.#list(condition.list, [start], { ...here, ignored: true }) : both(start);
        for (const one of tested) {
          if (one.end !== undefined) leave(one);
          else if (one.ok === (condition?.until ?? false)) outs.push({ ...one, ok: head.ok });
          else for (const end of this.#list(body, [one], here)) leave(end);
        }
      }
      const all = this.#space.join([...heads, ...next]);
      if (areSame(all, heads)) return this.#space.join(outs);
      heads = round < EXACT_ROUNDS ? all : this.#space.join(all.map((one) => this.#space.forgotten(one)));
    }
    throw new NotFollowed();
  }

  #run(node: RunNode, state: State, place: Place): readonly State[] {
    const { run, substitutions } = node;
    const reading = this.#readings.get(run) ?? readCommand(run);
    this.#readings.set(run, reading);
    this.#space.spend(2);
    let after = this.#without(state, reading.changed);
    if (reading.assigned.length > 0) {
      const variables = new Map(after.settings.variables);
      for (const [name, source] of reading.assigned) {
        const value = substitutions.length === 0 ? knownValue(source, state) : undefined;
        if (value === undefined || this.#marked.uses.isUntracked(name)) variables.delete(name);
        else variables.set(name, value);
      }
      after = this.#space.with(after, { variables });
    }
    const ends = this.#command(node, reading.words, state, after, place);
    const stopped: readonly State[] = reading.mayStop ? [{ ...state, ok: false, end: "exit" }, ...ends] : ends;
    const { outdates } = this.#factsOf(run);
    return outdates === 0n ? stopped : stopped.map((end) => ({ ...end, passed: end.passed & ~outdates }));
  }

  #command(node: RunNode, words: readonly ShellWord[], before: State, after: State, place: Place): readonly State[] {
    const { run } = node;
    if (run.keyword !== undefined) return statuses(after, testResult(run.words, run, before));
    const [program, ...rest] = words;
    if (program === undefined) return this.#substituted(node, after, place);
    const name = program.text;
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
        return this.#list(node.eval, [{ ...after, settings: before.settings }], place);
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
    const run = (inner: State, at: Place) => this.#list(only, [this.#space.with(inner, { errexit })], at);
    return this.#subshell(run, state, place);
  }

  #call({ call }: RunNode, name: string, state: State, place: Place): readonly State[] {
    const { tree, uses } = this.#marked;
    if (call === undefined || tree.functions.get(name) !== 1 || SPECIAL_BUILTINS.test(name)) throw new NotFollowed();
    const ends = this.#list(call, [state], { ...place, inFunction: true, loop: outside(place.loop) });
    return this.#space.join(
      ends.map((end) => {
        const back = { ...this.#without(end, uses.locals), first: undefined };
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
    const { proves, doubts } = this.#factsOf(run);
    const script = this.#marked.tree.scripts.get(run);
    const options = script && this.#marked.optionsOf(run);
    if (script === undefined || options === undefined) {
      // What a program proves by its own end stands: `pnpm exec jest`.
      const hidden = script === undefined ? 0n : this.#triedIn(script) & ~proves;
      return this.#ends(run, { ...state, passed: state.passed & ~doubts, spoiled: state.spoiled | hidden });
    }
    const start = { ...this.#space.start(options), passed: state.passed, spoiled: state.spoiled };
    const ends = this.#shell(script, start).flatMap(({ ok, passed, spoiled, settings }) => {
      const after = { ...state, passed, spoiled: spoiled | undecided(settings.jobs) };
      return this.#ends(run, after).filter((end) => end.ok === ok);
    });
    return this.#space.join([{ ...state, ok: false }, ...ends]);
  }

  #factsOf(run: ShellRun): CommandFacts {
    return this.#marked.facts.get(run) ?? NO_FACTS;
  }

  /** Both ends of a program, with what they prove. */
  #ends(run: ShellRun, state: State): readonly State[] {
    const { proves } = this.#factsOf(run);
    if (proves === 0n) return both(state);
    const spoils = this.#marked.parts.has(run) ? proves : proves & undecided(state.settings.jobs);
    return [
      { ...state, ok: true, passed: state.passed | proves },
      { ...state, ok: false, passed: state.passed & ~proves, spoiled: state.spoiled | spoils },
    ];
  }

  #without(state: State, names: readonly string[] | undefined): State {
    const { variables } = state.settings;
    if (names === undefined) return variables.size === 0 ? state : this.#space.forgotten(state);
    if (!names.some((name) => variables.has(name))) return state;
    const kept = new Map([...variables].filter(([name]) => !names.includes(name)));
    return this.#space.with(state, { variables: kept });
  }

  /** What the commands of a list decide or make outdated. */
  #triedIn(list: List): Facts {
    const known = this.#tried.get(list);
    if (known !== undefined) return known;
    const nodes = list.flatMap(({ pipes }) => pipes.flatMap((pipe) => pipe.nodes));
    const tried = nodes.reduce((facts, node) => facts | this.#triedBy(node), 0n);
    this.#tried.set(list, tried);
    return tried;
  }

  #triedBy(node: Node): Facts {
    const { proves, doubts, outdates } = node.kind === "run" ? this.#factsOf(node.run) : NO_FACTS;
    const script = node.kind === "run" ? this.#marked.tree.scripts.get(node.run) : undefined;
    const own = node.kind === "run" ? [node.call, node.eval, node.handler, script] : [];
    const inner = node.kind === "compound" ? node.parts.map(({ list }) => list) : "list" in node ? [node.list] : own;
    const lists = [...node.substitutions, ...inner].filter((list) => list !== undefined);
    return lists.reduce((facts, list) => facts | this.#triedIn(list), proves | doubts | outdates);
  }
}

const SPECIAL_BUILTINS = /^(?:exit|return|set|eval|exec|trap|break|continue|:|\.|source|unset|export|readonly|shift)$/;

/** `out=$(npm test)`, but not a file such as `<(…)`, and not `a=$(x) b=$(y)`. */
function isSubstitution({ run, substitutions }: RunNode): boolean {
  const [assignment, ...others] = run.assignments;
  const source = assignment === undefined ? "" : sourceOf(assignment.value);
  const isOnly =
    substitutions.length === 1 && others.length === 0 && run.words.length === 0 && run.redirects.length === 0;
  return isOnly && /^"?(?:\$\((?!\()|`)/.test(source);
}

/** With `set -e`. A function or a group that fails does not always end the shell. */
function afterError(state: State, [node, ...more]: readonly Node[], { ignored }: Place): readonly State[] {
  const { errexit } = state.settings;
  if (state.ok || state.end !== undefined || errexit === false) return [state];
  const isPlain = node?.kind === "subshell" || (node?.kind === "run" && !node.call && !node.eval);
  const isCertain = errexit === true && !ignored && (isPlain || more.length > 0);
  const ended: State = { ...state, end: "exit" };
  return isCertain ? [ended] : [ended, state];
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
