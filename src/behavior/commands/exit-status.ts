import { innerCommand, isUnprovenWith, programName } from "./programs/program-effects.ts";
import { PROGRAMS, type ProgramTable } from "./programs/program-table.ts";
import { type CommandFacts, NO_FACTS } from "./proof/command-ways.ts";
import { type ShellOptions, withOptions } from "./proof/shell-options.ts";
import { type Facts, NotFollowed } from "./proof/shell-state.ts";
import { type ShellTree, shellTree } from "./proof/shell-tree.ts";
import { programWords, variableUses } from "./proof/shell-values.ts";
import { ShellWays } from "./proof/shell-ways.ts";
import type { ShellRun } from "./shell/shell-line.ts";
import type { ShellScope } from "./shell/shell-script.ts";
import { isLiteral } from "./shell/shell-word.ts";

/** Longer lines prove nothing, so that reading takes little time. */
const MAX_RUNS = 2_000;

/** The commands of a line that ran and succeeded, the last time, if the line's exit status is 0. */
export function succeededIfOk(runs: readonly ShellRun[], table: ProgramTable = PROGRAMS): readonly ShellRun[] {
  const bits = new Map<string, Facts>();
  const facts = new Map<ShellRun, CommandFacts>();
  for (const run of runs) {
    if (run.keyword !== undefined) continue;
    const key = identity(run);
    const bit = bits.get(key) ?? 1n << BigInt(bits.size);
    bits.set(key, bit);
    facts.set(run, { proves: bit, doubts: 0n, outdates: 0n });
  }
  const proven = provenIfOk(runs, facts, table);
  return runs.filter((run) => ((facts.get(run)?.proves ?? 0n) & proven) !== 0n);
}

/** The facts that hold if the exit status of a line is 0. In doubt there are none. */
export function provenIfOk(
  runs: readonly ShellRun[],
  facts: ReadonlyMap<ShellRun, CommandFacts>,
  table: ProgramTable = PROGRAMS,
): Facts {
  const any = facts.values().some(({ proves }) => proves !== 0n);
  if (!any || runs.length > MAX_RUNS || runs.some((run) => isUntrusted(run, table))) return 0n;
  if (runs.every(isLink)) return provenInTurn(runs, facts);
  try {
    const tree = shellTree(runs);
    if (changesFunctions(runs, tree) || hasUntrustedTrap(runs, tree)) return 0n;
    const parts = loopParts(runs);
    const optionsOf = (run: ShellRun) => shellOptions(run, table);
    return new ShellWays({ tree, uses: variableUses(runs), facts, parts, optionsOf }).proven();
  } catch (error) {
    if (!(error instanceof NotFollowed || error instanceof RangeError)) throw error;
    return 0n;
  }
}

/** The whole line, or a program in `a && b && c`: it succeeded if the line did. */
function isLink(run: ShellRun, i: number, { length }: readonly ShellRun[]): boolean {
  const { after, scope, pipeline, negated, background, keyword, host, words, inside } = run;
  const isPlain = scope === undefined && pipeline.length === 1 && !negated && !background && keyword === undefined;
  if (!isPlain || length === 1) return isPlain;
  const [program] = words;
  const isProgram = program !== undefined && isLiteral(program) && !BUILTINS.test(program.text);
  const isScript = host !== undefined || inside.scripts.length > 0 || inside.readsInput;
  return isProgram && !isScript && after === (i === 0 ? "" : "&&");
}

/** They end or change the shell, or have a status that the words decide. */
const BUILTINS =
  /^(?:true|false|:|exit|return|break|continue|exec|set|trap|eval|wait|test|\[|command|builtin|\.|source|unset)$/;

/** What the programs of a chain prove if each of them succeeds. */
function provenInTurn(runs: readonly ShellRun[], facts: ReadonlyMap<ShellRun, CommandFacts>): Facts {
  return runs.reduce((passed, run) => {
    const { proves, doubts, outdates } = facts.get(run) ?? NO_FACTS;
    return ((passed & ~doubts) | proves) & ~outdates;
  }, 0n);
}

function identity({ words, folders }: ShellRun): string {
  return JSON.stringify([words.map(({ text }) => text), folders]);
}

/** In `for d in api web; do npm --prefix $d test; done` a test proves something only if none of them fails. */
function loopParts(runs: readonly ShellRun[]): ReadonlySet<ShellRun> {
  const loops = new Map<ShellScope, Map<string, { readonly runs: ShellRun[]; readonly bodies: Set<ShellScope> }>>();
  for (const run of runs) {
    for (let at: ShellRun | undefined = run; at !== undefined; at = at.host) {
      for (let scope = at.scope; scope?.parent !== undefined; scope = scope.parent) {
        if (scope.parent.compound?.kind !== "each") continue;
        const loop = loops.get(scope.parent) ?? new Map();
        const same = loop.get(identity(run)) ?? { runs: [], bodies: new Set() };
        loops.set(scope.parent, loop.set(identity(run), same));
        same.runs.push(run);
        same.bodies.add(scope);
      }
    }
  }
  const parts = [...loops].flatMap(([{ compound }, loop]) =>
    [...loop.values()].filter(({ bodies }) => bodies.size < (compound?.branches ?? 0)).flatMap((same) => same.runs),
  );
  return new Set(parts);
}

/** The options of a shell whose end is the end of its script; that of `watch` or `ssh` says nothing about theirs. */
function shellOptions({ words, inside, redirects }: ShellRun, table: ProgramTable): ShellOptions | undefined {
  // Text that comes through a pipe is only likely.
  const isGiven = redirects.some(({ body, target }) => body !== undefined && isLiteral(target));
  if (inside.readsInput && !isGiven) return undefined;
  const [program, ...rest] = innerCommand(words, table);
  const specs = program === undefined ? [] : table.specsOf(programName(program));
  if (specs.some((spec) => spec.joins === true || isUnprovenWith(spec, rest))) return undefined;
  if (specs.some(({ shell }) => shell === true)) return withOptions(rest, NO_OPTIONS);
  return specs.some(({ script }) => script !== undefined) ? NO_OPTIONS : undefined;
}

const NO_OPTIONS: ShellOptions = { errexit: false, pipefail: false };

/** What may change the meaning of the words or of the exit status of a line. */
const UNTRUSTED = /^(?:alias|unalias|enable|hash)$/;
/** Files that set variables and load version managers. The functions of any other file may replace the test runner. */
const ENVIRONMENT =
  /(?:^|\/)(?:activate(?:\.(?:fish|csh))?|\.?env(?:\.[\w-]+|ironment)?|\.?(?:env|setenv|environment)\.(?:sh|bash)|\.envrc|\.?(?:bash|zsh)?_?(?:rc|profile|login)|\.?(?:bash|zsh)(?:rc|_profile)|nvm\.sh|asdf\.sh|conda\.sh|mamba\.sh|sdkman-init\.sh|chruby\.sh|rvm|rbenv|setup(?:vars)?\.(?:bash|sh)|export\.sh|oe-init-build-env|vcvars\w*)$/;
const TEMPORARY = /^\/(?:dev|tmp|var\/tmp)\//;
/** Options of `shopt` that only change how names of files are matched. */
const HARMLESS = /^(?:-[su]|globstar|nullglob|extglob|dotglob|nocaseglob|failglob)$/;

function isUntrusted(run: ShellRun, table: ProgramTable): boolean {
  if (run.keyword !== undefined) return false;
  if (run.assignments.some(({ name, value }) => table.isUnprovenVariable(`${name}=${value.text}`))) return true;
  const [program, ...rest] = programWords(run);
  if (program === undefined) return false;
  const texts = rest.map(({ text }) => text);
  switch (program.text) {
    case "shopt":
      return !texts.every((text) => HARMLESS.test(text));
    case "export":
    case "declare":
    case "typeset":
      // An exported function replaces a program in the scripts that the line runs.
      return texts.some((text) => table.isUnprovenVariable(text) || /^-\w*f/.test(text));
    case ".":
    case "source":
      return rest[0]?.content !== undefined || TEMPORARY.test(texts[0] ?? "") || !ENVIRONMENT.test(texts[0] ?? "");
    default:
      return UNTRUSTED.test(program.text) || (program.unknown !== undefined && !program.unknown.bare.includes("/"));
  }
}

function changesFunctions(runs: readonly ShellRun[], { functions }: ShellTree): boolean {
  if (functions.size === 0) return false;
  return runs.some(
    ({ words }) =>
      words.some(({ text }) => text === "unset") && words.some((word) => functions.has(word.text) || !isLiteral(word)),
  );
}

/** A handler that may end the shell with another status. Literal EXIT handlers are followed instead. */
function hasUntrustedTrap(runs: readonly ShellRun[], { functions }: ShellTree): boolean {
  return runs.some((run) => {
    const [program, action, ...signals] = programWords(run);
    if (program?.text !== "trap" || action === undefined || /^-[lp]$/.test(action.text)) return false;
    const names = signals.map(({ text }) => text);
    if (names.length === 0 || !signals.every(isLiteral) || /DEBUG|RETURN/.test(names.join(" "))) return true;
    const text = action.text.replace(/\bexit 1?\d?[1-9]\b/g, "");
    const mayEnd = /\b(?:exit|return|exec)\b/.test(text);
    if (!isLiteral(action) && (mayEnd || /^\W*\$/.test(text))) return true;
    if (names.includes("ERR") && !/^(?:(?:echo|printf|:)\b[^;&|]*)?;?\s*$/.test(text)) return true;
    if (names.every((name) => /^(?:EXIT|0)$/.test(name))) return false;
    // The signal may come at any time.
    return mayEnd || (!names.includes("EXIT") && text.split(/\W+/).some((word) => functions.has(word)));
  });
}
