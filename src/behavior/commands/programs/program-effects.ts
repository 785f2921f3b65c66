import { globMatches } from "../../../base/kernel/glob.ts";
import type { ProgramSpec } from "../../../base/words/hosting/program.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { RunVariables } from "../line-variables.ts";
import { baseName, isLiteral, literalWord, mayVanish, programWord, type ShellWord } from "../shell/shell-word.ts";
import { Arguments, type Grammar, grammarOf, INPUT, readArguments, tokensOf } from "./arguments.ts";
import { cloudEffects } from "./cloud-effects.ts";
import { codeEffects, commandsIn } from "./code-effects.ts";
import { declaredEffects } from "./declared-effects.ts";
import { targetWords } from "./effect-arguments.ts";
import { settingsOf } from "./one-time-settings.ts";
import { PROGRAMS, type ProgramTable, subcommandOf } from "./program-table.ts";
import { sqlIn } from "./sql-effects.ts";
import { leadsOut, SCRIPT, scriptEffects, unknownProgram, verbEffects } from "./unknown-program.ts";

/** What a command does, with arguments that rules can ask about. */
export type CommandEffect = {
  readonly name: string;
  readonly args: JsonObject;
  /** The command does exactly this; `false` if a word or an option leaves it open. */
  readonly sure: boolean;
  /** It is about these absolute paths: sure only if all of them are in the workspace. */
  readonly inside?: readonly string[];
};

/** Where a command runs, as far as its effects depend on it. */
export type CommandContext = {
  readonly table: ProgramTable;
  /** The likely text on its standard input. */
  readonly input?: string;
  /** Its standard input comes from another command. */
  readonly piped?: boolean;
  /** The variables that are set for it. */
  readonly variables?: RunVariables;
  /** The scripts among the words were not read by the shell parser. */
  readonly unread?: boolean;
  /** Reads a shell script that the program runs. */
  script(text: string, positional?: readonly string[]): readonly CommandEffect[];
};

/** Programs that run programs, deeper than this, are not followed. */
const MAX_DEPTH = 8;

/** The effects of a program with its arguments, wrappers included. The first word is the program. */
export function programEffects(
  words: readonly ShellWord[],
  context: CommandContext,
  depth = 0,
): readonly CommandEffect[] {
  const [first, ...rest] = words;
  if (first === undefined || depth > MAX_DEPTH) return [];
  // `capsh -- -c 'git push'` hands the options to a shell.
  if (first.text === "-c" && depth > 0)
    return context.script(rest[0]?.text ?? "").map((one) => ({ ...one, sure: false }));
  const name = programName(first);
  if (name === "") return [{ name: "code.run", args: { opaque: true }, sure: false }];
  const specs = context.table.specsOf(name);
  if (specs.length > 0) {
    const effects = specs.flatMap((spec) => new Program(name, spec, context, depth).effectsOf(rest));
    return effects.length > 0 || !isUnlisted(specs, rest, context.table) ? effects : verbEffects(name, rest);
  }
  // `git-push` in git's own folder is `git push`.
  const [, command] = /^git-(.+)/.exec(name) ?? [];
  if (command !== undefined) return programEffects([literalWord("git"), literalWord(command), ...rest], context, depth);
  if (name.endsWith("-cli") && context.table.specsOf(name.slice(0, -4)).length > 0) {
    return programEffects([literalWord(name.slice(0, -4)), ...rest], context, depth);
  }
  const follow = (inner: readonly ShellWord[], given: CommandContext) => programEffects(inner, given, depth + 1);
  return unknownProgram(first, name, rest, context, follow);
}

/** No row of the program knows the subcommand, and none says what all the others do. */
function isUnlisted(specs: readonly ProgramSpec[], rest: readonly ShellWord[], table: ProgramTable): boolean {
  const sub = rest.find(({ text }) => /^[a-z]/.test(text))?.text;
  if (sub === undefined || rest.some(({ text }) => table.isDry(text) || text === "-h")) return false;
  return specs.every(
    (spec) =>
      spec.commands !== undefined &&
      Object.keys(spec.otherwise ?? {}).length === 0 &&
      subcommandOf(spec, sub) === undefined,
  );
}

/** The command behind transparent wrappers: `npm test` of `timeout 60 env A=1 npm test`. */
export function innerCommand(words: readonly ShellWord[], table: ProgramTable = PROGRAMS): readonly ShellWord[] {
  const [first, ...rest] = words;
  const [spec] = first === undefined ? [] : table.specsOf(programName(first));
  if (spec?.runs === undefined || spec.unproven !== undefined || spec.elsewhere === true) return words;
  const inner = rest.slice(readArguments(rest, grammarOf(spec, undefined), new Arguments(), { until: spec.runs }));
  return inner.length === 0 ? words : innerCommand(inner, table);
}

/** Returns whether the end of a program says nothing about what it ran: `script -c` without `-e`. */
export function isUnprovenWith(spec: ProgramSpec, rest: readonly ShellWord[]): boolean {
  if (typeof spec.unproven !== "string") return spec.unproven === true;
  const args = new Arguments();
  readArguments(rest, grammarOf(spec, undefined), args, { until: spec.runs });
  return args.selects(spec.unproven);
}

const PLAIN_NAME = /^[a-z-]+$/;

/** `./gradlew`, `python3.12`, `npm.cmd` and `/u?r/bin/git` by their plain names. */
export function programName(word: ShellWord): string {
  if (word.unknown === undefined && PLAIN_NAME.test(word.text)) return word.text;
  const known = baseName(programWord(word).text);
  const text = known === "" && word.unknown !== undefined ? pathEnd(word.unknown.source) : known;
  const name = text.replace(/\.(?:exe|cmd|bat|ps1)$/i, "");
  return name
    .replace(/(?<=.)@[\w.^~-]+$/, "")
    .replace(/^(python|pip|pypy|ruby|php|perl|lua|node|clang|gcc)\d[\d.]*$/, "$1");
}

/** The file's name, if only its folder has patterns or variables. */
function pathEnd(source: string): string {
  return /\/([\w.-]+)"?$/.exec(source)?.[1] ?? "";
}

class Program {
  readonly #name: string;
  readonly #root: ProgramSpec;
  readonly #context: CommandContext;
  readonly #depth: number;

  constructor(name: string, root: ProgramSpec, context: CommandContext, depth: number) {
    this.#name = name;
    this.#root = root;
    this.#context = context;
    this.#depth = depth;
  }

  effectsOf(words: readonly ShellWord[]): readonly CommandEffect[] {
    return this.#read(words, this.#root, new Arguments(), undefined);
  }

  #read(
    words: readonly ShellWord[],
    spec: ProgramSpec,
    args: Arguments,
    outer: Grammar | undefined,
    command = "",
  ): readonly CommandEffect[] {
    const grammar = grammarOf(spec, outer);
    if (spec.inherits !== undefined) {
      const read = readArguments(words, grammar, args, { until: spec.skip ?? 0 });
      return this.#read(words.slice(read), this.#root, new Arguments(), undefined);
    }
    if (spec.commands !== undefined) return this.#command(words, spec, args, grammar);
    const follows = spec.runs ?? (spec.targetOrRuns === undefined ? undefined : 0);
    const until = follows ?? (spec.stops === true ? 0 : undefined);
    const read = readArguments(words, grammar, args, {
      until,
      untilOption: spec.module,
      ends: spec.entry !== undefined,
    });
    const mark = spec.skipTo ?? spec.after;
    const dashes = mark === undefined ? -1 : words.findIndex(({ text }) => text === mark);
    const none = spec.after === undefined ? read : words.length;
    const after = words.slice(dashes < 0 ? none : dashes + 1);
    const rest = spec.skips !== undefined && globMatches(spec.skips, after[0]?.text ?? "") ? after.slice(1) : after;
    // Operands after the first one, or after the module, are the script's own.
    if (follows === undefined) args.operands.push(...rest);
    if (args.selects(grammar.dry) || isHelp(args, grammar)) return [];
    const isEmpty = args.operands.length === 0 && rest.length === 0 && spec.empty !== undefined;
    return this.#effects(isEmpty ? (spec.empty ?? {}) : spec, args, grammar, rest, command);
  }

  #command(
    words: readonly ShellWord[],
    spec: ProgramSpec,
    args: Arguments,
    grammar: Grammar,
  ): readonly CommandEffect[] {
    const read = readArguments(words, grammar, args, { until: 0 });
    // A word that may come out empty leaves the next one as the subcommand.
    const isSkipped = (word: ShellWord) => spec.skips !== undefined && globMatches(spec.skips, word.text);
    const skipped = words.slice(read).findIndex((word) => !mayVanish(word) && !isSkipped(word));
    const at = skipped < 0 ? read : read + skipped;
    if (words.slice(read, at).some(mayVanish)) args.uncertain = true;
    const sub = words[at];
    const name = sub === undefined ? "" : programWord(sub).text;
    const rest = words.slice(at + 1);
    const settings = spec === this.#root ? this.#settings(args) : [];
    const aliased = sub === undefined ? undefined : this.#alias(name, rest, args);
    if (aliased !== undefined) return [...settings, ...aliased];
    const found = sub === undefined ? undefined : subcommandOf(spec, name);
    if (found !== undefined) return [...settings, ...this.#read(rest, found, args, grammar, name)];
    const { otherwise = {} } = spec;
    const next = sub === undefined ? (otherwise.empty ?? spec.empty ?? otherwise) : otherwise;
    return [...settings, ...this.#read(words.slice(at), next, args, grammar)];
  }

  #effects(
    spec: ProgramSpec,
    args: Arguments,
    grammar: Grammar,
    rest: readonly ShellWord[],
    command = "",
  ): readonly CommandEffect[] {
    const { table, input } = this.#context;
    if (input !== undefined) args.note(INPUT, literalWord(input));
    const differs = spec.unproven === true || (typeof spec.unproven === "string" && args.selects(spec.unproven));
    const folders = foldersIn(spec, grammar, args);
    const sure = !args.uncertain && !differs && !table.isUnproven(args) && !folders.some(leadsOut);
    const effects = [...declaredEffects(spec, args, this.#name)];
    effects.push(...this.#targets(spec, args, rest, command), ...this.#inner(spec, args, rest));
    if (spec.sql !== undefined) effects.push(...sqlIn(spec.sql, args));
    if (spec.code !== undefined) effects.push(...this.#code(spec.code, args));
    if (spec.cloud !== undefined) effects.push(...cloudEffects(spec.cloud, args));
    if (spec.shell !== undefined) effects.push(...this.#shell(spec.shell, args));
    const inside = folders.filter((folder) => folder.startsWith("/"));
    if (sure && inside.length === 0) return effects;
    return effects.map((effect) => ({
      ...effect,
      sure: sure && effect.sure,
      inside: [...(effect.inside ?? []), ...inside],
    }));
  }

  #targets(spec: ProgramSpec, args: Arguments, rest: readonly ShellWord[], command: string): readonly CommandEffect[] {
    const targets = targetWords(spec, args, rest, command);
    if (targets.length === 0) return [];
    const { table } = this.#context;
    const isHelp =
      args.operands.some(({ text }) => /^(?:help|--help|--version)$/.test(text)) ||
      rest.some(({ text }) => table.isDry(text));
    return targets.flatMap((word) => {
      const target = spec.targets === "colon" ? (word.split(/[:#/.+@]/).at(-1) ?? "") : word;
      const effects = [...(spec.also?.[target]?.split(" ") ?? []), ...table.targetEffects(target)];
      const shown = { program: this.#name, target: word };
      return [
        ...effects.map((name) => ({ name, args: shown, sure: !isHelp })),
        ...(spec.targetOrRuns === undefined
          ? [{ name: "code.run", args: { ...shown, script: word }, sure: true }]
          : []),
      ];
    });
  }

  /** What a wrapper, a module, a script or a script file of a known program does. */
  #inner(spec: ProgramSpec, args: Arguments, rest: readonly ShellWord[]): readonly CommandEffect[] {
    const { table } = this.#context;
    const follow = (words: readonly ShellWord[]) => programEffects(words, this.#context, this.#depth + 1);
    const module = spec.module === undefined ? undefined : args.options.get(spec.module)?.at(0);
    if (module !== undefined) {
      const isKnown = table.specsOf(programName(module)).length > 0;
      // `python -m package.tests`
      const file = module.text.replaceAll(".", "/");
      return [...follow([module, ...rest]), ...(isKnown ? [] : scriptEffects(file, table, isLiteral(module)))];
    }
    const scripts = spec.script === undefined ? [] : this.#scripts(spec.script, args);
    if (spec.runs !== undefined || spec.targetOrRuns !== undefined) {
      const { input } = this.#context;
      const fed = spec.joins === true && input !== undefined ? this.#script(input) : [];
      const inner = spec.joins === true ? this.#script(rest.map(({ text }) => text).join(" ")) : follow(rest);
      const [entry] = spec.entry === undefined ? [] : (args.options.get(spec.entry) ?? []);
      const isFetched = PACKAGE_RUNNERS.test(this.#name) && ADDRESS.test(rest[0]?.text ?? "");
      const fetched = isFetched ? [{ name: "network.run", args: {}, sure: false }] : [];
      return [...scripts, ...inner, ...fed, ...fetched, ...(entry === undefined ? [] : follow([entry, ...rest]))];
    }
    if (spec.stops !== true || spec.shell !== undefined) return scripts;
    const [file, ...more] = args.operands;
    if (file === undefined) return scripts;
    const name = baseName(file.text).replace(/(?<=.)@[\w.^~-]+$/, "");
    const program = [name, name.replace(SCRIPT, "")].find((one) => table.specsOf(one).length > 0);
    if (program !== undefined) return [...scripts, ...follow([literalWord(program), ...more])];
    return [...scripts, ...scriptEffects(file.text, table, isLiteral(file) && !leadsOut(file.text))];
  }

  /** Options and operands that are shell scripts. */
  #scripts(selector: string, args: Arguments): readonly CommandEffect[] {
    return tokensOf(selector).flatMap((token) => {
      if (token === "$last") return args.operands.slice(-1).flatMap(({ text }) => this.#script(text));
      const words = token.startsWith("$") ? args.operands.slice(Number.parseInt(token.slice(1), 10) - 1) : [];
      const texts = token.startsWith("$") ? words.map(({ text }) => text) : args.values(token);
      return texts.flatMap((text) => this.#script(text));
    });
  }

  /** Code of another language on the line: in an option, on standard input, or in a file that the line wrote. */
  #code(selector: string, args: Arguments): readonly CommandEffect[] {
    const given = tokensOf(`${selector} ${INPUT}`).flatMap((token) =>
      token.startsWith("$") ? (args.operand(Number(token.slice(1))) ?? []) : args.values(token),
    );
    const files = args.operands.flatMap(({ content }) => content ?? []);
    return [...given, ...files].flatMap((code) => {
      const commands = commandsIn(code).flatMap((text) => this.#script(text));
      // Scripts of `sed` are patterns and texts.
      const own = /sed$/.test(this.#name) ? [] : codeEffects(code);
      return [...own, ...commands.map((effect) => ({ ...effect, sure: false }))];
    });
  }

  /** A command line in a word; `npm:test` of `concurrently`, `!sh` of git. */
  #script(text: string): readonly CommandEffect[] {
    return this.#context.script(text.replace(/^npm:/, "npm run ").replace(/^!|^commands=|^exec=/, ""));
  }

  /** A script file is named; a script from elsewhere cannot be seen. Scripts on the line are read by the shell parser. */
  #shell(shell: boolean | string, { operands, options }: Arguments): readonly CommandEffect[] {
    const { script: read, table } = this.#context;
    const unread = this.#context.unread === true || this.#depth > 0;
    const [script, ...positional] = operands;
    const opaque = { name: "code.run", args: { language: "shell", opaque: true }, sure: false };
    if (shell === "eval") {
      const text = operands.map((word) => word.text).join(" ");
      return unread ? read(text) : operands.every(isLiteral) ? [] : [opaque];
    }
    if (script === undefined || options.has("-s") || /^(?:-|\/dev\/stdin)$/.test(script.text)) {
      const isHidden = this.#context.piped === true && this.#context.input === undefined;
      return [{ ...opaque, args: { ...opaque.args, input: true, ...(isHidden ? { hidden: true } : {}) } }];
    }
    if (options.has("-c")) {
      const effects = unread
        ? read(
            script.text,
            positional.map(({ text }) => text),
          )
        : [];
      return isLiteral(script) ? effects : [opaque, ...effects];
    }
    if (table.specsOf(programName(script)).length > 0) return programEffects(operands, this.#context, this.#depth + 1);
    const sure = isLiteral(script) && !leadsOut(script.text);
    const run = { name: "code.run", args: { language: "shell", file: script.text }, sure };
    return [run, ...scriptEffects(script.text, table, sure)];
  }

  /** Settings for one command: `git -c KEY=VALUE`, `GIT_CONFIG_KEY_0`. */
  #settings(args: Arguments): readonly CommandEffect[] {
    if (this.#root.settings === undefined) return [];
    return settingsOf(args, this.#context.variables).map(([key, value]) => ({
      name: this.#root.settings ?? "",
      args: { program: this.#name, key, value, once: true },
      sure: true,
    }));
  }

  /** `git -c alias.p='push -f' p` */
  #alias(name: string, rest: readonly ShellWord[], args: Arguments): readonly CommandEffect[] | undefined {
    if (this.#root.alias === undefined || this.#depth >= MAX_DEPTH) return undefined;
    const isAlias = ([key]: readonly [string, string]) => key.toLowerCase() === `${this.#root.alias}${name}`;
    const value = settingsOf(args, this.#context.variables).findLast(isAlias)?.[1];
    if (value === undefined) return undefined;
    if (value.startsWith("!")) return this.#script(`${value} ${rest.map(({ text }) => text).join(" ")}`);
    const words = value.split(/\s+/).map(literalWord);
    // An alias may name another one.
    const settings = args.values("-c").flatMap((one) => [literalWord("-c"), literalWord(one)]);
    return programEffects([literalWord(this.#name), ...settings, ...words, ...rest], this.#context, this.#depth + 2);
  }
}

/** `npx https://…` runs what the server sends. */
const PACKAGE_RUNNERS = /^(?:npx|pnpx|bunx|uvx|pipx|npm|pnpm|yarn|bun|uv)$/;
const ADDRESS = /^(?:(?:https?|ssh|git(?:\+\w+)?):\/\/|git@|(?:github|gitlab|gist|bitbucket):)/;

function isHelp({ spelled }: Arguments, { exact }: Grammar): boolean {
  return spelled.has("--help") || (spelled.has("--version") && exact.get("--version")?.value !== "required");
}

/** The folders and files that a command is about: operands, and the values of some options. */
function foldersIn({ operandsAre }: ProgramSpec, { folder }: Grammar, args: Arguments): readonly string[] {
  const named = folder === "" ? [] : tokensOf(folder).flatMap((option) => args.values(option));
  const operands = operandsAre === "names" ? [] : args.operands.map(({ text }) => text);
  return [...named, ...operands.filter((text) => /^(?:~|\.\.(?:\/|$)|\/(?!\/|[\w-]+[:=]))/.test(text))];
}
