import { innerCommand, programName } from "./programs/program-effects.ts";
import { PROGRAMS, type ProgramTable } from "./programs/program-table.ts";
import { TooManyWays } from "./proof/shell-state.ts";
import { shellTree } from "./proof/shell-tree.ts";
import { type ShellOptions, ShellWays } from "./proof/shell-ways.ts";
import type { ShellRun } from "./shell/shell-line.ts";
import type { ShellScope } from "./shell/shell-script.ts";
import { isLiteral } from "./shell/shell-word.ts";

/** What may change the meaning of the words or of the exit status of a line. */
const UNTRUSTED = new Set(["alias", "unalias", "enable", "hash"]);

/** Longer lines prove nothing, so that reading takes little time. */
const MAX_RUNS = 2_000;

/** The commands of a line that ran and succeeded if the line's exit status is 0. */
export function succeededIfOk(runs: readonly ShellRun[], table: ProgramTable = PROGRAMS): ReadonlySet<ShellRun> {
  return waysToSucceed(runs, table).reduce((one, other) => one.intersection(other));
}

/** Every way to end with the exit status 0: on each, these commands ran and succeeded. Never empty. */
export function waysToSucceed(
  runs: readonly ShellRun[],
  table: ProgramTable = PROGRAMS,
): readonly ReadonlySet<ShellRun>[] {
  if (runs.length > MAX_RUNS || runs.some((run) => isUntrusted(run, table)) || hasUntrustedTrap(runs))
    return [new Set()];
  const tree = shellTree(runs);
  if (runs.some(({ words }) => words.some(({ text }) => text === "unset") && hasName(words, tree.functions)))
    return [new Set()];
  try {
    const optionsOf = (run: ShellRun) => (endsAsItsScript(run, table) ? shellOptions(run) : undefined);
    const ways = new ShellWays(tree, runs, { optionsOf, readOptions }).successes();
    const others = iterations(runs);
    const full = ways.map((way) => new Set([...way].filter((run) => others.get(run)?.isSubsetOf(way) ?? true)));
    return full.length === 0 ? [new Set()] : full;
  } catch (error) {
    if (!(error instanceof TooManyWays)) throw error;
    return [new Set()];
  }
}

function hasName(words: ShellRun["words"], names: ReadonlyMap<string, number>): boolean {
  return words.some((word) => names.has(word.text) || (!isLiteral(word) && names.size > 0));
}

/** In `for d in api web; do npm --prefix $d test; done` a test proves something only if all of them succeed. */
function iterations(runs: readonly ShellRun[]): ReadonlyMap<ShellRun, ReadonlySet<ShellRun>> {
  const loops = new Map<ShellScope, Map<ShellScope, ShellRun[]>>();
  for (const run of runs) {
    for (let at: ShellRun | undefined = run; at !== undefined; at = at.host) {
      for (let scope = at.scope; scope?.parent !== undefined; scope = scope.parent) {
        if (scope.parent.compound?.kind !== "each") continue;
        const bodies = loops.get(scope.parent) ?? new Map<ShellScope, ShellRun[]>();
        loops.set(scope.parent, bodies);
        const body = bodies.get(scope) ?? [];
        bodies.set(scope, body);
        body.push(run);
      }
    }
  }
  const others = new Map<ShellRun, Set<ShellRun>>();
  const identity = ({ words, folders }: ShellRun) => JSON.stringify([words.map(({ text }) => text), folders]);
  for (const bodies of loops.values()) {
    const all = [...bodies.values()];
    for (const body of all) {
      for (const [i, run] of body.entries()) {
        const same = all.map((one) => one[i] ?? run).filter((one) => identity(one) !== identity(run));
        others.set(run, new Set([...(others.get(run) ?? []), ...same]));
      }
    }
  }
  return others;
}

/** The end of a shell is the end of its script; that of `watch` or `ssh` says nothing about what they run. */
function endsAsItsScript({ words, inside, redirects }: ShellRun, table: ProgramTable): boolean {
  // Text that comes through a pipe is only likely.
  if (inside.readsInput && !redirects.some(({ body, target }) => body !== undefined && isLiteral(target))) return false;
  const [program] = innerCommand(words, table);
  const specs = program === undefined ? [] : table.specsOf(programName(program));
  return (
    specs.some(({ shell, script }) => shell === true || script !== undefined) &&
    !specs.some(({ joins, unproven }) => joins === true || unproven === true)
  );
}

/** `bash -eo pipefail -c …`; `undefined` for `bash -n`. */
function shellOptions({ words }: ShellRun): ShellOptions | undefined {
  const texts = words.map(({ text }) => text);
  const end = texts.findIndex((text) => /^-\w*c/.test(text));
  const options = readOptions(texts.slice(0, end + 1), { errexit: false, pipefail: false, noexec: false });
  return options.noexec ? undefined : options;
}

/** `-eo pipefail`, `+e`, `-o noexec` */
function readOptions(texts: readonly string[], given: ShellOptions): ShellOptions {
  let { errexit, pipefail, noexec } = given;
  const end = texts.indexOf("--");
  texts.slice(0, end < 0 ? undefined : end).forEach((text, i) => {
    const [, sign, letters = ""] = /^([-+])([a-zA-Z]+)$/.exec(text) ?? [];
    if (sign === undefined) return;
    const name = letters.endsWith("o") ? texts[i + 1] : "";
    if (letters.includes("e") || name === "errexit") errexit = sign === "-";
    if (letters.includes("n") || name === "noexec") noexec = sign === "-";
    if (name === "pipefail") pipefail = sign === "-";
  });
  return { errexit, pipefail, noexec };
}

/** Options of `shopt` that only change how names of files are matched. */
const HARMLESS = /^(?:-[su]|globstar|nullglob|extglob|dotglob|nocaseglob|failglob)$/;

function isUntrusted({ words, assignments, keyword }: ShellRun, table: ProgramTable): boolean {
  if (keyword !== undefined) return false;
  if (assignments.some(({ name, value }) => table.isUnprovenVariable(`${name}=${value.text}`))) return true;
  const [program, ...rest] = words;
  const name = program?.text ?? "";
  const texts = rest.map(({ text }) => text);
  if (UNTRUSTED.has(name)) return true;
  if (name === "shopt" && !texts.every((text) => HARMLESS.test(text))) return true;
  if (/^(?:export|declare|typeset)$/.test(name)) {
    // An exported function replaces a program in the scripts that the line runs.
    if (texts.some((text) => table.isUnprovenVariable(text) || /^-\w*f/.test(text))) return true;
  }
  return program !== undefined && !isLiteral(program) && program.unknown?.bare === "";
}

/** A handler that may end the shell with another status. Literal EXIT handlers are followed instead. */
function hasUntrustedTrap(runs: readonly ShellRun[]): boolean {
  const kills = runs.some(({ words }) => words.some(({ text }) => text === "kill"));
  return runs.some(({ words: [program, action, ...signals] }) => {
    if (program?.text !== "trap" || action === undefined || /^-[lp]$/.test(action.text)) return false;
    const text = action.text.replace(/\bexit 1?\d?[1-9]\b/g, "");
    const ends = /\b(?:exit|return|exec)\b/.test(text);
    const names = signals.map((signal) => signal.text);
    if (names.length === 0 || !signals.every(isLiteral) || /DEBUG|RETURN/.test(names.join(" "))) return true;
    if (!isLiteral(action) && ends) return true;
    if (names.includes("ERR") && !/^(?:(?:echo|printf|:)\b[^;&|]*)?;?\s*$/.test(text)) return true;
    return names.some((name) => !/^(?:EXIT|0)$/.test(name)) && (ends || (kills && /^\w+$/.test(text)));
  });
}
