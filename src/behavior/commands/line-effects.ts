import type { JsonObject } from "../../base/words/json.ts";
import { succeededIfOk } from "./exit-status.ts";
import { type CommandEffect, programEffects } from "./programs/program-effects.ts";
import { PROGRAMS, type ProgramTable } from "./programs/program-table.ts";
import { parseShellLine, type ShellLine, type ShellRun, wordsOf } from "./shell/shell-line.ts";

/** An effect of a command line. */
export type LineEffect = {
  readonly name: string;
  readonly args: JsonObject;
  /** An exit status of 0 means that the command ran, did this and succeeded. */
  readonly proven: boolean;
};

const known = new WeakMap<ShellLine, readonly LineEffect[]>();

/** Everything that a command line may do. Gates generously, proves strictly. */
export function lineEffects(command: string, table: ProgramTable = PROGRAMS): readonly LineEffect[] {
  const line = parseShellLine(command);
  const cached = table === PROGRAMS ? known.get(line) : undefined;
  if (cached !== undefined) return cached;
  const effects = readEffects(line, table);
  if (table === PROGRAMS) known.set(line, effects);
  return effects;
}

function readEffects(line: ShellLine, table: ProgramTable): readonly LineEffect[] {
  const proven = line.parsed ? succeededIfOk(line.runs) : new Set<ShellRun>();
  const found = new Map<string, LineEffect>();
  const fetched = new Set<ShellRun>();
  for (const run of line.runs) {
    if (run.keyword !== undefined) continue;
    const isProven = proven.has(run) && staysInside(run);
    run.inside.spans.forEach((span, i) => {
      for (const effect of programEffects(wordsOf(run, span), table)) {
        if (effect.name === "network.fetch") fetched.add(run);
        // What may be an option's value instead of a program proves nothing.
        add(found, effect, isProven && i === 0 && effect.sure);
      }
    });
  }
  if (!line.parsed) add(found, { name: "code.run", args: { language: "shell", opaque: true }, sure: false }, false);
  const downloaded = runsDownload(line, fetched);
  if (downloaded) add(found, { name: "network.run", args: {}, sure: true }, false);
  return [...found.values()];
}

function add(found: Map<string, LineEffect>, { name, args }: CommandEffect, proven: boolean): void {
  const key = `${name} ${JSON.stringify(args)}`;
  const before = found.get(key);
  found.set(key, { name, args, proven: proven || (before?.proven ?? false) });
}

/** A command of another folder proves nothing about this workspace. */
function staysInside({ folders }: ShellRun): boolean {
  return folders.every((folder) => folder !== undefined && !/^(?:\/|~|\.\.)|\/\.\.(?:\/|$)/.test(folder));
}

/** `curl … | sh`, `bash <(curl …)`, `eval "$(curl …)"` */
function runsDownload({ runs }: ShellLine, fetched: ReadonlySet<ShellRun>): boolean {
  return [...fetched].some((fetch) => {
    const at = runs.indexOf(fetch);
    const piped = runs.slice(at + 1).some((run) => run.pipeline.index > fetch.pipeline.index && run.inside.readsInput);
    if (piped && fetch.pipeline.length > 1) return true;
    let scope = fetch.scope;
    while (scope !== undefined && scope.kind !== "substitution") scope = scope.parent;
    return scope !== undefined && runs.some((run) => isCode(run));
  });
}

/** Runs text or a file that is not on the line. */
function isCode({ words, inside }: ShellRun): boolean {
  const isSource = /^(?:source|\.|eval)$/.test(words[0]?.text ?? "");
  const isOpen = words.some(({ text, unknown }) => unknown !== undefined || text.startsWith("/dev/fd/"));
  const isShell =
    isSource || inside.readsInput || inside.scripts.length > 0 || words.some(({ text }) => text.startsWith("/dev/fd/"));
  return isOpen && isShell;
}
