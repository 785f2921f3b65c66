/** One argument of a command, after quote removal and the expansions that are certain. */
export type ShellWord = {
  /** Unknown parts keep their source text; the output of a substitution is `$()`. */
  readonly text: string;
  /** A `~` or `.` at the start, or behind `name=`, is the home or working folder, whose full path is not known here. */
  readonly folder?: true;
  /** The text of the file that the word names, as far as the line says it. */
  readonly content?: string;
  /** Set if the shell still changes the word: it may become any number of arguments. */
  readonly unknown?: {
    readonly source: string;
    /** Literal text before the first and after the last unknown part. */
    readonly prefix: string;
    readonly suffix: string;
    /** The word if all unknown parts are empty. */
    readonly bare: string;
    /** The words that it likely becomes: used to gate, never to prove. */
    readonly likely?: readonly string[];
  };
};

export function literalWord(text: string): ShellWord {
  return { text };
}

export const NO_WORD: ShellWord = literalWord("");

export function unknownWord(source: string): ShellWord {
  return { text: source, unknown: { source, prefix: "", suffix: "", bare: "" } };
}

export function isLiteral(word: ShellWord): boolean {
  return word.unknown === undefined;
}

/** The literal text at the start of a word. */
export function knownPrefix(word: ShellWord): string {
  return word.unknown?.prefix ?? word.text;
}

/** A program name with its unknown parts taken as empty: `${x}npm` may be `npm`. */
export function programWord(word: ShellWord): ShellWord {
  return word.unknown === undefined ? word : literalWord(word.unknown.bare);
}

/** The words with likely values in place of unknown ones; `undefined` if no value is known. */
export function likelyWords(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  if (!words.some(({ unknown }) => unknown?.likely !== undefined)) return undefined;
  return words.flatMap((word) => word.unknown?.likely?.map(literalWord) ?? [word]);
}

const MATCHED =
  "git bash sh zsh dash rm npm npx python3 python perl ruby node docker kubectl curl wget ssh sudo env eval psql terraform".split(
    " ",
  );

/** `/bin/b?sh` is likely a usual program. */
export function matchedProgram(word: ShellWord): ShellWord {
  const text = word.unknown?.source ?? word.text;
  if (word.unknown?.likely !== undefined || !/[?*[]/.test(text)) return word;
  const name = baseName(text);
  if (!/^[\w?*[\].-]*[a-z][\w?*[\].-]*$/.test(name) || name.length > 20 || name.includes("**")) return word;
  const pattern = new RegExp(
    `^${name
      .replace(/[.]/g, "\\.")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")
      .replace(/\[(?![^\]]+\])/g, "\\[")}$`,
  );
  const program = MATCHED.find((one) => pattern.test(one));
  if (program === undefined) return word;
  const unknown = word.unknown ?? { source: text, prefix: "", suffix: "", bare: text };
  return { ...word, unknown: { ...unknown, likely: [program] } };
}

/** Returns whether the word may become no argument at all, so that the next word is the program. */
export function mayVanish(word: ShellWord | undefined): boolean {
  return word?.unknown?.bare === "";
}

/** The rest of a word, such as an option's value. A `~` there counts as the home folder: many programs expand it. */
export function wordFrom(word: ShellWord, at: number): ShellWord {
  if (at === 0) return word;
  const text = word.text.slice(at);
  const unknown = word.unknown && { ...word.unknown, prefix: word.unknown.prefix.slice(at) };
  return { text, unknown, ...(text.startsWith("~") ? { folder: true as const } : {}) };
}

/** A word as a path: a quoted `~` is a file name. */
export function pathText({ text, folder }: ShellWord): string {
  return text.startsWith("~") && !folder ? `./${text}` : text;
}

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** Collects the words that one word of the source becomes. */
export class WordBuilder {
  readonly words: ShellWord[] = [];
  readonly #source: string;
  #text = "";
  #bare = "";
  #prefix: string | undefined;
  #suffix = "";
  #folder = false;
  #present = false;
  /** The likely words so far; `undefined` once a part has no likely value. */
  #likely: string[] | undefined = [""];

  constructor(source: string) {
    this.#source = source;
  }

  /** Adds literal text. Quotes make a word even if it is empty. */
  add(text: string, quoted = false): void {
    if (quoted || text !== "") this.#present = true;
    this.#text += text;
    this.#bare += text;
    this.#suffix += text;
    this.#addLikely([text]);
  }

  #addLikely([first = "", ...more]: readonly string[]): void {
    if (this.#likely === undefined) return;
    this.#likely.push((this.#likely.pop() ?? "") + first, ...more);
  }

  /** `likely`: the words that the part may become. */
  addUnknown(text: string, likely?: readonly string[]): void {
    if (likely === undefined) this.#likely = undefined;
    else this.#addLikely(likely);
    this.#prefix ??= this.#text;
    this.#present = true;
    this.#text += text;
    this.#suffix = "";
  }

  /** Adds `~`, or `.` for `$PWD`. Elsewhere than at the start of a word its value is not known. */
  addFolder(folder: "~" | ".", source: string): void {
    if (this.#text !== "") {
      this.addUnknown(source);
      return;
    }
    this.#folder = true;
    this.add(folder);
  }

  /** Adds an unquoted value, which the shell splits at blanks. */
  addFields(value: string): void {
    const [first = "", ...fields] = value.split(/[ \t\n]+/);
    this.add(first);
    for (const field of fields) {
      this.end();
      this.add(field);
    }
  }

  end(): void {
    if (this.#present) this.words.push(this.#word());
    this.#text = this.#bare = this.#suffix = "";
    this.#prefix = undefined;
    this.#likely = [""];
    this.#present = this.#folder = false;
  }

  #word(): ShellWord {
    const text = this.#text;
    // `~user` and `${HOME}x` are other folders.
    if (this.#folder && !/^[~.](?:\/|$)/.test(text)) this.#prefix = this.#suffix = "";
    const folder = this.#folder ? { folder: true as const } : {};
    if (this.#prefix === undefined) return { text, ...folder };
    const likely = this.#likely?.filter((one) => one !== "");
    const unknown = { source: this.#source, prefix: this.#prefix, suffix: this.#suffix, bare: this.#bare, likely };
    return { text, unknown, ...folder };
  }
}

/** Longer lists and texts stay unknown. */
const MAX_ALTERNATIVES = 64;
const MAX_BRACES = 500;

/** Expands `a{b,c}` and `{1..3}`; `undefined` if the text has quotes, patterns or unusual braces. */
export function expandBraces(text: string): readonly string[] | undefined {
  if (!text.includes("{")) return [text];
  if (text.length > MAX_BRACES || !/^[\w@%+:,./={}-]*$/.test(text)) return undefined;
  const open = text.indexOf("{");
  const commas = [open];
  let depth = 1;
  let close = open + 1;
  for (; close < text.length; close++) {
    if (text[close] === "{") depth += 1;
    if (text[close] === "}" && --depth === 0) break;
    if (text[close] === "," && depth === 1) commas.push(close);
  }
  if (depth > 0 || text.slice(0, open).includes("}")) return undefined;
  const items = commas.map((comma, i) => text.slice(comma + 1, commas[i + 1] ?? close));
  const inner = items.length > 1 ? items.map(expandBraces) : [expandRange(items[0] ?? "")];
  const after = expandBraces(text.slice(close + 1));
  if (after === undefined || inner.includes(undefined)) return undefined;
  const all = inner.flatMap((item) => item ?? []);
  if (all.length * after.length > MAX_ALTERNATIVES) return undefined;
  return all.flatMap((item) => after.map((rest) => `${text.slice(0, open)}${item}${rest}`));
}

function expandRange(range: string): readonly string[] | undefined {
  const [, first = "", last = ""] = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])$/.exec(range) ?? [];
  const letters = /^[a-z]{2}$|^[A-Z]{2}$/.test(first + last);
  // A leading zero pads every number.
  if (!letters && !/^(?:0|-?[1-9]\d*):(?:0|-?[1-9]\d*)$/.test(`${first}:${last}`)) return undefined;
  const [from, to] = letters ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)];
  const count = Math.abs(to - from) + 1;
  if (count > MAX_ALTERNATIVES) return undefined;
  const values = Array.from({ length: count }, (_, i) => (to < from ? from - i : from + i));
  return values.map((value) => (letters ? String.fromCharCode(value) : String(value)));
}
