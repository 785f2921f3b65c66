import { RecentMap } from "../../../base/kernel/bounded-map.ts";
import { inFolder, UNKNOWN } from "./folders.ts";
import { InheritedVariables } from "./inherited-variables.ts";
import type { ParseLimits } from "./parser/parser-state.ts";
import { assumesHome, parseShell } from "./parser/shell-parser.ts";
import { ReadBudget } from "./read-budget.ts";
import { assignmentWord, type ShellCommand, type ShellScript } from "./shell-script.ts";
import { programWord, type ShellWord } from "./shell-word.ts";
import { isPlain, type Unwrapped, unwrap } from "./unwrap.ts";

/** One command of a line, with what it runs in turn. */
export type ShellRun = ShellCommand & {
  readonly inside: Unwrapped;
  /** Runs on another machine or in a container: its files are not ours. */
  readonly remote: boolean;
  /** The command that runs the script in which this one stands: `bash -c` and its like. */
  readonly host: ShellRun | undefined;
};

/** A shell command line with the scripts in it: `sh -c '…'`, text fed to a shell, and so on. */
export type ShellLine = {
  /** The words of every command as text, and again without its assignments, wrappers and keywords. */
  readonly commands: readonly (readonly string[])[];
  readonly runs: readonly ShellRun[];
  /** One plain command whose exit status is the line's: no list, pipe, substitution, assignment, keyword or wrapper. */
  readonly simple: boolean;
  /** False when the line was not read with certainty: then nothing may be concluded from the words. */
  readonly parsed: boolean;
  /** The limit that the line exceeds, for people: the call is denied. */
  readonly tooComplex?: string;
  /** Units of work that reading took; see `ReadBudget`. */
  readonly work: number;
};

/** Scripts inside scripts deeper than this are not read. */
const MAX_DEPTH = 12;
/** Work for a script besides reading its text. */
const PER_SCRIPT = 16;

/** Recent lines: several policies ask about one call, and agents repeat commands. */
const recent = new RecentMap<ShellLine>(128);
const SHORT = 1_000;
/** The last one, however long. */
let last: { readonly text: string; readonly line: ShellLine } | undefined;

/** Never throws; takes time in proportion to the text. */
export function parseShellLine(text: string): ShellLine {
  if (last?.text !== text) {
    const line = text.length > SHORT ? readLine(text) : recent.recall(text, () => readLine(text));
    last = { text, line };
  }
  return last.line;
}

function readLine(text: string): ShellLine {
  return readShellLine(text, []);
}

/** Reads a script with the words after it: `"$@"` in `bash -c`. */
export function readShellLine(text: string, positional: readonly string[]): ShellLine {
  const budget = new ReadBudget(text.length);
  const runs: ShellRun[] = [];
  const limits = { budget, home: assumesHome(text), positional };
  const script = readScript(text, limits, runs, 0, undefined);
  const tooComplex = script.tooComplex ?? budget.passed;
  // Nothing of a line that was not read to its end is used, so that nothing after it takes time either.
  if (tooComplex !== undefined)
    return { commands: [], runs: [], simple: false, parsed: false, tooComplex, work: budget.work };
  const [only] = runs;
  const simple = script.parsed && only !== undefined && runs.length === 1 && isSimple(only);
  let commands: ShellLine["commands"] | undefined;
  return {
    get commands() {
      commands ??= runs.flatMap(textsOf);
      return commands;
    },
    runs,
    simple,
    parsed: script.parsed,
    work: budget.work,
  };
}

/** Adds the commands of a script and of the scripts in it to `runs`. */
function readScript(
  text: string,
  limits: Partial<ParseLimits>,
  runs: ShellRun[],
  depth: number,
  host: ShellRun | undefined,
): Omit<ShellScript, "commands"> {
  const { budget = new ReadBudget(text.length) } = limits;
  if (depth > MAX_DEPTH || !budget.spend(PER_SCRIPT)) return { parsed: false };
  const script = parseShell(text, limits);
  let { parsed, tooComplex } = script;
  let inherited: InheritedVariables | undefined;
  let noted = 0;
  for (const [i, command] of script.commands.entries()) {
    if (budget.passed !== undefined) break;
    const inside = unwrap(command.keyword === undefined ? command.words : [], budget);
    const { moved, movedTo } = inside;
    const followed = movedTo === undefined ? UNKNOWN : command.folders.map((folder) => inFolder(folder, movedTo));
    const folders = moved ? followed : command.folders;
    const run: ShellRun = { ...command, folders, inside, remote: host?.remote || (host?.inside.remote ?? false), host };
    runs.push(run);
    const fed: Unwrapped["scripts"] =
      inside.readsInput && command.input !== undefined
        ? [{ text: command.input, shell: "bash", positional: inside.inputWords }]
        : [];
    for (const inner of [...inside.scripts, ...fed]) {
      if (budget.passed !== undefined) return { parsed: false };
      const dialect = /^(?:sh|dash|ash)$/.test(inner.shell) ? "posix" : "bash";
      const { positional = [] } = inner;
      inherited ??= new InheritedVariables(limits.environment);
      for (; noted < i; noted += 1) inherited.note(script.commands[noted] ?? command);
      const environment = inherited.to(command);
      const place = { ...limits, folders: command.folders, dialect, positional, environment } as const;
      const read = readScript(inner.text, place, runs, depth + 1, run);
      parsed &&= read.parsed;
      tooComplex ??= read.tooComplex;
    }
  }
  return { parsed, tooComplex };
}

function isSimple({
  after,
  scope,
  pipeline,
  negated,
  background,
  keyword,
  assignments,
  redirects,
  words,
  inside,
}: ShellRun): boolean {
  const isAlone =
    after === "" && scope === undefined && pipeline.length === 1 && !negated && !background && keyword === undefined;
  if (!isAlone || assignments.length > 0) return false;
  return redirects.every(({ body }) => body === undefined) && isPlain(words, inside);
}

function textsOf(run: ShellRun): readonly (readonly string[])[] {
  const { words, assignments, keyword, inside } = run;
  const [first] = words;
  const all = [...assignments.map(assignmentWord), ...words];
  const spans = inside.spans.filter(
    ({ from, to }) => assignments.length > 0 || from > 0 || to < words.length || first?.unknown !== undefined,
  );
  const lists = [all, ...spans.map((span) => wordsOf(run, span))].map((list) => list.map(({ text }) => text));
  if (all.length === 0) return [];
  return keyword === undefined ? lists : lists.map((list) => [keyword, ...list]);
}

/** The words of a program that a command runs, its name first. */
export function wordsOf(
  { words }: ShellRun,
  { from, to }: { readonly from: number; readonly to: number },
): readonly ShellWord[] {
  const program = words[from];
  return program === undefined ? [] : [programWord(program), ...words.slice(from + 1, to)];
}
