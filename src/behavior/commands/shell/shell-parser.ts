import { assignedWord, inputOf, readRedirect, separatorsOf, testWords } from "./command-parts.ts";
import { type Dialect, type ExpandContext, expandWord } from "./expand-word.ts";
import { eitherFolder, type Folders, foldersAfter, type Outcome, START, UNKNOWN } from "./folders.ts";
import { LikelyState } from "./likely-state.ts";
import { parsesInLinearTime } from "./parse-cost.ts";
import { MAX_LENGTH, ReadBudget, TOO_LONG } from "./read-budget.ts";
import {
  assignmentWord,
  type ShellAssignment,
  type ShellCommand,
  type ShellLink,
  type ShellRedirect,
  type ShellScope,
  type ShellScript,
} from "./shell-script.ts";
import { isLiteral, likelyWords, matchedProgram, type ShellWord } from "./shell-word.ts";
import * as syntax from "./syntax-tree.ts";
import { NameUses, Variables } from "./variables.ts";

export type ParseLimits = {
  /** Shared by a line and the scripts in it. */
  readonly budget: ReadBudget;
  readonly folders: Folders;
  readonly dialect: Dialect;
  readonly home: boolean;
  /** The words after the script of `bash -c`. */
  readonly positional: readonly string[];
};

/** Deeper substitutions are not read. */
const MAX_DEPTH = 12;
const FIRST: ShellLink = { after: "", pipeline: { index: 0, length: 1 }, negated: false, background: false };

/** Finds every simple command of a script. Expands what is certain, runs nothing, never throws, takes linear time. */
export function parseShell(line: string, limits: Partial<ParseLimits> = {}): ShellScript {
  const budget = limits.budget ?? new ReadBudget(line.length);
  if (line.length > MAX_LENGTH) return { commands: [], parsed: false, tooComplex: TOO_LONG };
  const reader = new Reader(line, {
    folders: START,
    dialect: "bash",
    home: assumesHome(line),
    positional: [],
    ...limits,
    budget,
  });
  try {
    reader.read();
  } catch (error) {
    // unbash recurses without a limit on some syntax errors, such as 2,000 function names in a row.
    if (!(error instanceof RangeError)) throw error;
    return { commands: [], parsed: false, tooComplex: "nesting of functions" };
  }
  const { commands, parsed } = reader;
  return budget.passed === undefined
    ? { commands, parsed }
    : { commands: [], parsed: false, tooComplex: budget.passed };
}

/** Returns whether `~` and `$PWD` have their usual meaning. */
export function assumesHome(line: string): boolean {
  return !/(?:^|[^${\w])(?:HOME|PWD)\b/.test(line);
}

type ScopePart = Pick<ShellScope, "compound" | "branch" | "name">;

/** Where a command stands. `again`: it may run more than once. */
type Place = {
  readonly folders: Folders;
  readonly scope: ShellScope | undefined;
  readonly link: ShellLink;
  readonly again: boolean;
  /** `set -e` ends the script if a command fails here. */
  readonly checked: boolean;
};

class Reader implements ExpandContext {
  readonly commands: ShellCommand[] = [];
  parsed = true;
  readonly dialect: Dialect;
  readonly home: boolean;
  readonly #limits: ParseLimits;
  readonly #line: string;
  /** The text that the positions of the tree refer to. */
  #source: string;
  #names: NameUses | undefined;
  #variables = new Variables();
  readonly #likely: LikelyState;
  readonly #functions = new Map<string, syntax.Function["body"]>();
  /** Functions and aliases that are being followed. */
  readonly #following = new Set<string>();
  /** How many more loops are unrolled, and functions and aliases followed: each reads its text again. */
  #again = MAX_AGAIN;
  #place: Place;
  #depth = 0;
  /** `set -e` ran, and nothing turns it off. */
  #stops = false;
  readonly #pushed: Folders[] = [];
  readonly #isUsualGit: boolean;

  constructor(line: string, limits: ParseLimits) {
    this.#line = line;
    this.#source = line;
    this.#limits = limits;
    this.dialect = limits.dialect;
    this.home = limits.home;
    this.#place = { folders: limits.folders, scope: undefined, link: FIRST, again: false, checked: true };
    this.#likely = new LikelyState(limits.budget, limits.positional, separatorsOf(line));
    this.#isUsualGit = !/\bGIT_|\bgit\s*\(|\bfunction\b|\balias\b/.test(line);
  }

  read(): void {
    this.#text(this.#line, this.#place);
  }

  valueOf(name: string): string | undefined {
    if (name === "IFS" && this.#uses.splitsAtBlanks) return " ";
    const value = this.#variables.get(name);
    if (value === undefined || !this.#uses.areAllSeen(name) || !this.#uses.splitsAtBlanks) return undefined;
    return this.#limits.budget.spend(value.length) ? value : undefined;
  }

  noteAmbiguous(): void {
    this.parsed = false;
  }

  likelyValues(name: string): readonly string[] | undefined {
    return this.#likely.values(name) ?? (name === "SHELL" || name === "BASH" ? ["bash"] : undefined);
  }

  get separators(): RegExp {
    return this.#likely.separators;
  }

  noteLikely(name: string, values: readonly string[] | undefined): void {
    this.#likely.set(name, values);
  }

  readSubstitutions(node: syntax.SyntaxNode): string | undefined {
    const outer = this.#likely.output;
    this.#likely.output = "";
    if (node.type === "Script") {
      const place = this.#inside("substitution", this.#place);
      this.#deeper(node.end - node.pos, () => this.#fork(() => this.#script(node, place)));
    } else if (node.type === "ArithmeticExpansion" || node.type === "ParameterExpansion") {
      this.#deeper(node.end - node.pos, () => this.#readBelow(node));
    } else this.#likely.output = this.#readBelow(node);
    const output = this.#likely.output;
    this.#likely.output = outer;
    return output;
  }

  #readBelow(node: syntax.SyntaxNode): string | undefined {
    let output: string | undefined;
    syntax.forEachChild(node, (child) => {
      output = this.readSubstitutions(child);
    });
    return output;
  }

  get #uses(): NameUses {
    this.#names ??= new NameUses(this.#line);
    return this.#names;
  }

  /** Each level reads its text again. */
  #deeper<T>(length: number, read: () => T): T | undefined {
    if (this.#depth >= MAX_DEPTH || !this.#limits.budget.spend(length)) {
      this.parsed = false;
      return undefined;
    }
    this.#depth += 1;
    const place = this.#place;
    const result = read();
    this.#place = place;
    this.#depth -= 1;
    return result;
  }

  #text(text: string, place: Place): Outcome {
    const { budget } = this.#limits;
    if (!parsesInLinearTime(text)) budget.exceed("braces and here-documents that take too long to read");
    if (!budget.spend(text.length)) return { ok: place.folders, any: place.folders };
    const source = this.#source;
    this.#source = text;
    const outcome = this.#script(syntax.parse(text), place);
    this.#source = source;
    return outcome;
  }

  #script(script: syntax.ParsedScript, place: Place): Outcome {
    if (script.errors !== undefined && script.errors.length > 0) this.parsed = false;
    const source = this.#source;
    this.#source = script.source ?? source;
    const outcome = this.#list(script.commands, place);
    this.#source = source;
    return outcome;
  }

  #list(statements: readonly syntax.Statement[], place: Place): Outcome {
    let outcome: Outcome = { ok: place.folders, any: place.folders };
    let after: ShellLink["after"] = "";
    for (const { command, background = false } of statements) {
      const link = { ...FIRST, after, background };
      const here = { ...place, folders: outcome.any, link };
      if (background) this.#fork(() => this.#chain(command, here));
      else outcome = this.#chain(command, here);
      if (command.type === "Command") {
        this.#stops ||=
          place.scope === undefined &&
          SETS_ERREXIT.test(this.#source.slice(command.pos, command.end)) &&
          !/[ \t]\+/.test(this.#line);
        // After `set -e` a `cd` that fails ends the script.
        if (this.#stops && place.checked && !background) outcome = { ok: outcome.ok, any: outcome.ok };
      }
      after = background ? "&" : ";";
    }
    return outcome;
  }

  #chain(node: syntax.Statement["command"], place: Place): Outcome {
    if (node.type !== "AndOr") return this.#pipeline(node, place);
    let { ok, any }: Outcome = { ok: place.folders, any: place.folders };
    const outer = this.#variables;
    const pushed = [...this.#pushed];
    for (const [i, command] of node.commands.entries()) {
      const operator = node.operators[i - 1] ?? "&&";
      if (i === 1 || operator === "||") this.#variables = branchOf(outer, this.#variables);
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
    if (outer !== this.#variables) outer.leave(this.#variables);
    this.#variables = outer;
    this.#forgetPushed(pushed, node);
    return { ok, any };
  }

  #pipeline(node: syntax.PipelineNode, place: Place): Outcome {
    if (node.type !== "Pipeline") return this.#node(node, place);
    const negated = node.prefixes.filter(({ type }) => type === "Negation").length % 2 === 1;
    const { length } = node.commands;
    let any = place.folders;
    const input = this.#likely.input;
    const before = this.#likely.output;
    for (const [index, command] of node.commands.entries()) {
      const here = { ...place, link: { ...place.link, pipeline: { index, length }, negated } };
      if (length > 1) this.#likely.output = "";
      const outcome = length === 1 ? this.#node(command, here) : this.#fork(() => this.#node(command, here));
      if (length === 1 && !negated) return outcome;
      if (length > 1) this.#likely.input = this.#likely.output;
      // Some shells run the last command themselves.
      any = eitherFolder(place.folders, outcome.any);
    }
    this.#likely.input = input;
    if (length > 1) {
      const { output } = this.#likely;
      this.#likely.output = before;
      this.#likely.add(output);
    }
    return { ok: any, any };
  }

  #node(node: syntax.CommandNode | syntax.CompoundList, place: Place): Outcome {
    this.#place = place;
    const { folders } = place;
    const stays = { ok: folders, any: folders };
    switch (node.type) {
      case "Command":
        return this.#command(node, place);
      case "Redirected": {
        const outer = this.#likely.input;
        this.#likely.input = inputOf(this.#head("{", [], place, node.redirects)) ?? outer;
        const outcome = this.#node(node.command, place);
        this.#likely.input = outer;
        return outcome;
      }
      case "CompoundList":
        return this.#list(node.commands, place);
      case "BraceGroup":
        return this.#list(node.body.commands, this.#inside("group", place));
      case "Subshell":
        this.#fork(() => this.#list(node.body.commands, this.#inside("subshell", place)));
        return stays;
      case "If":
        return this.#if([node, ...node.elif], node.else, place);
      case "While": {
        const loop = { ...place, again: true };
        const part = { compound: { kind: node.kind, branches: 1 } };
        const { any } = this.#list(node.clause.commands, this.#inside("condition", loop, part));
        return this.#branch(node.body, "loop", { ...loop, folders: any }, part);
      }
      case "For":
      case "Select":
        return this.#for(node, place);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update]) if (part) this.readSubstitutions(part);
        return this.#branch(node.body, "loop", { ...place, again: true }, { compound: { kind: "for", branches: 1 } });
      case "Case": {
        this.#head("case", [node.word, ...node.items.flatMap(({ pattern }) => pattern)], place);
        const compound = { kind: "case", branches: node.items.length, total: isTotal(node) } as const;
        const ends = node.items.map(({ body }, branch) => this.#branch(body, "case", place, { compound, branch }).any);
        const any = ends.reduce(eitherFolder, folders);
        return { ok: any, any };
      }
      case "Function":
        this.#functions.set(node.name.value, node.body);
        return this.#branch(node.body, "function", { ...place, again: true }, { name: node.name.value });
      case "Coproc":
        this.#fork(() => this.#node(node.body, this.#inside("coproc", place)));
        return stays;
      case "TestCommand":
      case "ArithmeticCommand":
        if (this.dialect === "posix") return this.#asPosix(node, place);
        if (node.type === "ArithmeticCommand") this.readSubstitutions(node);
        this.#head(node.type === "TestCommand" ? "[[" : "((", testWords(node), place, [], node);
        return stays;
    }
  }

  /** A loop over a literal list is its body, once for each item. */
  #for(node: syntax.For | syntax.Select, place: Place): Outcome {
    const items = this.#head("for", node.wordlist ?? [], place).words;
    const [name, text] = [node.name.value, this.#source.slice(node.body.pos, node.body.end)];
    const isUnrolled =
      node.type === "For" && items.length > 0 && items.length <= MAX_ITEMS && !/\b(?:break|continue)\b/.test(text);
    const part = { compound: { kind: "for", branches: 1, name } } as const;
    if (!isUnrolled || !items.every(isLiteral) || this.#again < items.length) {
      const likely = (likelyWords(items) ?? items).slice(0, MAX_LIKELY_ITEMS);
      for (const { text: value } of likely.slice(1)) {
        this.noteLikely(name, [value]);
        if (this.#limits.budget.spend(text.length)) this.#branch(node.body, "loop", { ...place, again: true }, part);
      }
      this.noteLikely(
        name,
        likely.slice(0, 1).map((word) => word.text),
      );
      return this.#branch(node.body, "loop", { ...place, again: true }, part);
    }
    this.#again -= items.length;
    const loop = this.#inside("group", place, { compound: { kind: "each", branches: items.length, name } });
    let outcome: Outcome = { ok: place.folders, any: place.folders };
    for (const [i, item] of items.entries()) {
      if (!this.#limits.budget.spend(text.length)) break;
      if (i === 0) this.#uses.noteAssignment(name);
      this.#variables.set(name, item.text);
      this.noteLikely(name, [item.text]);
      const link: ShellLink = i === 0 ? FIRST : { ...FIRST, after: ";" };
      outcome = this.#node(node.body, this.#inside("group", { ...loop, folders: outcome.any, link }));
    }
    return outcome;
  }

  #if(branches: readonly (syntax.If | syntax.Elif)[], last: syntax.CompoundList | undefined, place: Place): Outcome {
    let from = place.folders;
    let any: Folders | undefined;
    const compound = { kind: "if", branches: branches.length } as const;
    for (const [branch, { clause, then }] of branches.entries()) {
      const part = { compound, branch };
      const tested = this.#list(clause.commands, this.#inside("condition", { ...place, folders: from }, part));
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
    const outer = this.#variables;
    this.#variables = new Variables(outer);
    const pushed = [...this.#pushed];
    const { any } = this.#node(node, this.#inside(kind, place, part));
    outer.leave(this.#variables);
    this.#variables = outer;
    this.#forgetPushed(pushed, node);
    const all = eitherFolder(place.folders, any);
    return { ok: all, any: all };
  }

  /** Runs in a process of its own, so that its variables and folder stay there. */
  #fork<T>(read: () => T): T {
    const outer = this.#variables;
    const pushed = [...this.#pushed];
    this.#variables = new Variables(outer);
    const result = read();
    this.#variables = outer;
    this.#pushed.splice(0, this.#pushed.length, ...pushed);
    return result;
  }

  /** After a part that may have run only partly, nobody knows which folders `popd` returns to. */
  #forgetPushed(before: readonly Folders[], { pos, end }: syntax.SyntaxNode): void {
    if (before.length + this.#pushed.length > 0 && /\b(?:pushd|popd)\b/.test(this.#source.slice(pos, end)))
      this.#pushed.length = 0;
  }

  #inside(kind: ShellScope["kind"], place: Place, part: ScopePart = {}): Place {
    const checked = place.checked && CHECKED.test(kind) && !place.link.negated && !place.link.background;
    return { ...place, scope: { ...place.link, ...part, kind, parent: place.scope }, link: FIRST, checked };
  }

  /** A plain shell takes `[[` for a program and `((` for two subshells. */
  #asPosix(node: syntax.TestCommand | syntax.ArithmeticCommand, place: Place): Outcome {
    const text = this.#source.slice(node.pos, node.end);
    const posix = node.type === "TestCommand" ? `\\${text}` : `( ${text.slice(1)}`;
    return this.#deeper(text.length, () => this.#text(posix, place)) ?? { ok: place.folders, any: place.folders };
  }

  #head(
    keyword: string,
    words: readonly syntax.Word[],
    { folders, scope, link }: Place,
    redirections: readonly syntax.Redirection[] = [],
    test?: syntax.SyntaxNode,
  ): ShellCommand {
    const mode = keyword === "for" ? "argument" : "value";
    const expanded = words.flatMap((word) => expandWord(word, this, mode));
    const redirects = redirections.map((redirect) => this.#redirect(redirect));
    const source = test && this.#source.slice(test.pos, test.end);
    const head = { ...link, words: expanded, keyword, assignments: [], redirects, scope, folders, source };
    this.commands.push(head);
    return head;
  }

  #command(node: syntax.Command, place: Place): Outcome {
    const { folders, scope, link } = place;
    const assignments: ShellAssignment[] = [];
    const redirects: ShellRedirect[] = [];
    const words: ShellWord[] = node.name === undefined ? [] : expandWord(node.name, this).map(matchedProgram);
    for (const part of node.prefix) {
      if (part.type !== "Assignment") redirects.push(this.#redirect(part));
      else assignments.push(this.#assignment(part, node.name === undefined, false));
    }
    const declares = DECLARATIONS.has(words[0]?.text ?? "") && !node.suffix.some(isOption);
    let merged = false;
    for (const part of node.suffix) {
      // A plain shell ends the command at the `&` of `&>`.
      if (merged && (part.type === "Word" || part.type === "Assignment")) this.parsed = false;
      if (part.type === "Word") words.push(...expandWord(part, this));
      else if (part.type === "Assignment") words.push(assignmentWord(this.#assignment(part, declares, true)));
      else {
        redirects.push(this.#redirect(part));
        if (part.operator.startsWith("&>")) merged = true;
      }
    }
    const named = words.map((word) => this.#likely.withContent(word));
    const input = inputOf({
      redirects: redirects.map((one) => ({ ...one, target: this.#likely.withContent(one.target) })),
    });
    const command = {
      ...link,
      words: named,
      assignments,
      redirects,
      scope,
      folders,
      input: input ?? this.#likely.input,
      project: this.#likely.projectFile(named[0]?.text ?? ""),
    };
    this.commands.push(command);
    this.#likely.note(command);
    return this.#follow(node, named, place) ?? this.#effectsOf(named, place) ?? this.#foldersAfter(words, place);
  }

  #foldersAfter(words: readonly ShellWord[], { folders, again, checked }: Place): Outcome {
    const stops = this.#stops && checked;
    return foldersAfter(words, { folders, pushed: this.#pushed, stops, isUsualGit: this.#isUsualGit }, again);
  }

  /** Reads the function or the alias that a command is. */
  #follow(node: syntax.Command, [program, ...rest]: readonly ShellWord[], place: Place): Outcome | undefined {
    const name = program?.text ?? "";
    const body = this.#functions.get(name);
    const alias = this.#likely.aliases.get(name) ?? this.#likely.copies.get(name);
    if (body === undefined && alias === undefined) return undefined;
    if (this.#following.has(name) || --this.#again < 0) return { ok: UNKNOWN, any: UNKNOWN };
    this.#following.add(name);
    let outcome: Outcome | undefined;
    const inside = this.#inside(body === undefined ? "handler" : "call", place);
    if (body !== undefined) {
      const outer = this.#likely.values("@");
      this.noteLikely(
        "@",
        (likelyWords(rest) ?? rest).map(({ text }) => text),
      );
      const isPlain =
        rest.every((word) => isLiteral(word) && PLAIN.test(word.text)) && !SETS_PARAMETERS.test(this.#line);
      const after = this.#deeper(body.end - body.pos, () =>
        this.#fork(() => {
          this.#variables.set("@", isPlain ? rest.map(({ text }) => text).join(" ") : undefined);
          return this.#node(body, inside);
        }),
      );
      this.#pushed.length = 0;
      // A function may return before it comes back.
      outcome = after && (({ any }) => ({ ok: any, any }))(after);
      this.noteLikely("@", outer);
    } else if (alias !== undefined) {
      const text = `${alias} ${this.#source.slice(node.suffix[0]?.pos ?? node.end, node.end)}`;
      this.#deeper(text.length, () => this.#text(text, inside));
    }
    this.#following.delete(name);
    return outcome;
  }

  /** What `eval` and its like do to the shell itself. */
  #effectsOf([program, ...rest]: readonly ShellWord[], place: Place): Outcome | undefined {
    const name = program?.text;
    if (name === "source" || name === "." || name === "unset") this.#variables.clear();
    if (name === "trap" && rest.length > 1) {
      this.#deeper(rest[0]?.text.length ?? 0, () => this.#text(rest[0]?.text ?? "", this.#inside("handler", place)));
    }
    if (name !== "eval") return undefined;
    const likely = likelyWords(rest);
    const text = (likely ?? rest)
      .map((word) => word.text)
      .join(" ")
      .replace(/^-- /, "");
    // What is only likely proves nothing.
    const inside = this.#inside(likely === undefined ? "eval" : "handler", place);
    const outcome = this.#deeper(text.length, () => this.#text(text, inside));
    if (!rest.every(isLiteral)) this.#variables.clear();
    return outcome ?? { ok: UNKNOWN, any: UNKNOWN };
  }

  /** `keeps`: the variable belongs to the shell, not only to the command behind it. */
  #assignment(node: syntax.Assignment, keeps: boolean, isArgument: boolean): ShellAssignment {
    const { name, append = false } = node;
    const word = assignedWord(node, isArgument, this, this.#likely);
    if (keeps) {
      const before = append ? this.valueOf(name) : "";
      this.#uses.noteAssignment(name);
      const isKnown = isLiteral(word) && !word.folder && before !== undefined;
      this.#variables.set(name, isKnown ? before + word.text : undefined);
    }
    return { name, append, value: this.#likely.withContent(word) };
  }

  #redirect(node: syntax.Redirection): ShellRedirect {
    return readRedirect(node, this.#source, this);
  }
}

/** Parts of a script in which `set -e` holds as it does around them. */
const CHECKED = /^(?:group|subshell|if|loop|case)$/;
/** Words that stay one word wherever they are put. */
const PLAIN = /^[\w@%+=:,./-]+$/;
const SETS_PARAMETERS = /\bshift\b|\bset\s+(?!-[a-zA-Z]+(?:[ \t]+pipefail)?[ \t]*(?:[;&|\n]|$))/;
const SETS_ERREXIT = /^set -(?:[a-z]*e[a-z]*|o errexit)(?![\w-])/;

/** Loops over longer lists are read once. */
const MAX_ITEMS = 16;
const MAX_LIKELY_ITEMS = 4;
const MAX_AGAIN = 100;

const DECLARATIONS = new Set(["export", "readonly", "declare", "typeset", "local"]);

/** Whether a `case` has a `*)` branch; `undefined` if a branch goes on with the next. */
function isTotal({ items }: syntax.Case): boolean | undefined {
  if (items.some(({ terminator = ";;" }) => terminator !== ";;")) return undefined;
  return items.some(({ pattern }) => pattern.some(({ text }) => text === "*"));
}

function isOption(node: syntax.SyntaxNode): boolean {
  return node.type === "Word" && /^[-+$"'\\]/.test(node.text);
}

/** The next branch of a chain, after the one before it may or may not have run. */
function branchOf(outer: Variables, before: Variables): Variables {
  if (before !== outer) outer.leave(before);
  return new Variables(outer);
}
