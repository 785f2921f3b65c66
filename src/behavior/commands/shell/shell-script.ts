import type { Folders } from "./folders.ts";
import type { ShellWord } from "./shell-word.ts";
import type { RedirectOperator } from "./syntax-tree.ts";

/** How a command or a compound command is joined to its list. */
export type ShellLink = {
  /** The operator before its pipeline; empty for the first one. */
  readonly after: "" | ";" | "&" | "&&" | "||";
  readonly pipeline: { readonly index: number; readonly length: number };
  readonly negated: boolean;
  readonly background: boolean;
};

/** An `if`, a `case` or a loop; `each` is a `for` over known items, whose body is read once for each of them. */
export type ShellCompound = {
  readonly kind: "if" | "while" | "until" | "for" | "each" | "case";
  /** How many conditions an `if` has, and how many patterns a `case`. */
  readonly branches: number;
  /** Exactly one branch of a `case` runs; `undefined`: one may go on with the next. */
  readonly total?: boolean;
  /** The variable of a `for`. */
  readonly name?: string;
};

/** A compound command, or the part of one, around a command. `condition`: of an `if` or a loop. */
export type ShellScope = ShellLink & {
  readonly kind:
    | "subshell"
    | "group"
    | "condition"
    | "if"
    | "loop"
    | "case"
    | "function"
    | "call"
    | "handler"
    | "coproc"
    | "substitution"
    | "eval";
  readonly parent: ShellScope | undefined;
  /** The compound command that this is a part of, and the number of the branch in it. */
  readonly compound?: ShellCompound;
  readonly branch?: number;
  /** The name of the function that is defined. */
  readonly name?: string;
};

export type ShellAssignment = { readonly name: string; readonly append: boolean; readonly value: ShellWord };

export type ShellRedirect = {
  readonly operator: RedirectOperator | "<<" | "<<-" | "<<<";
  /** `2` or `fd` of `2>` and `{fd}>`. */
  readonly descriptor: string;
  readonly target: ShellWord;
  /** The text of a here-document or here-string. */
  readonly body?: string;
};

/** A simple command, in the order of execution. */
export type ShellCommand = ShellLink & {
  /** The program and its arguments; none for assignments or redirections alone. */
  readonly words: readonly ShellWord[];
  /** Set for the head of a compound command (`for`, `case`, `[[`, `{`), which runs no program. */
  readonly keyword?: string;
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
  readonly scope: ShellScope | undefined;
  /** The text of `[[ … ]]` and `(( … ))`. */
  readonly source?: string;
  /** The likely text on its standard input. */
  readonly input?: string;
  /** The text of the Makefile, package.json and so on that it reads, if the line wrote it. */
  readonly project?: string | undefined;
  /** The folders that it may run in. */
  readonly folders: Folders;
};

/** All commands of a script that may run. */
export type ShellScript = {
  readonly commands: readonly ShellCommand[];
  /** False if the text has a syntax error, nests too deep or is read differently by different shells. */
  readonly parsed: boolean;
  /** The limit that the text exceeds, for people. */
  readonly tooComplex?: string;
};

/** An assignment as an argument of `export` and its like, or as people write it. */
export function assignmentWord({ name, append, value }: ShellAssignment): ShellWord {
  const start = `${name}${append ? "+=" : "="}`;
  const { text, unknown } = value;
  const bare = unknown && { ...unknown, prefix: start + unknown.prefix, bare: start + unknown.bare };
  return { text: start + text, unknown: bare };
}
