import type { ReadBudget } from "../command-limits/read-budget.ts";
import type { Word } from "./word.ts";

/** Where a redirection leads. `none`: to another descriptor, or from text on the line itself. */
export type Redirect = {
  readonly access: "read" | "write" | "none";
  readonly target: Word;
  /** Does it take away what the command says on its standard output? */
  readonly output: boolean;
  /** Text that stands on the line and is the command's input (`<<`, `<<<`); filled in when its lines are read. */
  body?: string;
  /** The command lists that are substituted in such lines. */
  lists?: readonly (readonly Token[])[];
};

export type Token =
  | { readonly kind: "word"; readonly word: Word }
  | { readonly kind: "redirect"; readonly redirect: Redirect }
  | { readonly kind: "operator"; readonly text: string };

/** How a line is read: a plain POSIX shell has no `[[ … ]]`, no `((…))` and no `$'…'`. */
export type Dialect = "bash" | "posix";

/** A text that is being read, from left to right and once. */
export type Reader = {
  readonly text: string;
  readonly dialect: Dialect;
  /** Do `~` and `$HOME` mean what they usually do? */
  readonly home: boolean;
  at: number;
  /** How deep in substitutions we are. */
  depth: number;
  readonly budget: ReadBudget;
  /** False when quotes or brackets do not close, or when shells disagree: then nothing may be concluded from the words. */
  parsed: boolean;
  /** Here-documents whose lines have not come yet. */
  readonly heres: { readonly redirect: Redirect; readonly word: Word; readonly tabs: boolean }[];
  /** Reads commands up to the `)` that closes, or to the end. */
  readonly list: (reader: Reader, close: "" | ")") => readonly Token[];
};

/** Deeper substitutions are not read. */
const MAX_DEPTH = 12;

export function broken(reader: Reader): void {
  reader.parsed = false;
  reader.at = reader.text.length;
}

/** One level deeper, unless that is too deep: then the text counts as not read. */
export function deeper<T>(reader: Reader, read: () => T): T | undefined {
  if (reader.depth >= MAX_DEPTH || reader.budget.passed !== undefined) {
    broken(reader);
    return undefined;
  }
  reader.depth += 1;
  const result = read();
  reader.depth -= 1;
  return result;
}

/** A text inside the text, read by itself. */
export function inside<T>(reader: Reader, text: string, read: (inner: Reader) => T): T | undefined {
  if (!reader.budget.spend(text.length)) broken(reader);
  return deeper(reader, () => {
    const inner: Reader = { ...reader, text, at: 0, parsed: true, heres: [] };
    const result = read(inner);
    if (!inner.parsed || inner.heres.length > 0) reader.parsed = false;
    return result;
  });
}
