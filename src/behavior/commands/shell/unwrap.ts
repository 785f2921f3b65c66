import type { ProgramSpec } from "../../../base/words/hosting/program.ts";
import { PROGRAMS, subcommandOf } from "../programs/program-table.ts";
import type { ReadBudget } from "./read-budget.ts";
import { baseName, isLiteral, mayVanish, programWord, type ShellWord } from "./shell-word.ts";

/** What a command runs besides itself: used to gate, never to prove. */
export type Unwrapped = {
  /** Where programs stand among the words. `sure` is false for what may be an option's value instead. */
  readonly spans: readonly { readonly from: number; readonly to: number; readonly sure: boolean }[];
  /** Texts that a shell will read as command lines. */
  readonly scripts: readonly {
    readonly text: string;
    readonly shell: string;
    readonly positional?: readonly string[];
  }[];
  /** A shell that reads its commands from its input. */
  readonly readsInput: boolean;
  /** The shell's name and the words for the script on its input: `bash -s -- one two`. */
  readonly inputWords: readonly string[];
  /** Runs elsewhere: its files are not ours. */
  readonly remote: boolean;
  /** Gets further words from its input, or stands in another folder. */
  readonly more: boolean;
  readonly moved: boolean;
  /** The folder of `env -C`, if it is certain. */
  readonly movedTo?: string;
};

/** Those whose end is the end of what they run. */
const TRANSPARENT = new Set(["npx", "bunx", "pnpx", "corepack"]);

/** Sees through wrappers and shells. Incomplete once the budget is passed. */
export function unwrap(words: readonly ShellWord[], budget: ReadBudget): Unwrapped {
  const unwrapping = new Unwrapping(words, budget);
  unwrapping.run();
  return unwrapping;
}

/** Runs what it names, itself: no wrapper or shell script that could change what its end means. */
export function isPlain(words: readonly ShellWord[], { spans, scripts, readsInput }: Unwrapped): boolean {
  const name = baseName(words[0]?.text ?? "");
  const wraps =
    name === "eval" || (!TRANSPARENT.has(name) && PROGRAMS.specsOf(name).some(({ runs }) => runs !== undefined));
  return spans[0]?.from === 0 && scripts.length === 0 && !readsInput && !wraps;
}

class Unwrapping implements Unwrapped {
  readonly spans: Unwrapped["spans"][number][] = [];
  readonly scripts: Unwrapped["scripts"][number][] = [];
  readsInput = false;
  inputWords: readonly string[] = [];
  remote = false;
  more = false;
  moved = false;
  movedTo: string | undefined;
  readonly #words: readonly ShellWord[];
  readonly #texts: readonly string[];
  readonly #budget: ReadBudget;
  #mayMove = true;
  /** The program hands its words to a shell elsewhere. */
  #joins = false;
  /** Characters in all words up to each one, so that the cost of a span is known without walking it. */
  readonly #lengths: readonly number[];

  constructor(words: readonly ShellWord[], budget: ReadBudget) {
    this.#words = words;
    this.#texts = words.map(({ text }) => text);
    this.#budget = budget;
    let length = 0;
    this.#lengths = [0, ...this.#texts.map((text) => (length += text.length + 1))];
  }

  run(): void {
    if (this.#texts.length > 0) this.#run(0, this.#texts.length);
  }

  #run(from: number, to: number): void {
    const own = this.#program(from, to, true);
    if (own !== undefined) this.#follow(from + 1, to, own);
  }

  /** After a wrapper each word may be the program, until one is that certainly. */
  #follow(from: number, to: number, own: number): void {
    let left = own;
    let afterOption = false;
    for (let i = from; i < to && this.#budget.passed === undefined; i++) {
      const text = this.#texts[i] ?? "";
      if (/^[-+]./.test(text)) {
        if (this.#mayMove && /^(?:-C|--chdir|-D$)/.test(text)) this.#move(i, from === 1);
        // The name of `xargs -I{}` is a part of the option.
        afterOption = text !== "--" && !text.includes("=") && !/^-[IJ]./.test(text);
      } else if (!isAssignment(text)) {
        const sure = !afterOption && left === 0;
        // The machine in `ssh host uptime` may have the name of a program.
        const isMachine = this.#joins && !afterOption && left > 0;
        const next = isMachine ? undefined : this.#program(i, to, sure);
        if (next !== undefined) left = next;
        else if (sure) return;
        else if (!afterOption) left -= 1;
        afterOption = false;
      }
    }
  }

  #move(at: number, isFirst: boolean): void {
    const [, attached] = /^--chdir=(.+)$/.exec(this.#texts[at] ?? "") ?? [];
    const isEnv = isFirst && this.#texts[0] === "env" && !this.moved;
    const target = attached ?? (/^(?:-C|--chdir)$/.test(this.#texts[at] ?? "") ? this.#texts[at + 1] : undefined);
    this.movedTo = isEnv && this.#words.slice(at, at + 2).every(isLiteral) ? target : undefined;
    this.moved = true;
  }

  /** Looks at the program at `from`; for a wrapper it says how many words of its own follow. */
  #program(from: number, to: number, sure: boolean): number | undefined {
    // Every policy reads the words of every span.
    const length = (this.#lengths[to] ?? 0) - (this.#lengths[from] ?? 0);
    if (!this.#budget.spendOnProgram(this.spans.length, length)) return undefined;
    this.spans.push({ from, to, sure });
    const word = this.#words[from];
    if (word === undefined || mayVanish(word)) return 0;
    const name = baseName(programWord(word).text);
    const specs = PROGRAMS.specsOf(name);
    if (specs.some(({ shell }) => shell === true)) {
      const script = shellScript(this.#words.slice(from + 1, Math.min(to, from + 257)));
      if (script?.kind === "input") {
        this.readsInput = true;
        this.inputWords = [name, ...this.#texts.slice(from + 1 + script.at, to)];
        return undefined;
      }
      // A script that comes out empty unquoted leaves the next word as the script.
      for (let i = from + 1 + (script?.at ?? to); i < to; i++) {
        this.scripts.push({ text: this.#texts[i] ?? "", shell: name, positional: this.#texts.slice(i + 1, to) });
        if (!mayVanish(this.#words[i])) break;
      }
      return undefined;
    }
    // The parser reads an `eval` that stands first, because it changes the shell itself.
    if (name === "eval" && from > 0)
      this.scripts.push({ text: this.#texts.slice(from + 1, to).join(" "), shell: "eval" });
    if (name === "find" || name === "fd") {
      for (const span of executed(this.#texts, from + 1, to)) {
        this.more = true;
        this.#run(span.from, span.to);
      }
      return undefined;
    }
    // The folders of programs that declare them are followed with their effects.
    this.#mayMove = specs.every(({ folder }) => folder === undefined);
    this.#joins = specs.some(({ joins }) => joins === true);
    if (specs.length === 0) return undefined;
    const rest = this.#texts.slice(from + 1, Math.min(to, from + 257));
    let own: number | undefined;
    for (const [one, depth] of specs.flatMap((spec) => descriptions(spec, rest))) {
      if (one.elsewhere === true) this.remote = true;
      if (one.fills === true) this.more = true;
      const follows = one.runs ?? (one.targetOrRuns === undefined ? undefined : 0);
      if (follows !== undefined) own = Math.max(own ?? 0, follows + depth);
      if (one.joins === true) {
        const operands = rest.filter((text) => !text.startsWith("-"));
        this.scripts.push({ text: operands.slice((follows ?? 0) + depth).join(" "), shell: name });
      }
      if (one.script !== undefined) this.scripts.push(...optionScripts(rest, one.script));
    }
    return own;
  }
}

/** A program's description and those of the subcommands that the words name, with the number of words that name them. */
function descriptions(spec: ProgramSpec, words: readonly string[]): readonly (readonly [ProgramSpec, number])[] {
  const all: (readonly [ProgramSpec, number])[] = [[spec, 0]];
  let at = -1;
  for (let current = spec, depth = 1; current.commands !== undefined; depth += 1) {
    at = words.findIndex((text, i) => i > at && /^[^-+]/.test(text));
    const sub = at < 0 ? undefined : subcommandOf(current, words[at] ?? "");
    if (sub === undefined) {
      if (current.otherwise !== undefined) all.push([current.otherwise, depth - 1]);
      break;
    }
    all.push([sub, depth]);
    current = sub;
  }
  return all;
}

function isAssignment(text: string): boolean {
  return /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(text);
}

/** The `SCRIPT` of `su -c SCRIPT`, `env -S SCRIPT` and their like. */
function optionScripts(words: readonly string[], script: string): Unwrapped["scripts"] {
  const letters = [...script.matchAll(/(?<!-)-(\w)\b/g)].map(([, letter]) => letter).join("");
  const short = letters === "" ? undefined : new RegExp(`^-[A-Za-z]*[${letters}]$`);
  return words.flatMap((word, i) => {
    if (short?.test(word) || /^--(?:command|session-command|run|split-string|exec|call)$/.test(word)) {
      return [{ text: words[i + 1] ?? "", shell: "sh" }];
    }
    const [, attached] = /^(?:--(?:command|run|split-string|exec|call)=|-S)(.+)$/s.exec(word) ?? [];
    return attached === undefined ? [] : [{ text: attached, shell: "sh" }];
  });
}

/** What a shell is told to run: the text after `-c`, or its input; a file that it runs is a command like any other. */
function shellScript(
  words: readonly ShellWord[],
): { readonly kind: "input" | "text"; readonly at: number } | undefined {
  let script = false;
  let input = false;
  let i = 0;
  for (; i < words.length; i++) {
    const word = words[i]?.text ?? "";
    if (word === "--") {
      i += 1;
      break;
    }
    // Behind `-c` it is the script that may come out empty, before it an option.
    if (!/^[-+]/.test(word) && (script || !mayVanish(words[i]))) break;
    if (/^-\w*c/.test(word)) script = true;
    if (/^-\w*s/.test(word)) input = true;
    if (/^[-+]\w*[oO]$|^--(?:rcfile|init-file)$/.test(word)) i += 1;
    if (/^--(?:version|help)$/.test(word)) return undefined;
  }
  const operand = words[i]?.text;
  if (script) return { kind: "text", at: i };
  return input || operand === undefined || operand === "/dev/stdin" ? { kind: "input", at: i } : undefined;
}

/** What `find` runs: the words between `-exec` and its end. */
function executed(texts: readonly string[], from: number, to: number): readonly { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  for (let i = from; i < to; i++) {
    if (!/^(?:-(?:exec|ok)(?:dir)?|-x|-X|--exec(?:-batch)?)$/.test(texts[i] ?? "")) continue;
    let end = i + 1;
    while (end < to && texts[end] !== ";" && texts[end] !== "+") end += 1;
    spans.push({ from: i + 1, to: end });
    i = end;
  }
  return spans;
}
