import type { ReadBudget } from "../command-limits/read-budget.ts";

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

/** One word of a command line, quotes removed. */
export type Word = {
  /** As the command gets it, as far as can be told: what a substitution gives stands as `$()`, `$HOME` as `~`. */
  readonly text: string;
  /** How much of the text, from its start, is certain; the rest the shell still changes (variables, patterns, braces). */
  readonly known: number;
  /** What is left when all that the shell puts in comes out empty. */
  readonly bare: string;
  readonly quoted: boolean;
  /** The command lists inside `$(…)`, backticks and `<(…)`. */
  readonly lists: readonly (readonly Token[])[];
};

/** Is the word what the command gets? */
export function isLiteral(word: Word): boolean {
  return word.known >= word.text.length;
}

/** A word of our own making. */
export function literalWord(text: string): Word {
  return { text, known: text.length, bare: text, quoted: false, lists: [] };
}

/** A program's name as it is when what stands beside it comes out empty: `${x}npm` may be `npm`. */
export function programWord(word: Word): Word {
  return isLiteral(word) ? word : literalWord(word.bare);
}

/** May the word come out as nothing at all, so that the next one is the program? */
export function mayVanish(word: Word): boolean {
  return word.bare === "" && !isLiteral(word);
}

/** What is left of a word after its first characters. */
export function wordFrom(word: Word, at: number): Word {
  return { ...word, text: word.text.slice(at), known: Math.max(0, word.known - at) };
}

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

const DESCRIPTOR = "/dev/fd/63";

/** A word while it is being read. */
export class WordBuilder {
  readonly lists: (readonly Token[])[] = [];
  text = "";
  quoted = false;
  #bare = "";
  #known: number | undefined;
  #started = false;
  #home = false;
  #descriptor = false;
  #brace: number | undefined;

  /** Certain text. A `~` that was quoted at the start is a name, not the home. */
  add(text: string, quoted = false): void {
    if (quoted) this.quoted = true;
    if (!this.#started && text.startsWith("~")) {
      if (quoted) this.text = "./";
      else this.#home = true;
    }
    if (!quoted && text === "{") this.#brace ??= this.text.length;
    if (text !== "") this.#started = true;
    this.text += text;
    this.#bare += text;
  }

  /** Text that the shell will put something else for. */
  addUnknown(text: string): void {
    this.#known ??= this.text.length;
    this.#started = true;
    this.text += text;
  }

  /** What `<(…)` gives: a descriptor when it is the whole word. */
  addDescriptor(): void {
    this.addUnknown(DESCRIPTOR);
    this.#descriptor = true;
  }

  /** `$HOME` and `$PWD` at the start of a word, which are known as `~` and `.`; `false` when it does not stand there. */
  addFolder(text: "~" | "."): boolean {
    if (this.#started) return false;
    this.#home = true;
    this.#started = true;
    this.text += text;
    return true;
  }

  /** `home: false` when the line gives HOME another value. */
  finish(home: boolean): Word {
    if (this.#descriptor && this.text === DESCRIPTOR) return { ...literalWord(DESCRIPTOR), lists: this.lists };
    let known = this.#known ?? this.text.length;
    // `~user` and `${HOME}x` are some other place; `{}` alone is what find and xargs fill in.
    if (this.#home && (!home || !/^[~.](?:\/|$)/.test(this.text))) known = 0;
    if (this.#brace !== undefined && this.text.length > 2) known = Math.min(known, this.#brace);
    return { text: this.text, known, bare: this.#bare, quoted: this.quoted, lists: this.lists };
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }),
);

/** The inside of `$'…'`; `undefined` when it holds what ends a name early. */
export function decodeAnsi(text: string): string | undefined {
  const decoded = text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))/gs,
    (_all, hex, short, long, octal, control, plain) => {
      const code = hex ?? short ?? long;
      if (code !== undefined) return codePoint(Number.parseInt(code, 16));
      if (octal !== undefined) return codePoint(Number.parseInt(octal, 8) & 0xff);
      if (control !== undefined) return codePoint(control.charCodeAt(0) & 0x1f);
      return ESCAPES.get(plain) ?? ("'\"\\?".includes(plain) ? plain : `\\${plain}`);
    },
  );
  return decoded.includes("\0") ? undefined : decoded;
}

function codePoint(code: number): string {
  return code > 0x10ffff ? "\0" : String.fromCodePoint(code);
}
