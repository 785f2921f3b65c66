import { globMatches } from "../../../base/kernel/glob.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { baseName, isLiteral, literalWord, programWord, type ShellWord } from "../shell/shell-word.ts";
import { Arguments, readArguments, withoutOptions } from "./arguments.ts";
import { type EffectSpec, PROGRAMS, type ProgramSpec, type ProgramTable } from "./program-table.ts";
import { sqlEffects } from "./sql-effects.ts";

/** What a command does, with arguments that rules can ask about. */
export type CommandEffect = {
  readonly name: string;
  readonly args: JsonObject;
  /** The command does exactly this; `false` if a word or an option leaves it open. */
  readonly sure: boolean;
};

/** Programs that run programs, deeper than this, are not followed. */
const MAX_DEPTH = 8;
/** Files of the workspace are not those of a container or another machine. */
const OWN_FILES = /^(?:files|git)\./;

/** The effects of a program with its arguments, wrappers included. The first word is the program. */
export function programEffects(words: readonly ShellWord[], table: ProgramTable, depth = 0): readonly CommandEffect[] {
  const [first, ...rest] = words;
  if (first === undefined || depth > MAX_DEPTH) return [];
  const name = programName(programWord(first).text);
  if (name === "") return [{ name: "code.run", args: { opaque: true }, sure: false }];
  const specs = table.specsOf(name);
  if (specs.length === 0) return unknownProgram(first, name);
  return specs.flatMap((spec) => new Program(name, spec, table, depth).effectsOf(rest));
}

/** The command behind transparent wrappers: `npm test` of `timeout 60 env A=1 npm test`. */
export function innerCommand(words: readonly ShellWord[], table: ProgramTable = PROGRAMS): readonly ShellWord[] {
  const [first, ...rest] = words;
  const [spec] = first === undefined ? [] : table.specsOf(programName(first.text));
  if (spec?.runs === undefined || spec.unproven !== undefined || spec.elsewhere === true) return words;
  const { options = "", numbers, assigns, abbreviates, oneDash } = spec;
  const rules = { options, numbers, assigns, abbreviates, oneDash, until: spec.runs };
  const inner = rest.slice(readArguments(rest, rules, new Arguments()));
  return inner.length === 0 ? words : innerCommand(inner, table);
}

/** `./gradlew`, `python3.12`, `jest.js` and `npm.cmd` by their plain names. */
function programName(text: string): string {
  const name = baseName(text).replace(/\.(?:exe|cmd|bat|ps1)$/i, "");
  return name.replace(/^(python|pip|pypy|ruby|php|perl|lua|node|clang|gcc)\d[\d.]*$/, "$1");
}

function unknownProgram(word: ShellWord, name: string): readonly CommandEffect[] {
  const isFile = word.text.includes("/") || /\.(?:sh|bash|zsh|py|rb|pl|js|mjs|cjs|ts|php)$/.test(name);
  return isFile ? [{ name: "code.run", args: { file: word.text }, sure: isLiteral(word) }] : [];
}

class Program {
  readonly #name: string;
  readonly #root: ProgramSpec;
  readonly #table: ProgramTable;
  readonly #depth: number;

  constructor(name: string, root: ProgramSpec, table: ProgramTable, depth: number) {
    this.#name = name;
    this.#root = root;
    this.#table = table;
    this.#depth = depth;
  }

  effectsOf(words: readonly ShellWord[]): readonly CommandEffect[] {
    return this.#read(words, this.#root, new Arguments(), "", {});
  }

  /** `styles`: what subcommands inherit. */
  #read(
    words: readonly ShellWord[],
    spec: ProgramSpec,
    args: Arguments,
    outerOptions: string,
    styles: Pick<ProgramSpec, "abbreviates" | "oneDash" | "dry">,
    command = "",
  ): readonly CommandEffect[] {
    const options = `${spec.options ?? ""} ${outerOptions}`;
    const style = {
      abbreviates: spec.abbreviates ?? styles.abbreviates,
      oneDash: spec.oneDash ?? styles.oneDash,
      dry: `${spec.dry ?? ""} ${withoutOptions(styles.dry ?? "", spec.options ?? "")}`,
    };
    const rules = { options, ...style, numbers: spec.numbers, attached: spec.attached, assigns: spec.assigns };
    if (spec.inherits !== undefined) {
      const read = readArguments(words, { ...rules, until: spec.skip ?? 0 }, args);
      return this.#read(words.slice(read), this.#root, new Arguments(), "", {});
    }
    if (spec.commands !== undefined) {
      const read = readArguments(words, { ...rules, until: 0 }, args);
      const sub = words[read];
      const found = sub === undefined ? undefined : subcommand(spec.commands, programWord(sub).text);
      const aliased = sub === undefined ? undefined : this.#alias(sub.text, words.slice(read + 1), args);
      if (aliased !== undefined) return aliased;
      if (found !== undefined) return this.#read(words.slice(read + 1), found, args, options, style, sub?.text ?? "");
      const { otherwise = {} } = spec;
      const next = sub === undefined ? (otherwise.empty ?? spec.empty ?? otherwise) : otherwise;
      return this.#read(words.slice(read), next, args, options, style);
    }
    const follows = spec.runs ?? (spec.targetOrRuns === undefined ? undefined : 0);
    const until = follows ?? (spec.stops === true ? 0 : undefined);
    const read = readArguments(words, { ...rules, until, untilOption: spec.module }, args);
    const rest = words.slice(read);
    // Operands after the first one, or after the module, are the script's own.
    if (follows === undefined) args.operands.push(...rest);
    if (args.selects(`${style.dry} --help --version`)) return [];
    if (args.operands.length === 0 && rest.length === 0 && spec.empty !== undefined) {
      return this.#effects(spec.empty, args, []);
    }
    return this.#effects(spec, args, rest, command);
  }

  #effects(spec: ProgramSpec, args: Arguments, rest: readonly ShellWord[], command = ""): readonly CommandEffect[] {
    const mayDiffer = spec.unproven === true || (typeof spec.unproven === "string" && args.selects(spec.unproven));
    const sure = !args.uncertain && !mayDiffer;
    const effects = [
      ...this.#declared(spec, args, sure),
      ...this.#targets(spec, args, rest, command, sure),
      ...this.#inner(spec, args, rest),
      ...(spec.sql === undefined ? [] : sqlIn(spec.sql, args)),
      ...(spec.cloud === undefined ? [] : cloudEffects(spec.cloud, args)),
      ...(spec.shell === undefined ? [] : shellEffects(spec.shell, args)),
    ];
    const seen = mayDiffer ? effects.map((effect) => ({ ...effect, sure: false })) : effects;
    return spec.elsewhere === true ? seen.filter(({ name }) => !OWN_FILES.test(name)) : seen;
  }

  #declared(spec: ProgramSpec, args: Arguments, sure: boolean): readonly CommandEffect[] {
    const { does = [] } = spec;
    const list: readonly EffectSpec[] = Array.isArray(does) ? does : [does as EffectSpec];
    return list.flatMap((effects) =>
      Object.entries(effects).flatMap(([name, { when, unless, ...given }]) => {
        if (when !== undefined && !args.selects(when)) return [];
        if (args.selects(unless)) return [];
        const values = Object.entries(given).map(([key, value]) => [key, argument(value, args)] as const);
        const known = values.filter(([, value]) => value !== undefined && value !== false);
        return [{ name, args: { program: this.#name, ...Object.fromEntries(known) }, sure }];
      }),
    );
  }

  #targets(
    spec: ProgramSpec,
    args: Arguments,
    rest: readonly ShellWord[],
    command: string,
    sure: boolean,
  ): readonly CommandEffect[] {
    const words = targetWords(spec, args, rest, command);
    const isHelp = args.operands.some(({ text }) => text === "--help" || text === "--version");
    return words.flatMap((word) => {
      const target = spec.targets === "colon" ? (word.split(/[:#]/).at(-1) ?? "") : word;
      const also = spec.also?.[target];
      const effects = also === undefined ? this.#namedEffects(target) : [also, ...this.#namedEffects(target)];
      const args = { program: this.#name, target: word };
      return [
        ...effects.map((name) => ({ name, args, sure: sure && !isHelp })),
        ...(spec.targetOrRuns === undefined ? [{ name: "code.run", args: { ...args, script: word }, sure }] : []),
      ];
    });
  }

  #namedEffects(target: string): readonly string[] {
    return Object.entries(this.#table.targets).flatMap(([effect, { names, not = "" }]) => {
      const matches = (globs: string) => globs.split(" ").some((glob) => glob !== "" && globMatches(glob, target));
      return matches(names) && !matches(not) ? [effect] : [];
    });
  }

  /** What a wrapper, a module or a script file of a known program does. */
  #inner(spec: ProgramSpec, args: Arguments, rest: readonly ShellWord[]): readonly CommandEffect[] {
    const follow = (words: readonly ShellWord[]) => programEffects(words, this.#table, this.#depth + 1);
    const module = spec.module === undefined ? undefined : args.options.get(spec.module)?.at(0);
    if (module !== undefined) return follow([module, ...rest]);
    if (spec.scripts === "all") return args.operands.flatMap(({ text }) => this.#scriptText(text));
    if (spec.runs !== undefined || spec.targetOrRuns !== undefined) {
      const inner = follow(rest);
      const sure = !args.uncertain && spec.fills !== true;
      return sure ? inner : inner.map((effect) => ({ ...effect, sure: false }));
    }
    const [file, ...more] = args.operands;
    const known =
      file === undefined || spec.stops !== true ? "" : baseName(file.text).replace(/\.(?:[cm]?js|py|rb)$/, "");
    const program = [baseName(file?.text ?? ""), known].find((name) => this.#table.specsOf(name).length > 0);
    return program === undefined || spec.stops !== true ? [] : follow([literalWord(program), ...more]);
  }

  /** `npm:test` of `concurrently`, or a command line. */
  #scriptText(text: string): readonly CommandEffect[] {
    const words = text
      .replace(/^npm:/, "npm run ")
      .split(/\s+/)
      .filter((word) => word !== "");
    return programEffects(words.map(literalWord), this.#table, this.#depth + 1);
  }

  /** `git -c alias.p='push -f' p` */
  #alias(name: string, rest: readonly ShellWord[], args: Arguments): readonly CommandEffect[] | undefined {
    if (this.#root.alias === undefined) return undefined;
    const start = `${this.#root.alias}${name}=`;
    const value = args
      .values("-c")
      .findLast((one) => one.startsWith(start))
      ?.slice(start.length);
    if (value === undefined) return undefined;
    const words = value.replace(/^!/, "").split(/\s+/).map(literalWord);
    const program = value.startsWith("!") ? [] : [literalWord(this.#name)];
    return programEffects([...program, ...words, ...rest], this.#table, this.#depth + 1);
  }
}

const subcommands = new WeakMap<object, ReadonlyMap<string, ProgramSpec>>();

function subcommand(commands: NonNullable<ProgramSpec["commands"]>, name: string): ProgramSpec | undefined {
  const known =
    subcommands.get(commands) ??
    new Map(Object.entries(commands).flatMap(([names, spec]) => names.split("|").map((one) => [one, spec] as const)));
  subcommands.set(commands, known);
  const exact = known.get(name);
  if (exact !== undefined) return exact;
  for (const [pattern, spec] of known) if (pattern.includes("*") && globMatches(pattern, name)) return spec;
  return undefined;
}

/** The value of an effect's argument; see programs.yaml. */
function argument(value: string, args: Arguments): Json | undefined {
  if (value === "") return true;
  if (value === "$url") return args.values("--url")[0] ?? args.operand(1);
  if (value === "$last") return args.operands.at(-1)?.text;
  if (value === "$paths") return pathOperands(args).map(({ text }) => text);
  if (value === "$*") return args.operands.map(({ text }) => text);
  const [, from, more] = /^\$(\d+)(\.\.)?$/.exec(value) ?? [];
  if (from !== undefined) {
    return more === undefined
      ? args.operand(Number(from))
      : args.operands.slice(Number(from) - 1).map(({ text }) => text);
  }
  if (value.startsWith("=")) return args.values(value.slice(1)).at(-1);
  return /^[a-z]/.test(value) ? value : args.selects(value);
}

/** The operands that are paths where the first one may be a branch or a commit. */
function pathOperands({ operands, dashed }: Arguments): readonly ShellWord[] {
  if (dashed !== undefined) return operands.slice(dashed);
  return operands.length > 1 ? operands.slice(1) : operands;
}

function targetWords(
  spec: ProgramSpec,
  args: Arguments,
  rest: readonly ShellWord[],
  command: string,
): readonly string[] {
  if (spec.targetOrRuns !== undefined) return rest.slice(0, 1).map(({ text }) => text);
  if (spec.targets === undefined) return [];
  if (spec.targets === "self") return [command];
  const fromOptions =
    spec.alsoOptions === undefined ? [] : args.values(spec.alsoOptions).flatMap((one) => one.split(","));
  const operands = args.operands.slice(0, spec.targets === "first" ? 1 : undefined).map(({ text }) => text);
  const names = spec.targets === "words" ? operands.flatMap((text) => text.split(" ")) : operands;
  return [...names, ...fromOptions].filter((name) => !name.includes("=") && name !== "--");
}

function sqlIn(selector: string, args: Arguments): readonly CommandEffect[] {
  const texts = selector.split(" ").flatMap((token) => {
    if (!token.startsWith("$")) return args.options.get(token) ?? [];
    return args.operands.slice(Number.parseInt(token.slice(1), 10) - 1);
  });
  return texts.flatMap((word) => sqlEffects(word.text, isLiteral(word)));
}

/** Cloud command lines name a service and then a verb. */
function cloudEffects(
  { delete: deletes, read, copy }: NonNullable<ProgramSpec["cloud"]>,
  { operands, uncertain }: Arguments,
): readonly CommandEffect[] {
  const verbs = operands.slice(0, 5).map(({ text }) => text);
  const isOne = (globs: string) => verbs.find((verb) => globs.split(" ").some((glob) => globMatches(glob, verb)));
  const what = verbs[0] ?? "";
  const deleted = isOne(deletes);
  if (deleted !== undefined) return [{ name: "cloud.delete", args: { what, verb: deleted }, sure: !uncertain }];
  if (isOne(copy) !== undefined) return [{ name: "network.send", args: { what }, sure: !uncertain }];
  return isOne(read) !== undefined || what === "" ? [] : [{ name: "cloud.change", args: { what }, sure: !uncertain }];
}

/** A script file is named; a script from elsewhere cannot be seen. Scripts on the line are read by the shell parser. */
function shellEffects(shell: boolean | string, { operands, options }: Arguments): readonly CommandEffect[] {
  const [script] = operands;
  const opaque = [{ name: "code.run", args: { language: "shell", opaque: true }, sure: false }];
  if (shell === "eval") return operands.every(isLiteral) ? [] : opaque;
  if (script === undefined || script.text === "-") return opaque;
  if (options.has("-c")) return isLiteral(script) ? [] : opaque;
  return [{ name: "code.run", args: { language: "shell", file: script.text }, sure: true }];
}
