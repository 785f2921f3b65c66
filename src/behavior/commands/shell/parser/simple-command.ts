import { expandWord } from "../expand-word.ts";
import { foldersAfter, type Outcome, UNKNOWN } from "../folders.ts";
import { assignmentWord, type ShellAssignment, type ShellCommand, type ShellRedirect } from "../shell-script.ts";
import { isLiteral, likelyWords, matchedProgram, type ShellWord } from "../shell-word.ts";
import type * as syntax from "../syntax-tree.ts";
import { assignedWord, inputOf, readRedirect } from "./command-parts.ts";
import { inside, type ParserState, type Place } from "./parser-state.ts";

/** Reads the scripts that a command brings with it: functions, aliases, `eval`, handlers. */
export type ScriptReader = {
  text(text: string, place: Place): Outcome;
  node(node: syntax.CommandNode | syntax.CompoundList, place: Place): Outcome;
};

/** Reads simple commands: words, assignments, redirections, and what a command does to the shell itself. */
export class SimpleCommands {
  readonly #state: ParserState;
  readonly #scripts: ScriptReader;

  constructor(state: ParserState, scripts: ScriptReader) {
    this.#state = state;
    this.#scripts = scripts;
  }

  /** A keyword with its words and redirections counts as a command. */
  head(
    keyword: string,
    words: readonly syntax.Word[],
    { folders, scope, link }: Place,
    redirections: readonly syntax.Redirection[] = [],
    test?: syntax.SyntaxNode,
  ): ShellCommand {
    const mode = keyword === "for" ? "argument" : "value";
    const expanded = words.flatMap((word) => expandWord(word, this.#state, mode));
    const redirects = redirections.map((redirect) => this.#redirect(redirect));
    const source = test && this.#state.source.slice(test.pos, test.end);
    const head = { ...link, words: expanded, keyword, assignments: [], redirects, scope, folders, source };
    this.#state.commands.push(head);
    return head;
  }

  /** Reads a command, and returns the folders after it. */
  command(node: syntax.Command, place: Place): Outcome {
    const { folders, scope, link } = place;
    const assignments: ShellAssignment[] = [];
    const redirects: ShellRedirect[] = [];
    const words: ShellWord[] = node.name === undefined ? [] : expandWord(node.name, this.#state).map(matchedProgram);
    for (const part of node.prefix) {
      if (part.type !== "Assignment") redirects.push(this.#redirect(part));
      else assignments.push(this.#assignment(part, node.name === undefined, false));
    }
    const declares = DECLARATIONS.has(words[0]?.text ?? "") && !node.suffix.some(isOption);
    let merged = false;
    for (const part of node.suffix) {
      // A plain shell ends the command at the `&` of `&>`.
      if (merged && (part.type === "Word" || part.type === "Assignment")) this.#state.parsed = false;
      if (part.type === "Word") words.push(...expandWord(part, this.#state));
      else if (part.type === "Assignment") words.push(assignmentWord(this.#assignment(part, declares, true)));
      else {
        redirects.push(this.#redirect(part));
        if (part.operator.startsWith("&>")) merged = true;
      }
    }
    const named = this.#state.likely.withContents(words);
    const input = inputOf({
      redirects: redirects.map((one) => ({ ...one, target: this.#state.likely.withContent(one.target) })),
    });
    const command = {
      ...link,
      words: named,
      assignments,
      redirects,
      scope,
      folders,
      input: input ?? this.#state.likely.input,
      project: this.#state.likely.projectFile(named[0]?.text ?? ""),
    };
    this.#state.commands.push(command);
    this.#state.likely.note(command);
    return this.#follow(node, named, place) ?? this.#effectsOf(named, place) ?? this.#foldersAfter(words, place);
  }

  #foldersAfter(words: readonly ShellWord[], { folders, again, checked }: Place): Outcome {
    const stops = this.#state.stops && checked;
    const { pushed } = this.#state;
    return foldersAfter(words, { folders, pushed, stops, isUsualGit: () => this.#state.isUsualGit }, again);
  }

  /** Reads the function or the alias that a command is. */
  #follow(node: syntax.Command, [program, ...rest]: readonly ShellWord[], place: Place): Outcome | undefined {
    const name = program?.text ?? "";
    const body = this.#state.functions.get(name);
    const alias = this.#state.likely.aliases.get(name) ?? this.#state.likely.copies.get(name);
    if (body === undefined && alias === undefined) return undefined;
    if (this.#state.following.has(name) || --this.#state.again < 0) return { ok: UNKNOWN, any: UNKNOWN };
    this.#state.following.add(name);
    let outcome: Outcome | undefined;
    const within = inside(body === undefined ? "handler" : "call", place);
    if (body !== undefined) {
      const outer = this.#state.likely.values("@");
      this.#state.noteLikely(
        "@",
        (likelyWords(rest) ?? rest).map(({ text }) => text),
      );
      const isPlain =
        rest.every((word) => isLiteral(word) && PLAIN.test(word.text)) && !SETS_PARAMETERS.test(this.#state.line);
      const after = this.#state.deeper(body.end - body.pos, () =>
        this.#state.fork(() => {
          this.#state.variables.set("@", isPlain ? rest.map(({ text }) => text).join(" ") : undefined);
          return this.#scripts.node(body, within);
        }),
      );
      this.#state.pushed.length = 0;
      // A function may return before it comes back.
      outcome = after && (({ any }) => ({ ok: any, any }))(after);
      this.#state.noteLikely("@", outer);
    } else if (alias !== undefined) {
      const text = `${alias} ${this.#state.source.slice(node.suffix[0]?.pos ?? node.end, node.end)}`;
      this.#state.deeper(text.length, () => this.#scripts.text(text, within));
    }
    this.#state.following.delete(name);
    return outcome;
  }

  /** What `eval` and its like do to the shell itself. */
  #effectsOf([program, ...rest]: readonly ShellWord[], place: Place): Outcome | undefined {
    const name = program?.text;
    if (name === "source" || name === "." || name === "unset") this.#state.variables.clear();
    if (name === "trap" && rest.length > 1) {
      this.#state.deeper(rest[0]?.text.length ?? 0, () =>
        this.#scripts.text(rest[0]?.text ?? "", inside("handler", place)),
      );
    }
    if (name !== "eval") return undefined;
    const likely = likelyWords(rest);
    const text = (likely ?? rest)
      .map((word) => word.text)
      .join(" ")
      .replace(/^-- /, "");
    // What is only likely proves nothing.
    const within = inside(likely === undefined ? "eval" : "handler", place);
    const outcome = this.#state.deeper(text.length, () => this.#scripts.text(text, within));
    if (!rest.every(isLiteral)) this.#state.variables.clear();
    return outcome ?? { ok: UNKNOWN, any: UNKNOWN };
  }

  /** `keeps`: the variable belongs to the shell, not only to the command behind it. */
  #assignment(node: syntax.Assignment, keeps: boolean, isArgument: boolean): ShellAssignment {
    const { name, append = false } = node;
    const word = assignedWord(node, isArgument, this.#state, this.#state.likely);
    if (keeps) {
      const before = append ? this.#state.valueOf(name) : "";
      this.#state.uses.noteAssignment(name);
      const isKnown = isLiteral(word) && !word.folder && before !== undefined;
      this.#state.variables.set(name, isKnown ? before + word.text : undefined);
    }
    return { name, append, value: this.#state.likely.withContent(word) };
  }

  #redirect(node: syntax.Redirection): ShellRedirect {
    return readRedirect(node, this.#state.source, this.#state);
  }
}

/** Words that stay one word wherever they are put. */
const PLAIN = /^[\w@%+=:,./-]+$/;
const SETS_PARAMETERS = /\bshift\b|\bset\s+(?!-[a-zA-Z]+(?:[ \t]+pipefail)?[ \t]*(?:[;&|\n]|$))/;
const DECLARATIONS = new Set(["export", "readonly", "declare", "typeset", "local"]);

function isOption(node: syntax.SyntaxNode): boolean {
  return node.type === "Word" && /^[-+$"'\\]/.test(node.text);
}
