import type { RecentMap } from "../../base/kernel/bounded-map.ts";
import type { Programs } from "../../base/words/hosting/program.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { type RunEffects, runsDownload } from "./downloads.ts";
import { writtenPaths } from "./files/written-files.ts";
import {
  filled,
  guessedEffects,
  isFinder,
  isFullyLikely,
  isUnknown,
  likelyReadings,
  printedNames,
} from "./likely-readings.ts";
import { LineVariables, setsVariables, temporaryFolders } from "./line-variables.ts";
import { codeEffects, commandsIn } from "./programs/code-effects.ts";
import { type CommandEffect, innerCommand, programEffects, programName } from "./programs/program-effects.ts";
import { PROGRAMS, type ProgramTable } from "./programs/program-table.ts";
import { isCheck, keyOf, LineFacts } from "./proof/line-facts.ts";
import { type Reading, readingsOf } from "./run-readings.ts";
import { foldersAround, inFolders, isPiped, isPlainDiscard, isWritten, replacesRunner, runsGit } from "./run-traits.ts";
import { isUsualRunnerPlace } from "./runner-place.ts";
import { sentSecret } from "./secrets/secret-flows.ts";
import { inFolder } from "./shell/folders.ts";
import { ReadBudget } from "./shell/read-budget.ts";
import { parseShellLine, readShellLine, type ShellLine, type ShellRun, wordsOf } from "./shell/shell-line.ts";
import { literalWord, type ShellWord } from "./shell/shell-word.ts";
import { unwrap } from "./shell/unwrap.ts";
import { testEdits } from "./test-edits.ts";
import { uncheckedSources } from "./unverified.ts";
import { changesWorkspace, withGenerated } from "./workspace-changes.ts";

/** An effect of a command line. */
export type LineEffect = {
  readonly name: string;
  readonly args: JsonObject;
  /** An exit status of 0 means that the command ran, did this and succeeded. */
  readonly proven: boolean;
  /** It is proven only if these absolute paths are in the workspace. */
  readonly inside?: readonly string[];
};

/** Effects that no single program declares. */
const COMPUTED = [
  "network.run",
  "network.unverified",
  "files.write",
  "tests.weaken",
  "secrets.send",
  "workspace.change",
  "cloud.delete",
  "cloud.change",
  "database.drop",
  "database.change",
];

let names: ReadonlySet<string> | undefined;

/** The names that rules can be on, with those of programs that an agent adds. */
export function effectNames(added: Programs = {}): ReadonlySet<string> {
  names ??= new Set([...PROGRAMS.effectNames(), ...COMPUTED]);
  return Object.keys(added).length === 0 ? names : names.union(PROGRAMS.withPrograms(added).effectNames());
}

/** The arguments that rules on an effect can use. */
export function effectArguments(effects: readonly string[], added: Programs = {}): readonly string[] {
  const table = Object.keys(added).length === 0 ? PROGRAMS : PROGRAMS.withPrograms(added);
  return [...new Set(effects.flatMap((effect) => table.argumentsOf(effect)))];
}

const known = new WeakMap<ProgramTable, WeakMap<ShellLine, readonly LineEffect[]>>();

/** Everything that a command line may do. Gates generously, proves strictly. */
export function lineEffects(command: string, table: ProgramTable = PROGRAMS): readonly LineEffect[] {
  const line = parseShellLine(command);
  const lines = known.get(table) ?? new WeakMap<ShellLine, readonly LineEffect[]>();
  known.set(table, lines);
  const effects = lines.get(line) ?? new LineReader(line, table, 0).read();
  lines.set(line, effects);
  return effects;
}

/** What a program does that was started with these words and variables: no shell reads them any more. */
export function argvEffects(
  argv: readonly string[],
  variables: ReadonlyMap<string, string> = new Map(),
  table: ProgramTable = PROGRAMS,
): readonly LineEffect[] {
  const words = argv.map(literalWord);
  const length = argv.reduce((sum, { length: one }) => sum + one + 1, 0);
  const assignments = [...variables].map(([name, value]) => ({ name, append: false, value: literalWord(value) }));
  const run = { ...ALONE, words, assignments, inside: unwrap(words, new ReadBudget(length)) };
  const line = { commands: [argv], runs: [run], simple: true, parsed: true, work: 0 };
  return new LineReader(line, table, 0).read();
}

/** One command that is the whole line. */
const ALONE: Omit<ShellRun, "words" | "inside" | "assignments"> = {
  ...{ after: "", pipeline: { index: 0, length: 1 }, negated: false, background: false },
  ...{ redirects: [], scope: undefined, folders: [""], remote: false, host: undefined },
};

/** Scripts in scripts, deeper than this, are not read; nor are more of them than this in one line. */
const MAX_DEPTH = 4;
const MAX_SCRIPTS = 64;
/** Longer commands are seldom repeated. */
const MAX_KEY = 1_000;

class LineReader {
  readonly #line: ShellLine;
  readonly #table: ProgramTable;
  readonly #depth: number;
  readonly #found = new Map<string, LineEffect>();
  readonly #runs: RunEffects[] = [];
  readonly #facts = new LineFacts();
  readonly #variables: LineVariables;
  readonly #readings: RecentMap<Reading>;
  /** Files that redirections before on the line write. */
  readonly #written = new Set<string>();
  /** Variables that the line sets to a new temporary folder, and to nothing else. */
  readonly #temporary: ReadonlySet<string>;
  #scripts = 0;
  #hasEffects = false;
  /** A test runner, or what it runs, was replaced before on the line. */
  #replaced = false;

  constructor(line: ShellLine, table: ProgramTable, depth: number) {
    this.#line = line;
    this.#table = table;
    this.#depth = depth;
    this.#variables = new LineVariables(table);
    this.#readings = readingsOf(table);
    this.#temporary = temporaryFolders(line.runs);
  }

  read(): readonly LineEffect[] {
    const { runs, parsed } = this.#line;
    for (const run of runs) if (run.keyword === undefined) this.#run(run);
    if (!parsed) this.#add({ name: "code.run", args: { language: "shell", opaque: true } });
    if (this.#found.values().some(changesWorkspace)) this.#add({ name: "workspace.change", args: {} });
    if (runsDownload(this.#runs)) this.#add({ name: "network.run", args: {} });
    const secret = sentSecret(this.#runs);
    if (secret !== undefined) this.#add({ name: "secrets.send", args: { secret } });
    for (const { name, args, inside } of parsed ? this.#facts.proven(runs, this.#table) : [])
      this.#found.set(keyOf(name, args), { name, args, proven: true, ...(inside.length > 0 ? { inside } : {}) });
    return [...this.#found.values()];
  }

  /** Many commands are the same as an earlier one, of this line or of another: they are read once. */
  #run(run: ShellRun): void {
    const key = this.#keyOf(run);
    const scripts = this.#scripts;
    const known = key === undefined ? undefined : this.#readings.get(key);
    const reading = known ?? this.#read(run);
    // How many scripts a line may have does not depend on what was read before.
    if (key !== undefined && known === undefined && scripts === this.#scripts) this.#readings.set(key, reading);
    this.#note(run, reading);
  }

  /** The same for commands that do the same; `undefined` if more than their words and their place decides. */
  #keyOf(run: ShellRun): string | undefined {
    const { words, redirects, inside, input, project, host, pipeline, folders } = run;
    const { telling, isEmpty } = this.#variables.current;
    const isPlain = !inside.more && inside.scripts.length === 0 && !setsVariables(run) && telling.length === 0;
    if (!isPlain || project !== undefined || host !== undefined || this.#temporary.size > 0) return undefined;
    const isOpen = ({ text, unknown, content }: ShellWord) =>
      unknown !== undefined || content !== undefined || this.#written.has(text) || text.startsWith("--config-env");
    if (words.some(isOpen) || redirects.some(({ target, body }) => isOpen(target) || body !== undefined))
      return undefined;
    const flags = [this.#isFirst(), isEmpty, this.#replaced, pipeline.index > 0, isPiped(run), input !== undefined];
    let key = `${flags.map(Number).join("")}${input ?? ""}\0${folders.join("\0")}`;
    for (const { operator, descriptor, target } of redirects) key += `\0${descriptor}${operator}${target.text}`;
    key += "\n";
    for (const { text, folder } of words) key += folder ? `\0${text}\x01` : `\0${text}`;
    return key.length > MAX_KEY ? undefined : key;
  }

  #isFirst(): boolean {
    return this.#depth === 0 && this.#line.parsed && !this.#hasEffects;
  }

  #note(run: ShellRun, { effects, seen, replaces, changes }: Reading): void {
    this.#runs.push({ run, effects });
    for (const { operator, target } of run.redirects) if (operator.startsWith(">")) this.#written.add(target.text);
    let proves = 0n;
    let doubts = 0n;
    for (const { key, name, args, sure, folders } of seen) {
      if (!this.#found.has(key)) this.#found.set(key, { name, args, proven: false });
      if (!sure && !isCheck(name)) continue;
      const bits = this.#facts.bitsOf(key, name, args, folders);
      if (sure) proves |= bits;
      else doubts |= bits;
    }
    if (effects.length > 0) this.#hasEffects = true;
    if (replaces) this.#replaced = true;
    this.#facts.mark(run, { proves, doubts, changes });
  }

  #read(run: ShellRun): Reading {
    const variables = this.#variables.of(run);
    const inside = foldersAround(run);
    const context = {
      table: this.#table,
      input: run.input,
      piped: run.pipeline.index > 0,
      variables,
      script: (text: string, positional: readonly string[] = []) => this.#script(text, positional),
    };
    // What `xargs` and `find` run is read with the names that they fill in.
    const spans = run.inside.more && isFinder(run) ? run.inside.spans.slice(0, 1) : run.inside.spans;
    const written = run.words.filter(isWritten).map(({ text }) => text);
    const isOwn = run.words[0] !== undefined && isWritten(run.words[0]);
    const named = spans.map((span) => wordsOf(run, span));
    const effects = named.flatMap((words, i) => {
      // What may be an option's value instead of a program proves nothing, nor does a script that the line wrote itself.
      const isSure = i === 0 && inside !== undefined && !this.#replaced && !isOwn && this.#isUsual(words, run);
      return programEffects(words, context).map((effect) => {
        const sure = effect.sure && isSure && !written.includes(String(effect.args.program));
        return sure === effect.sure ? effect : { ...effect, sure };
      });
    });
    const readings = likelyReadings(run, this.#fedNames(run));
    const likely = readings.flatMap((words) => programEffects(words, { ...context, unread: true }));
    const all = isFullyLikely(run)
      ? effects.filter(({ name, sure }) => sure || !name.startsWith("files."))
      : [...effects];
    const doubt = (more: readonly CommandEffect[]) => {
      for (const effect of more) all.push(unsure(effect));
    };
    doubt(likely);
    if (isUnknown(run, likely)) doubt(guessedEffects(run, context));
    named.push(...readings);
    doubt(writtenPaths(run, named, this.#written));
    doubt(testEdits(run, named));
    doubt(uncheckedSources(run, variables));
    doubt(this.#contents(run, [...effects, ...likely]));
    if (variables.telling.length > 0 && runsGit(run))
      for (const [name, value] of variables.telling) doubt(this.#variable(name, value));
    // What an earlier command of the line writes could be lost too.
    const isLocal = this.#isFirst() && isPlainDiscard(run, variables);
    const seen = all.map((effect) => {
      const given =
        isLocal && effect.name === "git.discard" ? { ...effect, args: { ...effect.args, local: true } } : effect;
      const { name, args } = withGenerated(inFolders(filled(given, run), run), this.#temporary);
      const folders = effect.sure ? [...(effect.inside ?? []), ...(inside ?? [])] : [];
      return { key: keyOf(name, args), name, args, sure: effect.sure, folders };
    });
    // What a test or the programs behind it in its pipeline write is its own output.
    const isOutput = isPiped(run) || effects.some(({ name, sure }) => sure && isCheck(name));
    const isSetting = /^(?:export|set|cd)$/.test(run.words[0]?.text ?? "");
    const changes =
      !isSetting &&
      all.some(
        (effect) =>
          (effect.name !== "files.write" || !isOutput) && changesWorkspace(withGenerated(effect, this.#temporary)),
      );
    return { effects: all, seen, replaces: replacesRunner(run, all), changes };
  }

  /** A program that the table knows by its name, in a place where it is not installed, may be any file. */
  #isUsual(words: readonly ShellWord[], { folders }: ShellRun): boolean {
    if (!words.some(({ text }) => text.includes("/"))) return true;
    const inner = innerCommand(words, this.#table);
    return [words[0], inner[0]].every((program) => {
      if (program === undefined || this.#table.specsOf(programName(program)).length === 0) return true;
      return folders.every((folder) =>
        isUsualRunnerPlace(inFolder(folder, program.text) ?? program.text, program.text),
      );
    });
  }

  /** The names that the nearest command before `xargs` in its pipeline prints. */
  #fedNames({ inside, pipeline }: ShellRun): readonly string[] {
    if (!inside.more || pipeline.index === 0) return [];
    for (const { run } of this.#runs.slice(-pipeline.index).reverse()) {
      const names = printedNames(run);
      if (names.length > 0) return names;
    }
    return [];
  }

  #variable(name: string, value: string): readonly CommandEffect[] {
    return this.#table.variableEffects(name, value).flatMap((effects) =>
      Object.entries(effects).map(([effect, given]) => {
        const args = Object.entries(given).map(([key, text]) => [key, text === "" ? true : text]);
        return { name: effect, args: { variable: name, value, ...Object.fromEntries(args) }, sure: false };
      }),
    );
  }

  /** Files whose text is on the line, if the command runs code. */
  #contents(run: ShellRun, effects: readonly CommandEffect[]): readonly CommandEffect[] {
    const named = [...run.words, ...run.assignments.map(({ value }) => value)].flatMap(({ content }) => content ?? []);
    if (named.length === 0 && run.input === undefined && run.project === undefined) return [];
    const isMake = effects.some(({ args }) => args.script !== undefined) || run.words[0]?.text === "make";
    const isCode = effects.some(({ name }) => name === "code.run") || run.inside.scripts.length > 0 || isMake;
    const texts = isCode || run.words[0]?.content !== undefined ? named : [];
    const readsInput = isMake || effects.some(({ args }) => args.input === true && args.language === "shell");
    const fed = readsInput && run.input !== undefined ? [run.input] : [];
    const project = run.project === undefined ? [] : [run.project, ...quotedTexts(run.project)];
    return [...texts, ...fed, ...project].flatMap((text) =>
      // A script of another language that the line wrote starts its commands by itself.
      OTHER_LANGUAGE.test(text)
        ? [...codeEffects(text), ...commandsIn(text).flatMap((one) => this.#script(one, []))]
        : this.#script(text.replace(/^\s*[\w.-]+:\s*;?|^\s+[@-]?/gm, ""), []),
    );
  }

  #script(text: string, positional: readonly string[]): readonly CommandEffect[] {
    this.#scripts += 1;
    if (this.#depth >= MAX_DEPTH || this.#scripts > MAX_SCRIPTS || text.length > MAX_SCRIPT) return [];
    const line = positional.length === 0 ? parseShellLine(text) : readShellLine(text, positional);
    const effects = new LineReader(line, this.#table, this.#depth + 1).read();
    return effects
      .filter(({ name }) => name !== "workspace.change")
      .map(({ name, args, proven, inside }) => ({ name, args, sure: proven, inside }));
  }

  #add({ name, args }: Pick<LineEffect, "name" | "args">): void {
    const key = keyOf(name, args);
    if (!this.#found.has(key)) this.#found.set(key, { name, args, proven: false });
  }
}

/** The commands in package.json, a Taskfile or a Rakefile. */
function quotedTexts(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/g)]
    .map(([, double, single]) => double ?? single ?? "")
    .filter((one) => one.includes(" "))
    .slice(0, MAX_SCRIPTS);
}

const MAX_SCRIPT = 20_000;
const OTHER_LANGUAGE = /^#!.*\b(?:python[\d.]*|node|ruby|perl|php|deno|bun)\b/;

function unsure(effect: CommandEffect): CommandEffect {
  return effect.sure ? { ...effect, sure: false } : effect;
}
