import { eitherFolder, type Folders, type Outcome, START } from "../folders.ts";
import { MAX_LENGTH, ReadBudget, TOO_LONG } from "../read-budget.ts";
import type { ShellLink, ShellScope, ShellScript } from "../shell-script.ts";
import { isLiteral, likelyWords } from "../shell-word.ts";
import * as syntax from "../syntax-tree.ts";
import { Variables } from "../variables.ts";
import { inputOf, testWords } from "./command-parts.ts";
import { parsesInLinearTime } from "./parse-cost.ts";
import { FIRST, inside, type ParseLimits, ParserState, type Place, type ScopePart } from "./parser-state.ts";
import { type ScriptReader, SimpleCommands } from "./simple-command.ts";

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

/** Finds every simple command of a script. Expands what is certain, runs nothing, never throws, takes linear time. */
export function parseShell(line: string, limits: Partial<ParseLimits> = {}): ShellScript {
  const budget = limits.budget ?? new ReadBudget(line.length);
  if (line.length > MAX_LENGTH) return { commands: [], parsed: false, tooComplex: TOO_LONG };
  const reader = new Reader(line, {
    folders: START,
    dialect: "bash",
    positional: [],
    environment: NO_VARIABLES,
    ...limits,
    home: limits.home ?? assumesHome(line),
    budget,
  });
  try {
    reader.read();
  } catch (error) {
    // unbash recurses without a limit on some syntax errors, such as 2,000 function names in a row.
    if (!(error instanceof RangeError)) throw error;
    return { commands: [], parsed: false, tooComplex: "nesting of functions" };
  }
  const { commands, parsed } = reader.state;
  return budget.passed === undefined
    ? { commands, parsed }
    : { commands: [], parsed: false, tooComplex: budget.passed };
}

/** Returns whether `~` and `$PWD` have their usual meaning. */
export function assumesHome(line: string): boolean {
  return !/(?:^|[^${\w])(?:HOME|PWD)\b/.test(line);
}

/** Reads lists, pipelines and compound commands. */
class Reader implements ScriptReader {
  readonly #state: ParserState;
  readonly #commands: SimpleCommands;

  constructor(line: string, limits: ParseLimits) {
    this.#state = new ParserState(line, limits, (script, place) => this.#script(script, place));
    this.#commands = new SimpleCommands(this.#state, this);
  }

  get state(): Pick<ParserState, "commands" | "parsed"> {
    return this.#state;
  }

  read(): void {
    this.text(this.#state.line, this.#state.place);
  }

  text(text: string, place: Place): Outcome {
    const { budget } = this.#state.limits;
    if (!parsesInLinearTime(text)) budget.exceed("braces and here-documents that take too long to read");
    if (!budget.spend(text.length)) return { ok: place.folders, any: place.folders };
    const source = this.#state.source;
    this.#state.source = text;
    const outcome = this.#script(syntax.parse(text), place);
    this.#state.source = source;
    return outcome;
  }

  #script(script: syntax.ParsedScript, place: Place): Outcome {
    if (script.errors !== undefined && script.errors.length > 0) this.#state.parsed = false;
    const source = this.#state.source;
    this.#state.source = script.source ?? source;
    const outcome = this.#list(script.commands, place);
    this.#state.source = source;
    return outcome;
  }

  #list(statements: readonly syntax.Statement[], place: Place): Outcome {
    let outcome: Outcome = { ok: place.folders, any: place.folders };
    let after: ShellLink["after"] = "";
    for (const { command, background = false } of statements) {
      const link = { ...FIRST, after, background };
      const here = { ...place, folders: outcome.any, link };
      if (background) this.#state.fork(() => this.#chain(command, here));
      else outcome = this.#chain(command, here);
      if (command.type === "Command") {
        this.#state.stops ||=
          place.scope === undefined &&
          SETS_ERREXIT.test(this.#state.source.slice(command.pos, command.end)) &&
          !/[ \t]\+/.test(this.#state.line);
        // After `set -e` a `cd` that fails ends the script.
        if (this.#state.stops && place.checked && !background) outcome = { ok: outcome.ok, any: outcome.ok };
      }
      after = background ? "&" : ";";
    }
    return outcome;
  }

  #chain(node: syntax.Statement["command"], place: Place): Outcome {
    if (node.type !== "AndOr") return this.#pipeline(node, place);
    let { ok, any }: Outcome = { ok: place.folders, any: place.folders };
    const outer = this.#state.variables;
    const pushed = [...this.#state.pushed];
    for (const [i, command] of node.commands.entries()) {
      const operator = node.operators[i - 1] ?? "&&";
      if (i === 1 || operator === "||") this.#state.variables = branchOf(outer, this.#state.variables);
      const link = i === 0 ? place.link : { ...place.link, after: operator };
      const outcome = this.#pipeline(command, {
        ...place,
        folders: operator === "&&" ? ok : any,
        link,
        checked: false,
      });
      any = eitherFolder(any, outcome.any);
      ok = operator === "&&" ? outcome.ok : any;
    }
    if (outer !== this.#state.variables) outer.leave(this.#state.variables);
    this.#state.variables = outer;
    this.#state.forgetPushed(pushed, node);
    return { ok, any };
  }

  #pipeline(node: syntax.PipelineNode, place: Place): Outcome {
    if (node.type !== "Pipeline") return this.node(node, place);
    const negated = node.prefixes.filter(({ type }) => type === "Negation").length % 2 === 1;
    const { length } = node.commands;
    let any = place.folders;
    const input = this.#state.likely.input;
    const before = this.#state.likely.output;
    for (const [index, command] of node.commands.entries()) {
      const here = { ...place, link: { ...place.link, pipeline: { index, length }, negated } };
      if (length > 1) this.#state.likely.output = "";
      const outcome = length === 1 ? this.node(command, here) : this.#state.fork(() => this.node(command, here));
      if (length === 1 && !negated) return outcome;
      if (length > 1) this.#state.likely.input = this.#state.likely.output;
      // Some shells run the last command themselves.
      any = eitherFolder(place.folders, outcome.any);
    }
    this.#state.likely.input = input;
    if (length > 1) {
      const { output } = this.#state.likely;
      this.#state.likely.output = before;
      this.#state.likely.add(output);
    }
    return { ok: any, any };
  }

  node(node: syntax.CommandNode | syntax.CompoundList, place: Place): Outcome {
    this.#state.place = place;
    const { folders } = place;
    const stays = { ok: folders, any: folders };
    switch (node.type) {
      case "Command":
        return this.#commands.command(node, place);
      case "Redirected": {
        const outer = this.#state.likely.input;
        this.#state.likely.input = inputOf(this.#commands.head("{", [], place, node.redirects)) ?? outer;
        const outcome = this.node(node.command, place);
        this.#state.likely.input = outer;
        return outcome;
      }
      case "CompoundList":
        return this.#list(node.commands, place);
      case "BraceGroup":
        return this.#list(node.body.commands, inside("group", place));
      case "Subshell":
        this.#state.fork(() => this.#list(node.body.commands, inside("subshell", place)));
        return stays;
      case "If":
        return this.#if([node, ...node.elif], node.else, place);
      case "While": {
        const loop = { ...place, again: true };
        const part = { compound: { kind: node.kind, branches: 1 } };
        const { any } = this.#list(node.clause.commands, inside("condition", loop, part));
        return this.#branch(node.body, "loop", { ...loop, folders: any }, part);
      }
      case "For":
      case "Select":
        return this.#for(node, place);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update]) if (part) this.#state.readSubstitutions(part);
        return this.#branch(node.body, "loop", { ...place, again: true }, { compound: { kind: "for", branches: 1 } });
      case "Case": {
        this.#commands.head("case", [node.word, ...node.items.flatMap(({ pattern }) => pattern)], place);
        const compound = { kind: "case", branches: node.items.length, total: isTotal(node) } as const;
        const ends = node.items.map(({ body }, branch) => this.#branch(body, "case", place, { compound, branch }).any);
        const any = ends.reduce(eitherFolder, folders);
        return { ok: any, any };
      }
      case "Function":
        this.#state.functions.set(node.name.value, node.body);
        return this.#branch(node.body, "function", { ...place, again: true }, { name: node.name.value });
      case "Coproc":
        this.#state.fork(() => this.node(node.body, inside("coproc", place)));
        return stays;
      case "TestCommand":
      case "ArithmeticCommand":
        if (this.#state.dialect === "posix") return this.#asPosix(node, place);
        if (node.type === "ArithmeticCommand") this.#state.readSubstitutions(node);
        this.#commands.head(node.type === "TestCommand" ? "[[" : "((", testWords(node), place, [], node);
        return stays;
    }
  }

  /** A loop over a literal list is its body, once for each item. */
  #for(node: syntax.For | syntax.Select, place: Place): Outcome {
    const items = this.#commands.head("for", node.wordlist ?? [], place).words;
    const [name, text] = [node.name.value, this.#state.source.slice(node.body.pos, node.body.end)];
    const isUnrolled =
      node.type === "For" && items.length > 0 && items.length <= MAX_ITEMS && !/\b(?:break|continue)\b/.test(text);
    const part = { compound: { kind: "for", branches: 1, name } } as const;
    if (!isUnrolled || !items.every(isLiteral) || this.#state.again < items.length) {
      const likely = (likelyWords(items) ?? items).slice(0, MAX_LIKELY_ITEMS);
      for (const { text: value } of likely.slice(1)) {
        this.#state.noteLikely(name, [value]);
        if (this.#state.limits.budget.spend(text.length))
          this.#branch(node.body, "loop", { ...place, again: true }, part);
      }
      this.#state.noteLikely(
        name,
        likely.slice(0, 1).map((word) => word.text),
      );
      return this.#branch(node.body, "loop", { ...place, again: true }, part);
    }
    this.#state.again -= items.length;
    const loop = inside("group", place, { compound: { kind: "each", branches: items.length, name } });
    let outcome: Outcome = { ok: place.folders, any: place.folders };
    for (const [i, item] of items.entries()) {
      if (!this.#state.limits.budget.spend(text.length)) break;
      if (i === 0) this.#state.uses.noteAssignment(name);
      this.#state.variables.set(name, item.text);
      this.#state.noteLikely(name, [item.text]);
      const link: ShellLink = i === 0 ? FIRST : { ...FIRST, after: ";" };
      outcome = this.node(node.body, inside("group", { ...loop, folders: outcome.any, link }));
    }
    return outcome;
  }

  #if(branches: readonly (syntax.If | syntax.Elif)[], last: syntax.CompoundList | undefined, place: Place): Outcome {
    let from = place.folders;
    let any: Folders | undefined;
    const compound = { kind: "if", branches: branches.length } as const;
    for (const [branch, { clause, then }] of branches.entries()) {
      const part = { compound, branch };
      const tested = this.#list(clause.commands, inside("condition", { ...place, folders: from }, part));
      const outcome = this.#branch(then, "if", { ...place, folders: tested.ok }, part);
      any = any === undefined ? outcome.any : eitherFolder(any, outcome.any);
      from = tested.any;
    }
    const part = { compound, branch: branches.length };
    const otherwise = last === undefined ? from : this.#branch(last, "if", { ...place, folders: from }, part).any;
    const all = eitherFolder(otherwise, any ?? from);
    return { ok: all, any: all };
  }

  /** A list that may not run. */
  #branch(
    node: syntax.CommandNode | syntax.CompoundList,
    kind: ShellScope["kind"],
    place: Place,
    part: ScopePart,
  ): Outcome {
    const outer = this.#state.variables;
    this.#state.variables = new Variables(outer);
    const pushed = [...this.#state.pushed];
    const { any } = this.node(node, inside(kind, place, part));
    outer.leave(this.#state.variables);
    this.#state.variables = outer;
    this.#state.forgetPushed(pushed, node);
    const all = eitherFolder(place.folders, any);
    return { ok: all, any: all };
  }

  /** A plain shell takes `[[` for a program and `((` for two subshells. */
  #asPosix(node: syntax.TestCommand | syntax.ArithmeticCommand, place: Place): Outcome {
    const text = this.#state.source.slice(node.pos, node.end);
    const posix = node.type === "TestCommand" ? `\\${text}` : `( ${text.slice(1)}`;
    return this.#state.deeper(text.length, () => this.text(posix, place)) ?? { ok: place.folders, any: place.folders };
  }
}

const SETS_ERREXIT = /^set -(?:[a-z]*e[a-z]*|o errexit)(?![\w-])/;

/** Loops over longer lists are read once. */
const MAX_ITEMS = 16;
const MAX_LIKELY_ITEMS = 4;

/** Whether a `case` has a `*)` branch; `undefined` if a branch goes on with the next. */
function isTotal({ items }: syntax.Case): boolean | undefined {
  if (items.some(({ terminator = ";;" }) => terminator !== ";;")) return undefined;
  return items.some(({ pattern }) => pattern.some(({ text }) => text === "*"));
}

/** The next branch of a chain, after the one before it may or may not have run. */
function branchOf(outer: Variables, before: Variables): Variables {
  if (before !== outer) outer.leave(before);
  return new Variables(outer);
}
