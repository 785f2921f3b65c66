import { globMatches } from "../../base/kernel/glob.ts";
import type { ActionSpec } from "../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { parseShellLine, type ShellLine } from "./shell/line.ts";
import { baseName } from "./shell/word.ts";

/** Generous for gating, strict for proving: a compound or unreadable command line proves nothing. */
export function matchActions(
  tool: string,
  args: JsonObject,
  actions: { readonly [name: string]: ActionSpec },
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

/** The actions of a tool, in their order: most calls have none, and an agent has dozens. */
const byTool = new WeakMap<Actions, ReadonlyMap<string, readonly [string, ActionSpec][]>>();

function actionsOf(tool: string, actions: Actions): readonly [string, ActionSpec][] {
  const known = byTool.get(actions) ?? Map.groupBy(Object.entries(actions), ([, action]) => action.tool);
  byTool.set(actions, known);
  return known.get(tool) ?? [];
}

/** A line with the text of each of its commands, joined once for all patterns. A program may be named with its folder. */
type ReadCommand = { readonly line: ShellLine; readonly texts: readonly string[]; readonly byName: readonly string[] };

function readCommand(command: string): ReadCommand {
  const line = parseShellLine(command);
  const texts = line.commands.map((words) => words.join(" "));
  const byName = line.commands.flatMap(([program = "", ...words]) =>
    program.includes("/") ? [[baseName(program), ...words].join(" ")] : [],
  );
  return { line, texts, byName };
}

/** A line that cannot be read is gated by its raw text. */
function gatesCommand(pattern: string, { line, texts, byName }: ReadCommand, raw: string): boolean {
  const matches = (text: string) => matchesText(pattern, text);
  if (texts.some(matches) || byName.some(matches)) return true;
  return !line.parsed && globMatches(`*${pattern.replace(/ \*$/, "")}*`, raw);
}

/** `npm test *` also matches `npm test` with nothing after it. */
function matchesText(pattern: string, text: string): boolean {
  return globMatches(pattern, text) || (pattern.endsWith(" *") && text === pattern.slice(0, -2));
}
