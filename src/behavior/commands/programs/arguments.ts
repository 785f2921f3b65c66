import { globMatches } from "../../../base/kernel/glob.ts";
import type { ProgramSpec, Selector } from "../../../base/words/hosting/program.ts";
import { knownPrefix, literalWord, type ShellWord, wordFrom } from "../shell/shell-word.ts";

/** The words of a command, split into options and operands by the program's own grammar. */
export class Arguments {
  /** Values by the option's first spelling; empty for an option without a value. */
  readonly options = new Map<string, ShellWord[]>();
  readonly operands: ShellWord[] = [];
  /** The number of operands before `--`, if there was one. */
  dashed: number | undefined;
  /** Options as they were written. */
  readonly spelled = new Set<string>();
  #spellings: OptionTable["exact"] | undefined;
  /** A word whose text is not known may be an option: nothing is proven. */
  uncertain = false;

  /** The text of the operand with this number, counted from 1. */
  operand(number: number): string | undefined {
    return this.operands[number - 1]?.text;
  }

  values(option: string): readonly string[] {
    return this.options.get(option)?.map(({ text }) => text) ?? [];
  }

  note(option: string, value?: ShellWord): void {
    const values = this.options.get(option) ?? [];
    this.options.set(option, values);
    if (value !== undefined) values.push(value);
  }

  /** Options are known by the spellings of this grammar. */
  readBy({ exact }: Grammar): void {
    this.#spellings = exact;
  }

  selects(selector: Selector | undefined): boolean {
    return selector !== undefined && tokensOf(selector).some((token) => this.#matches(token));
  }

  #matches(token: string): boolean {
    if (token.includes("&")) return token.split("&").every((one) => this.#matches(one));
    if (this.options.size === 0 && token.startsWith("-") && token !== "--") return false;
    if (token.startsWith("!")) return !this.#matches(token.slice(1));
    if (token === "--") return this.dashed !== undefined && this.operands.length > this.dashed;
    if (token.startsWith("$")) return this.operands.length >= Number(token.slice(1));
    if (token === "<file>") return this.operands.some(({ text }) => looksLikeFile(text));
    if (token.startsWith("<")) {
      const globs = token.slice(1, -1).split("||");
      return this.operands.some(({ text }) => globs.some((glob) => globMatches(glob, text)));
    }
    const at = token.indexOf("=");
    const name = at < 0 ? token : token.slice(0, at);
    const values = this.values(this.#spellings?.get(name)?.name ?? name);
    if (at < 0) return this.options.has(this.#spellings?.get(name)?.name ?? name) && !isOff(values);
    return values.some((value) => globMatches(token.slice(at + 1), value));
  }
}

function isOff(values: readonly string[]): boolean {
  return values.length > 0 && values.every((value) => value === "false");
}

/** `price.js` and `src/a.py`, but not `v1.2.3` or `feature/login`. */
function looksLikeFile(text: string): boolean {
  return /(?:^|[^/])\.[a-z][a-z\d]{0,4}$/i.test(text) && !/\.\.|^v?\d+\.\d+/.test(text);
}

const tokens = new Map<string, readonly string[]>();

export function tokensOf(text: string): readonly string[] {
  const known = tokens.get(text) ?? text.split(" ").filter((token) => token !== "");
  tokens.set(text, known);
  return known;
}

type Option = { readonly name: string; readonly value: "none" | "required" | "attached" };

/** The options of a program and of the subcommand, by every spelling. */
type OptionTable = { readonly exact: ReadonlyMap<string, Option>; readonly prefixes: readonly Option[] };

/** How a program or a subcommand reads its words, with what it inherits. */
export type Grammar = OptionTable &
  Pick<ProgramSpec, "abbreviates" | "oneDash" | "numbers" | "attached" | "assigns"> & {
    readonly dry: Selector;
    readonly folder: Selector;
  };

const grammars = new WeakMap<ProgramSpec, Grammar>();

/** A description stands in one place of the table, so that its grammar is worked out once. */
export function grammarOf(spec: ProgramSpec, outer: Grammar | undefined): Grammar {
  const known = grammars.get(spec);
  if (known !== undefined) return known;
  const own = optionsIn(spec.options ?? "");
  const { abbreviates, oneDash, numbers, attached, assigns, dry = "", folder = "" } = spec;
  const grammar = {
    exact: new Map([...(outer?.exact ?? []), ...own.exact]),
    prefixes: [...own.prefixes, ...(outer?.prefixes ?? [])],
    abbreviates: abbreviates ?? outer?.abbreviates,
    oneDash: oneDash ?? outer?.oneDash,
    numbers,
    attached,
    assigns,
    // `-v` of a subcommand is not `-v` of the program.
    dry: `${dry} ${withoutOptions(outer?.dry ?? "", own)}`,
    folder: `${folder} ${outer?.folder ?? ""}`.trim(),
  };
  grammars.set(spec, grammar);
  return grammar;
}

function optionsIn(text: string): OptionTable {
  const exact = new Map<string, Option>();
  const prefixes: Option[] = [];
  for (const token of tokensOf(text)) {
    const spellings = token.split("|");
    const name = (spellings[0] ?? "").replace(/(?<=..)[=?]$/, "");
    const value = /=$/.test(token) ? "required" : /\?$/.test(token) && token !== "-?" ? "attached" : "none";
    for (const spelling of spellings) {
      const plain = spelling.replace(/(?<=..)[=?]$/, "");
      if (plain.endsWith("*")) prefixes.push({ name: plain.slice(0, -1), value: "attached" });
      else if (!exact.has(plain)) exact.set(plain, { name, value });
    }
  }
  return { exact, prefixes };
}

function withoutOptions(selector: Selector, { exact }: OptionTable): Selector {
  return tokensOf(selector)
    .filter((token) => !exact.has(token.split("=")[0] ?? ""))
    .join(" ");
}

type Limits = {
  /** Ends at the operand with this number: the words from there on belong to another program. */
  readonly until?: number;
  /** The words after such an option belong to another program. */
  readonly untilOption?: string;
  /** Options end there as well: `docker run image -c …`. */
  readonly ends?: boolean;
};

/** The output of these is a list of names, never an option. */
const LISTS = /^"?\$\((?:go list|git ls-files|find|ls|fd) [^;&]*\)"?$/;

/** The option under which variables before a command are noted: `env A=1`. */
export const VARIABLE = "variable";

/** Reads options and operands. Returns the number of words that were read. */
export function readArguments(words: readonly ShellWord[], rules: Grammar, into: Arguments, limits: Limits): number {
  const { until = Number.POSITIVE_INFINITY, untilOption, ends = false } = limits;
  into.readBy(rules);
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === undefined) break;
    if (ends && into.operands.length >= until) return i;
    const prefix = knownPrefix(word);
    if (word.unknown !== undefined && prefix === "" && !LISTS.test(word.unknown.source)) into.uncertain = true;
    if (prefix === "--" && word.unknown === undefined) {
      into.dashed ??= into.operands.length;
      if (until !== Number.POSITIVE_INFINITY && into.operands.length >= until) return i + 1;
      into.operands.push(...words.slice(i + 1));
      return words.length;
    }
    if (!/^-./.test(prefix) || (rules.numbers === true && /^-\d+$/.test(prefix))) {
      if (rules.numbers === true && /^-?\d+$/.test(prefix)) continue;
      // `env -` is `env -i`.
      if (rules.assigns === true && prefix === "-") continue;
      if (rules.assigns === true && /^[A-Za-z_]\w*\+?=/.test(prefix)) {
        into.note(VARIABLE, word);
        continue;
      }
      if (into.operands.length >= until) return i;
      into.operands.push(word);
      continue;
    }
    if (!prefix.endsWith("=false")) into.spelled.add(prefix.split("=")[0] ?? "");
    const found = readOptions(word, rules);
    const last = found.at(-1);
    for (const { option, value } of found) {
      if (option.value === "required" && value === undefined) {
        i += 1;
        into.note(option.name, words[i] ?? literalWord(""));
      } else into.note(option.name, value);
    }
    if (last !== undefined && untilOption === last.option.name) return i + 1;
  }
  return words.length;
}

type Found = { readonly option: Option; readonly value?: ShellWord };

function readOptions(word: ShellWord, rules: Grammar): readonly Found[] {
  const text = knownPrefix(word).length < word.text.length ? knownPrefix(word) : word.text;
  const at = text.indexOf("=");
  const name = at < 0 ? text : text.slice(0, at);
  const value = at < 0 ? undefined : wordFrom(word, at + 1);
  const isLong = text.startsWith("--") || rules.oneDash === true;
  const known = rules.exact.get(name) ?? (rules.oneDash === true ? rules.exact.get(name.slice(1)) : undefined);
  if (known !== undefined && (isLong || at < 0 || name.length === 2)) return [{ option: known, value }];
  if (rules.attached !== undefined) {
    const start = tokensOf(rules.attached).find((one) => text.startsWith(one) && text.length > one.length);
    const option = start === undefined ? undefined : rules.exact.get(start);
    if (option !== undefined) return [{ option, value: wordFrom(word, option.name.length) }];
  }
  const prefixed = rules.prefixes.find((one) => text.startsWith(one.name));
  if (prefixed !== undefined) return [{ option: prefixed, value }];
  if (isLong) return longOptions(name, value, rules);
  return clusteredOptions(word, text, rules);
}

/** A cut option counts as every option that it may mean. */
function longOptions(name: string, value: ShellWord | undefined, { exact, abbreviates }: Grammar): readonly Found[] {
  if (abbreviates === true && name.length > 2) {
    const meant: Option[] = [];
    for (const spelling of exact.keys()) {
      const option = spelling.startsWith(name) ? exact.get(spelling) : undefined;
      if (option !== undefined) meant.push(option);
    }
    const takesNext = meant.length === 1;
    if (meant.length > 0) {
      return meant.map(({ name: first, value: takes }) => ({
        option: { name: first, value: takesNext ? takes : "attached" },
        value,
      }));
    }
  }
  return [{ option: { name, value: "attached" }, value }];
}

/** `-qf`, `-n5`, `-Iinclude`. */
function clusteredOptions(word: ShellWord, text: string, { exact }: OptionTable): readonly Found[] {
  const found: Found[] = [];
  for (let i = 1; i < text.length; i++) {
    const option = exact.get(`-${text[i]}`) ?? { name: `-${text[i]}`, value: "none" as const };
    const rest = i + 1 < text.length ? wordFrom(word, text[i + 1] === "=" ? i + 2 : i + 1) : undefined;
    if (option.value === "required" || (option.value === "attached" && rest !== undefined)) {
      found.push({ option, value: rest });
      break;
    }
    found.push({ option });
  }
  return found;
}

/** The option under which the text on standard input is selected. */
export const INPUT = "stdin";
