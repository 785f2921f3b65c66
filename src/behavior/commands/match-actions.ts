import { globMatches } from "../../base/kernel/glob.ts";
import type { ActionSpec } from "../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { parseShellLine, type ShellLine } from "./shell/shell-line.ts";
import { baseName } from "./shell/shell-word.ts";

/** Gates generously and proves strictly: a compound or unreadable command line proves nothing. */
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
    if (read.line.simple && matchesText(action.command, read.texts[0] ?? "")) proves.push(name);
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
type ReadCommand = { readonly line: ShellLine; readonly texts: readonly string[]; readonly byName: readonly string[] };

function readCommand(command: string): ReadCommand {
  const line = parseShellLine(command);
  const texts = line.commands.map((words) => words.join(" "));
  const byName = line.commands.flatMap(([program = "", ...words]) =>
    program.includes("/") ? [[baseName(program), ...words].join(" ")] : [],
  );
  return { line, texts, byName };
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
