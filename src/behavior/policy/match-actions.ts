import { globMatches } from "../../base/kernel/glob.ts";
import type { ActionSpec } from "../../base/words/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { parseShellLine, type ShellLine } from "./shell-line.ts";
import { baseName } from "./shell-word.ts";

/** Generous for gating, strict for proving: a compound or unreadable command line proves nothing. */
export function matchActions(
  tool: string,
  args: JsonObject,
  actions: { readonly [name: string]: ActionSpec },
): { readonly actions: readonly string[]; readonly proves: readonly string[] } {
  const gates: string[] = [];
  const proves: string[] = [];
  let line: ShellLine | undefined;
  for (const [name, action] of actionsOf(tool, actions)) {
    if (action.command === undefined) {
      gates.push(name);
      proves.push(name);
      continue;
    }
    const command = args.command;
    if (typeof command !== "string") continue;
    line ??= parseShellLine(command);
    if (gatesCommand(action.command, line, command)) gates.push(name);
    if (line.simple && matchesWords(action.command, line.commands[0] ?? [])) proves.push(name);
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

/** A program may be named with its folder. A line that cannot be read is gated by its raw text. */
function gatesCommand(pattern: string, line: ShellLine, raw: string): boolean {
  for (const [program = "", ...words] of line.commands) {
    if (matchesWords(pattern, [program, ...words])) return true;
    if (program.includes("/") && matchesWords(pattern, [baseName(program), ...words])) return true;
  }
  return !line.parsed && globMatches(`*${pattern.replace(/ \*$/, "")}*`, raw);
}

/** `npm test *` also matches `npm test` with nothing after it. */
function matchesWords(pattern: string, words: readonly string[]): boolean {
  const text = words.join(" ");
  return globMatches(pattern, text) || (pattern.endsWith(" *") && text === pattern.slice(0, -2));
}
