import { globMatches } from "../../base/kernel/glob.ts";
import type { ActionSpec } from "../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { succeededIfOk } from "./exit-status.ts";
import { innerCommand } from "./programs/program-effects.ts";
import { PROGRAMS } from "./programs/program-table.ts";
import { staysInside } from "./run-traits.ts";
import { parseShellLine, type ShellLine, type ShellRun } from "./shell/shell-line.ts";
import { baseName, isLiteral } from "./shell/shell-word.ts";

/** Gates generously and proves strictly: only a command whose success the exit status implies proves its action. */
export function matchActions(
  tool: string,
  args: JsonObject,
  actions: Actions,
): { readonly actions: readonly string[]; readonly proves: readonly string[] } {
  const gates: string[] = [];
  const proves: string[] = [];
  let read: ReadCommand | undefined;
  for (const [name, action] of actionsOf(tool, actions)) {
    if (action.command === undefined) {
      gates.push(name);
      proves.push(name);
      continue;
    }
    const command = args.command;
    if (typeof command !== "string") continue;
    read ??= readCommand(command);
    if (gatesCommand(action.command, read, command)) gates.push(name);
    if (provesCommand(action.command, read)) proves.push(name);
  }
  return { actions: gates, proves };
}

type Actions = { readonly [name: string]: ActionSpec };

/** Actions grouped by tool, because most calls have none while an agent has dozens. */
const byTool = new WeakMap<Actions, ReadonlyMap<string, readonly [string, ActionSpec][]>>();

function actionsOf(tool: string, actions: Actions): readonly [string, ActionSpec][] {
  const known = byTool.get(actions) ?? Map.groupBy(Object.entries(actions), ([, action]) => action.tool);
  byTool.set(actions, known);
  return known.get(tool) ?? [];
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
  const read = { line, texts, byName, candidates };
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
  return !line.parsed && globMatches(`*${pattern.replace(/ \*$/, "")}*`, raw);
}

/** `npm test *` also matches `npm test`. */
function matchesText(pattern: string, text: string): boolean {
  return globMatches(pattern, text) || (pattern.endsWith(" *") && text === pattern.slice(0, -2));
}
