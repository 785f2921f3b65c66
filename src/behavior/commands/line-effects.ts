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
import { codeEffects, commandsIn } from "./programs/code-effects.ts";
import { type CommandEffect, innerCommand, programEffects, programName } from "./programs/program-effects.ts";
import { PROGRAMS, type ProgramTable } from "./programs/program-table.ts";
import { isCheck, keyOf, LineFacts } from "./proof/line-facts.ts";
import { foldersAround, inFolders, isPiped, isPlainDiscard, isWritten, replacesRunner, runsGit } from "./run-traits.ts";
import { isUsualRunnerPlace } from "./runner-place.ts";
import { sentSecret } from "./secret-flows.ts";
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
const MANY_RUNS = 16;
const MAX_INPUT = 200;

class LineReader {
  readonly #line: ShellLine;
  readonly #table: ProgramTable;
  readonly #depth: number;
  readonly #found = new Map<string, LineEffect>();
  readonly #runs: RunEffects[] = [];
  readonly #facts = new LineFacts();
  readonly #same = new Map<string, RunEffects>();
  readonly #exported = new Map<string, string>();
  /** Files that redirections before on the line write. */
  readonly #written = new Set<string>();
  #scripts = 0;
  /** A test runner, or what it runs, was replaced before on the line. */
  #replaced = false;

  constructor(line: ShellLine, table: ProgramTable, depth: number) {
    this.#line = line;
    this.#table = table;
    this.#depth = depth;
  }

  read(): readonly LineEffect[] {
    const { runs, parsed } = this.#line;
    for (const run of runs) if (run.keyword === undefined) this.#run(run);
    if (!parsed) this.#add({ name: "code.run", args: { language: "shell", opaque: true } });
    if ([...this.#found.values()].some(changesWorkspace)) this.#add({ name: "workspace.change", args: {} });
    if (runsDownload(this.#runs)) this.#add({ name: "network.run", args: {} });
    const secret = sentSecret(this.#runs);
    if (secret !== undefined) this.#add({ name: "secrets.send", args: { secret } });
    for (const { name, args, inside } of parsed ? this.#facts.proven(runs, this.#table) : [])
      this.#found.set(keyOf(name, args), { name, args, proven: true, ...(inside.length > 0 ? { inside } : {}) });
    return [...this.#found.values()];
  }

  /** Long lines often repeat a command: what it does is worked out once. */
  #run(run: ShellRun): void {
    const key = this.#line.runs.length < MANY_RUNS ? undefined : this.#plainKey(run);
    const known = key === undefined ? undefined : this.#same.get(key);
    if (known === undefined) {
      this.#read(run);
      const last = this.#runs.at(-1);
      if (key !== undefined && last?.run === run) this.#same.set(key, last);
      return;
    }
    this.#runs.push({ run, effects: known.effects });
    this.#facts.repeat(run, known.run);
  }

  /** The same for commands that do the same; `undefined` if more than their words decides. */
  #plainKey({ words, redirects, assignments, input, inside, pipeline, folders, host }: ShellRun): string | undefined {
    const isPlain = redirects.length + assignments.length + inside.scripts.length + this.#exported.size === 0;
    if (!isPlain || (input?.length ?? 0) > MAX_INPUT || inside.more || host !== undefined || this.#runs.length === 0)
      return undefined;
    if (words.some(({ unknown, content }) => unknown?.likely !== undefined || content !== undefined)) return undefined;
    const state = [this.#replaced, pipeline.index > 0, this.#written.size, input, ...folders].join("\0");
    return `${state}\n${words.map(({ text, folder, unknown }) => [text, folder, unknown?.source].join("\0")).join("\n")}`;
  }

  #read(run: ShellRun): void {
    const variables = this.#variablesOf(run);
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
    const effects = spans.flatMap((span, i) => {
      // What may be an option's value instead of a program proves nothing, nor does a script that the line wrote itself.
      const words = wordsOf(run, span);
      const isSure = i === 0 && inside !== undefined && !this.#replaced && !isOwn && this.#isUsual(words, run);
      return programEffects(words, context).map((effect) => {
        const sure = effect.sure && isSure && !written.includes(String(effect.args.program));
        return { ...effect, sure };
      });
    });
    const readings = likelyReadings(run, this.#fedNames(run));
    const likely = readings.flatMap((words) => programEffects(words, { ...context, unread: true }));
    const guessed = isUnknown(run, likely) ? guessedEffects(run, context) : [];
    const named = [...spans.map((span) => wordsOf(run, span)), ...readings];
    const writes = [...writtenPaths(run, named, this.#written), ...testEdits(run, named)];
    for (const { operator, target } of run.redirects) if (operator.startsWith(">")) this.#written.add(target.text);
    const unread = [
      ...likely,
      ...guessed,
      ...writes,
      ...uncheckedSources(run, variables),
      ...this.#contents(run, [...effects, ...likely]),
    ];
    const set = variables.size > 0 && runsGit(run) ? [...variables] : [];
    const seenRaw = isFullyLikely(run)
      ? effects.filter(({ name, sure }) => sure || !name.startsWith("files."))
      : effects;
    const all = [
      ...seenRaw,
      ...[...unread, ...set.flatMap(([name, value]) => this.#variable(name, value))].map(unsure),
    ];
    // What an earlier command of the line writes could be lost too.
    const isFirst =
      this.#depth === 0 && this.#line.parsed && this.#runs.every(({ effects: { length } }) => length === 0);
    const isLocal = isFirst && isPlainDiscard(run, variables);
    this.#runs.push({ run, effects: all });
    let proves = 0n;
    let doubts = 0n;
    for (const effect of all) {
      const given =
        isLocal && effect.name === "git.discard" ? { ...effect, args: { ...effect.args, local: true } } : effect;
      const seen = withGenerated(inFolders(filled(given, run), run));
      this.#add(seen);
      if (!effect.sure && !isCheck(seen.name)) continue;
      const folders = effect.sure ? [...(effect.inside ?? []), ...(inside ?? [])] : [];
      const bits = this.#facts.bitsOf(seen.name, seen.args, folders);
      if (effect.sure) proves |= bits;
      else doubts |= bits;
    }
    if (replacesRunner(run, all)) this.#replaced = true;
    const changed = all.map(withGenerated).filter(changesWorkspace);
    // What a test or the programs behind it in its pipeline write is its own output.
    const isOutput = isPiped(run) || effects.some(({ name, sure }) => sure && isCheck(name));
    const isSetting = /^(?:export|set|cd)$/.test(run.words[0]?.text ?? "");
    const changes = !isSetting && changed.some(({ name }) => name !== "files.write" || !isOutput);
    this.#facts.mark(run, { proves, doubts, changes });
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

  /** The variables that are set for a command: on it, or before it on the line. */
  #variablesOf({ assignments, words }: ShellRun): ReadonlyMap<string, string> {
    const isExport = EXPORTS.test(words[0]?.text ?? "");
    const setter = isExport ? 0 : words.findIndex(({ text }) => SETTERS.test(text));
    const isList = setter >= 0;
    const rest = words.slice(setter + 1);
    if (assignments.length === 0 && !isList) return this.#exported;
    const own = new Map(assignments.map(({ name, value }) => [name, value.unknown?.likely?.join(" ") ?? value.text]));
    for (const { text } of isList ? rest : []) {
      const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
      if (name !== undefined) own.set(name, value);
    }
    if (isExport || words.length === 0) for (const [name, value] of own) this.#exported.set(name, value);
    return this.#exported.size === 0 ? own : new Map([...this.#exported, ...own]);
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
const EXPORTS = /^(?:export|declare|typeset|readonly)$/;
const SETTERS = /^(?:env|sudo|doas|cross-env|dotenv)$/;
function unsure(effect: CommandEffect): CommandEffect {
  return { ...effect, sure: false };
}
