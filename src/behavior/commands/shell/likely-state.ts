import { likelyOutput } from "./likely-values.ts";
import type { ReadBudget } from "./read-budget.ts";
import type { ShellCommand } from "./shell-script.ts";
import { baseName, likelyWords, type ShellWord } from "./shell-word.ts";

/** Elements of an array with a higher number are not followed. */
const MAX_ITEMS = 16;
/** Longer lists and texts are not kept. */
const MAX_VALUES = 256;
const MAX_TEXT = 10_000;

/** What variables, files and standard output likely are while a script runs: used to gate, never to prove. */
export class LikelyState {
  /** The likely text on standard input, and on standard output so far; `undefined` if it is not known. */
  input: string | undefined;
  output: string | undefined = "";
  readonly separators: RegExp;
  readonly aliases = new Map<string, string>();
  /** What copies and links of programs are. */
  readonly copies = new Map<string, string>();
  readonly #values = new Map<string, readonly string[]>();
  readonly #files = new Map<string, string>();
  readonly #budget: ReadBudget;

  /** `positional`: the words after the script of `bash -c`. */
  constructor(budget: ReadBudget, [zero, ...positional]: readonly string[], separators: RegExp) {
    this.#budget = budget;
    this.separators = separators;
    if (zero !== undefined) this.#values.set("0", [zero]).set("@", positional);
  }

  /** The values of a variable, an array or the positional parameters. */
  values(name: string): readonly string[] | undefined {
    const position = /^[1-9]\d*$/.test(name) ? Number(name) : 0;
    if (position > 0) return this.#values.get("@")?.slice(position - 1, position);
    return this.#values.get(name === "*" ? "@" : name);
  }

  set(name: string, values: readonly string[] | undefined): void {
    const length = values === undefined || values.length > MAX_VALUES ? undefined : values.join(" ").length;
    if (values === undefined || length === undefined || length > MAX_TEXT) this.#values.delete(name);
    else if (this.#budget.spend(length)) this.#values.set(name, values);
  }

  /** `words`: the elements of `a=(…)`. */
  setArray(name: string, words: readonly ShellWord[], append: boolean): void {
    const values: (string | undefined)[] = append ? [...(this.#values.get(name) ?? [])] : [];
    for (const text of words.flatMap(({ text: own, unknown }) => unknown?.likely ?? [own])) {
      const [, key, item = ""] = /^\[(\w+)\]=(.*)$/s.exec(text) ?? [];
      if (key === undefined) values.push(text);
      else if (/^\d{1,3}$/.test(key)) values[Number(key)] = item;
      else this.set(`${name}[${key}]`, [item]);
    }
    this.set(
      name,
      Array.from(values, (one) => one ?? ""),
    );
  }

  /** `index`: of `a[1]=x`. */
  setValue(name: string, { text, unknown }: ShellWord, append: boolean, index: string | undefined): void {
    const value = unknown === undefined ? text : unknown.likely?.join(" ");
    const key = Number(index ?? 0);
    if (value === undefined || !(key < MAX_ITEMS)) return;
    const before: readonly (string | undefined)[] = this.#values.get(name) ?? [];
    const values = index === undefined ? [] : [...before];
    values[key] = append ? (before[key] ?? "") + value : value;
    this.set(
      name,
      Array.from(values, (one) => one ?? ""),
    );
  }

  /** Adds the texts of files that were written before on the line. */
  withContents(words: readonly ShellWord[]): readonly ShellWord[] {
    return this.#files.size === 0 ? words : words.map((word) => this.withContent(word));
  }

  /** Adds the text of a file that was written before on the line. */
  withContent(word: ShellWord): ShellWord {
    const content = word.content ?? (this.#files.size === 0 ? undefined : this.#files.get(baseName(word.text)));
    return content === undefined ? word : { ...word, content };
  }

  add(output: string | undefined): void {
    this.output = this.output === undefined || output === undefined ? undefined : this.output + output;
  }

  /** Notes what a command likely writes, and what it likely does to variables and files. */
  note({ words, redirects, input }: ShellCommand): void {
    if (input !== undefined && !this.#budget.spend(input.length)) return;
    const likely = likelyWords(words) ?? words;
    const target = redirects.find(
      ({ operator, descriptor }) => /^(?:>|>>|>\||&>)$/.test(operator) && /^1?$/.test(descriptor),
    );
    // Nothing is added to an output that is not known.
    const isSilent = target === undefined && this.output === undefined;
    if (isSilent && !NOTED.has(likely[0]?.text ?? "")) return;
    const texts = likely.map(({ text }) => text);
    const [program = "", ...rest] = texts;
    const contents = likely.slice(1).flatMap(({ content }) => content ?? []);
    const output = likelyOutput(texts, input, contents);
    if (target === undefined) this.add(output);
    else this.#write(target.target.text, output);
    if (program === "tee" || program === "sponge") for (const name of rest) this.#write(name, input);
    if (program === "dd") this.#write(rest.find((word) => word.startsWith("of="))?.slice(3) ?? "", input);
    if (program === "sed") this.#insert(rest);
    const fed = rest.indexOf("/dev/stdin");
    if (/^(?:cp|install)$/.test(program) && fed >= 0) this.#write(rest[fed + 1] ?? "", input);
    else if (/^(?:cp|mv|ln|install|hash)$/.test(program)) this.#copy(program, rest, contents[0]);
    if (program === "set" && rest.includes("--")) this.set("@", rest.slice(rest.indexOf("--") + 1));
    if (program === "shift") this.set("@", this.#values.get("@")?.slice(Number(rest[0] ?? 1)));
    if (program === "printf" && rest[0] === "-v")
      this.set(rest[1] ?? "", [likelyOutput(["printf", ...rest.slice(2)], input, []) ?? ""]);
    if (program === "alias")
      for (const one of rest) this.aliases.set(one.split("=")[0] ?? "", one.replace(/^[^=]*=/, ""));
    if (!/^(?:read|mapfile|readarray)$/.test(program) || input === undefined) return;
    const lines = input.replace(/\n$/, "").split("\n");
    const name = rest.findLast((word) => /^[A-Za-z_]\w*$/.test(word)) ?? "REPLY";
    const isList = rest.some((word) => /^-\w*a/.test(word));
    this.set(name, program !== "read" ? lines : isList ? (lines[0] ?? "").split(this.separators) : [input.trim()]);
  }

  /** `sed -i '$a git push' x.sh` adds a line to the file. */
  #insert(words: readonly string[]): void {
    const [, text] = words.map((word) => /^(?:\d+|\$)?\s*[aic]\\?\s*(.+)$/s.exec(word)).find((found) => found) ?? [];
    if (text !== undefined && words.some((word) => /^-\w*i|^--in-place/.test(word)))
      this.#write(words.at(-1) ?? "", text);
  }

  /** The text of a project's own file that the line wrote: what `make` and `npm run` read. */
  projectFile(program: string): string | undefined {
    const names = this.#files.size === 0 ? undefined : PROJECT_FILES[program];
    return names?.map((name) => this.#files.get(name)).find((text) => text !== undefined);
  }

  /** A program under another name: `ln -s /bin/rm ./x`, `hash -p /bin/rm x`. */
  #copy(program: string, words: readonly string[], content: string | undefined): void {
    const [source, target, ...more] = words.filter((word) => !word.startsWith("-"));
    if (source === undefined || target === undefined || more.length > 0) return;
    this.copies.set(target, source);
    if (program !== "hash") this.#files.set(baseName(target), content ?? this.#files.get(baseName(source)) ?? "");
  }

  #write(path: string, text: string | undefined): void {
    if (text === undefined || text === "" || !this.#budget.spend(text.length)) return;
    const before = this.#files.get(baseName(path)) ?? "";
    this.#files.set(baseName(path), before + text);
  }
}

/** The programs that change variables, files or names of programs. */
const NOTED = new Set(
  "tee sponge dd sed cp install mv ln hash set shift printf alias read mapfile readarray".split(" "),
);

const MAKEFILES = ["Makefile", "makefile", "GNUmakefile"];
const PROJECT_FILES: Readonly<Record<string, readonly string[]>> = {
  make: MAKEFILES,
  gmake: MAKEFILES,
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile", "rakefile"],
  npm: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  bun: ["package.json"],
};
