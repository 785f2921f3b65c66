import { globMatches } from "../../base/kernel/glob.ts";
import type { ActionSpec } from "../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { succeededIfOk } from "./exit-status.ts";
import { Arguments, type Grammar, grammarOf, readArguments } from "./programs/arguments.ts";
import { innerCommand, programName } from "./programs/program-effects.ts";
import { PROGRAMS, subcommandOf } from "./programs/program-table.ts";
import { staysInside } from "./run-traits.ts";
import { parseShellLine, type ShellLine, type ShellRun } from "./shell/shell-line.ts";
import { baseName, isLiteral, literalWord } from "./shell/shell-word.ts";

/** Gates generously and proves strictly: only a command whose success the exit status implies proves its action. */
export function matchActions(tool: string, args: JsonObject, actions: Actions): Matched {
  const named = actionsOf(tool, actions);
  const { command } = args;
  if (named.length === 0) return NONE;
  if (typeof command !== "string") {
    const always = named.filter(([, action]) => action.command === undefined).map(([name]) => name);
    return { actions: always, proves: always };
  }
  const read = readCommand(command);
  const matched = read.matched.get(named) ?? matchLine(named, read, command);
  read.matched.set(named, matched);
  return matched;
}

type Matched = { readonly actions: readonly string[]; readonly proves: readonly string[] };
const NONE: Matched = { actions: [], proves: [] };

function matchLine(named: NamedActions, read: ReadCommand, command: string): Matched {
  const is = (matches: (pattern: string) => boolean) =>
    named.filter(([, action]) => action.command === undefined || matches(action.command)).map(([name]) => name);
  return {
    actions: is((pattern) => gatesCommand(pattern, read, command)),
    proves: is((pattern) => provesCommand(pattern, read)),
  };
}

type Actions = { readonly [name: string]: ActionSpec };
type NamedActions = readonly (readonly [string, ActionSpec])[];

/** Actions grouped by tool, because most calls have none while an agent has dozens. */
const byTool = new WeakMap<Actions, ReadonlyMap<string, NamedActions>>();
const NO_ACTIONS: NamedActions = [];

function actionsOf(tool: string, actions: Actions): NamedActions {
  const known = byTool.get(actions) ?? Map.groupBy(Object.entries(actions), ([, action]) => action.tool);
  byTool.set(actions, known);
  return known.get(tool) ?? NO_ACTIONS;
}

/** The texts of a line's commands; `byName` has the program without its folder. */
type ReadCommand = {
  readonly line: ShellLine;
  readonly texts: readonly string[];
  readonly byName: readonly string[];
  /** Commands that may prove an action, with their words. */
  readonly candidates: readonly { readonly run: ShellRun; readonly words: readonly string[] }[];
  /** Commands that ran and succeeded if the line's exit status is 0; worked out when an action needs it. */
  succeeded?: ReadonlySet<ShellRun>;
  /** The actions of an agent that the line matches. */
  readonly matched: WeakMap<NamedActions, Matched>;
};

/** Agents repeat commands, and a parsed line is shared by all its readers. */
const readLines = new WeakMap<ShellLine, ReadCommand>();

function readCommand(command: string): ReadCommand {
  const line = parseShellLine(command);
  const known = readLines.get(line);
  if (known !== undefined) return known;
  const texts = line.commands.map((words) => words.join(" "));
  const byName = line.commands.flatMap(([program = "", ...words]) =>
    program.includes("/") ? [[baseName(program), ...words].join(" ")] : [],
  );
  const candidates = line.parsed
    ? line.runs.filter(staysInside).flatMap((run) => provenWords(run).map((words) => ({ run, words })))
    : [];
  const read: ReadCommand = { line, texts, byName, candidates, matched: new WeakMap() };
  readLines.set(line, read);
  return read;
}

function provesCommand(pattern: string, read: ReadCommand): boolean {
  return read.candidates.some(({ run, words }) => {
    if (!provesAction(pattern, words)) return false;
    read.succeeded ??= new Set(succeededIfOk(read.line.runs));
    return read.succeeded.has(run);
  });
}

/** A command as it is written, and what its wrappers run. Words that are not known prove nothing. */
function provenWords(run: ShellRun): readonly (readonly string[])[] {
  if (!run.words.every(isLiteral)) return [];
  const inner = innerCommand(run.words);
  return [run.words, inner].map((words) => words.map(({ text }) => text));
}

/** `./check.sh --help` does not prove `./check.sh *`, unless the pattern itself names the option. */
function provesAction(pattern: string, words: readonly string[]): boolean {
  if (!matchesText(pattern, words.join(" "))) return false;
  const named = pattern.split(" ");
  return !words.some((word) => !named.includes(word) && PROGRAMS.isDry(word));
}

/** An unreadable line is matched by its raw text. */
function gatesCommand(pattern: string, { line, texts, byName }: ReadCommand, raw: string): boolean {
  const matches = (text: string) => matchesText(pattern, text);
  if (texts.some(matches) || byName.some(matches)) return true;
  if (line.commands.some((words) => gatesWords(pattern, words))) return true;
  return !line.parsed && globMatches(`*${pattern.replace(/ \*$/, "")}*`, raw);
}

/** `npm test *` also matches `npm test`. */
function matchesText(pattern: string, text: string): boolean {
  return globMatches(pattern, text) || (pattern.endsWith(" *") && text === pattern.slice(0, -2));
}

/** A command without the order and the spelling of its options. */
type CommandShape = { readonly operands: readonly string[]; readonly options: ReadonlySet<string> };

const patternShapes = new Map<string, CommandShape>();
const MAX_PATTERNS = 1_000;

/**
 * Does the program do what the pattern names, with other options or in another order? `git -C sub push` is `git push`, and
 * `rm -r -f x` is `rm -rf x`.
 */
function gatesWords(pattern: string, words: readonly string[]): boolean {
  const isOpen = pattern.endsWith(" *");
  const named = (isOpen ? pattern.slice(0, -2) : pattern).split(" ");
  const [program = ""] = named;
  if (named.length < 2 || named.includes("*") || program !== programName(literalWord(words[0] ?? ""))) return false;
  const wanted = patternShapes.get(pattern) ?? shapeOf(named);
  if (patternShapes.size > MAX_PATTERNS) patternShapes.clear();
  patternShapes.set(pattern, wanted);
  const made = shapeOf(words);
  if (isOpen ? made.operands.length < wanted.operands.length : made.operands.length !== wanted.operands.length) {
    return false;
  }
  return (
    wanted.operands.every((word, at) => globMatches(word, made.operands[at] ?? "")) &&
    [...wanted.options].every((option) => made.options.has(option))
  );
}

/** Reads the words by the program's own grammar, subcommand by subcommand. */
function shapeOf([program = "", ...words]: readonly string[]): CommandShape {
  const operands: string[] = [];
  const options = new Set<string>();
  let rest = words.map(literalWord);
  let outer: Grammar | undefined;
  for (let spec = PROGRAMS.specsOf(program)[0] ?? {}; ; ) {
    const grammar = grammarOf(spec, outer);
    const args = new Arguments();
    const hasCommands = spec.commands !== undefined;
    const read = readArguments(rest, grammar, args, hasCommands ? { until: 0 } : {});
    for (const option of args.options.keys()) options.add(option);
    operands.push(...args.operands.map(({ text }) => text));
    const [sub, ...inner] = rest.slice(read);
    if (!hasCommands || sub === undefined) return { operands, options };
    operands.push(sub.text);
    spec = subcommandOf(spec, sub.text) ?? {};
    [rest, outer] = [inner, grammar];
  }
}
