import { CommandWays, isSubstitution, type ListWays, type MarkedScript, outside, type Place } from "./command-ways.ts";
import { areSame, both, type Facts, NotFollowed, type State, StateSpace, undecided } from "./shell-state.ts";
import type { List, Node, Statement } from "./shell-tree.ts";
import { mayFail } from "./shell-values.ts";

type CompoundNode = Extract<Node, { kind: "compound" }>;

const TOP: Place = { ignored: false, inFunction: false, loop: "none" };

/** From the second number on, variables that a loop changes are forgotten, so that it comes to an end. */
const MAX_ROUNDS = 12;
const EXACT_ROUNDS = 4;

/**
 * Follows every way through a script. A command that may succeed or fail makes two ways of one. The result covers all
 * that a shell can do: a way may be impossible, but none is missing.
 */
export class ShellWays implements ListWays {
  readonly #script: MarkedScript;
  readonly #space = new StateSpace();
  readonly #tried = new WeakMap<List, Facts>();
  readonly #commands: CommandWays;

  constructor(script: MarkedScript) {
    this.#script = script;
    this.#commands = new CommandWays(script, this.#space, this);
  }

  /** What is proven on each way that ends with status 0. */
  proven(): Facts {
    const ends = this.shell(this.#script.tree.line, this.#space.start({ errexit: false, pipefail: false }));
    const good = ends
      .filter(isOk)
      .map(({ passed, spoiled, settings }) => passed & ~spoiled & ~undecided(settings.jobs));
    return good.length === 0 ? 0n : good.reduce((one, other) => one & other);
  }

  /** Runs a list as a shell of its own, to its end and through its EXIT trap. */
  shell(list: List, state: State): readonly State[] {
    return this.#ended(this.list(list, [state], TOP));
  }

  #ended(states: readonly State[]): readonly State[] {
    return states.flatMap((state) => {
      const { exitTrap } = state.settings;
      if (exitTrap === undefined) return [state];
      const handling = { ...this.#space.with(state, { exitTrap: undefined }), end: undefined };
      const handled = this.list(exitTrap, [handling], TOP);
      if (handled.some(({ settings }) => settings.exitTrap !== undefined)) throw new NotFollowed();
      return handled.map((end) => (end.end === "exit" ? end : { ...end, ok: state.ok }));
    });
  }

  /** A shell of its own cannot wait for the jobs of the one around it, nor that one for its jobs. */
  subshell(run: (inner: State, place: Place) => readonly State[], state: State, place: Place): readonly State[] {
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

  list(list: List, states: readonly State[], place: Place): readonly State[] {
    return list.reduce((all, one) => this.#each(all, (state) => this.#statement(one, state, place)), states);
  }

  #each(states: readonly State[], step: (state: State) => readonly State[]): readonly State[] {
    return this.#space.join(states.flatMap((state) => (state.end === undefined ? step(state) : [state])));
  }

  #statement(statement: Statement, state: State, place: Place): readonly State[] {
    if (!statement.background) return this.#chain(statement, state, place);
    const tried = this.triedIn([statement]);
    const alone = { ...state, passed: 0n, spoiled: 0n };
    const ends = this.subshell((inner, at) => this.#chain(statement, inner, at), alone, place);
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
    const inside = (node: Node, from: State) => this.subshell((inner, at) => this.#node(node, inner, at), from, place);
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
        return [...unopened, ...this.#commands.run(node, state, place)];
      case "group":
        return [...unopened, ...this.list(node.list, [state], place)];
      case "subshell":
        return [...unopened, ...this.subshell((inner, at) => this.list(node.list, [inner], at), state, place)];
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
    return { ...state, spoiled: state.spoiled | this.triedIn(list) };
  }

  #compound({ compound, parts }: CompoundNode, given: State, place: Place): readonly State[] {
    const state = this.#commands.without(given, [compound.name ?? ""]);
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
          const tested = this.list(partOf("condition", branch), open, { ...place, ignored: true });
          ends.push(...tested.filter(({ end }) => end !== undefined));
          const going = tested.filter(({ end }) => end === undefined);
          ends.push(...this.list(partOf("if", branch), going.filter(isOk), place));
          open = going.filter(({ ok }) => !ok);
        }
        const otherwise = parts.find(({ scope }) => scope.kind === "if" && scope.branch === compound.branches);
        const rest = otherwise && this.list(otherwise.list, open, place);
        return this.#space.join([...ends, ...(rest ?? open.map((one) => ({ ...one, ok: true })))]);
      }
      case "case": {
        if (compound.total === undefined) throw new NotFollowed();
        const ends: State[] = compound.total ? [] : [{ ...state, ok: true }];
        for (let branch = 0; branch < compound.branches; branch += 1) {
          const part = parts.find(({ scope }) => scope.branch === branch);
          ends.push(...(part ? this.list(part.list, both(state), place) : [{ ...state, ok: true }]));
        }
        return this.#space.join(ends);
      }
      case "each": {
        const ends = this.list(parts[0]?.list ?? [], [{ ...state, ok: true }], place);
        return ends.map((end) => this.#commands.without(end, [compound.name ?? ""]));
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
        const start = this.#commands.without(head, [name ?? ""]);
        const tested = condition ? this.list(condition.list, [start], { ...here, ignored: true }) : both(start);
        for (const one of tested) {
          if (one.end !== undefined) leave(one);
          else if (one.ok === (condition?.until ?? false)) outs.push({ ...one, ok: head.ok });
          else for (const end of this.list(body, [one], here)) leave(end);
        }
      }
      const all = this.#space.join([...heads, ...next]);
      if (areSame(all, heads)) return this.#space.join(outs);
      heads = round < EXACT_ROUNDS ? all : this.#space.join(all.map((one) => this.#space.forgotten(one)));
    }
    throw new NotFollowed();
  }

  /** What the commands of a list decide or make outdated. */
  triedIn(list: List): Facts {
    const known = this.#tried.get(list);
    if (known !== undefined) return known;
    const nodes = list.flatMap(({ pipes }) => pipes.flatMap((pipe) => pipe.nodes));
    const tried = nodes.reduce((facts, node) => facts | this.#triedBy(node), 0n);
    this.#tried.set(list, tried);
    return tried;
  }

  #triedBy(node: Node): Facts {
    const { proves, doubts, outdates } = this.#commands.factsOf(node.kind === "run" ? node.run : undefined);
    const script = node.kind === "run" ? this.#script.tree.scripts.get(node.run) : undefined;
    const own = node.kind === "run" ? [node.call, node.eval, node.handler, script] : [];
    const inner = node.kind === "compound" ? node.parts.map(({ list }) => list) : "list" in node ? [node.list] : own;
    const lists = [...node.substitutions, ...inner].filter((list) => list !== undefined);
    return lists.reduce((facts, list) => facts | this.triedIn(list), proves | doubts | outdates);
  }
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

function isOk({ ok }: State): boolean {
  return ok;
}
