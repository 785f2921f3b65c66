import type { JsonObject } from "../../base/words/json.ts";
import { succeededIfOk } from "./exit-status.ts";
import { type CommandEffect, programEffects } from "./programs/program-effects.ts";
import { PROGRAMS, type ProgramTable } from "./programs/program-table.ts";
import { inFolder } from "./shell/folders.ts";
import { parseShellLine, type ShellLine, type ShellRun, wordsOf } from "./shell/shell-line.ts";

/** An effect of a command line. */
export type LineEffect = {
  readonly name: string;
  readonly args: JsonObject;
  /** An exit status of 0 means that the command ran, did this and succeeded. */
  readonly proven: boolean;
};

/** Effects that no single program declares. */
const COMPUTED = [
  "network.run",
  "workspace.change",
  "cloud.delete",
  "cloud.change",
  "database.drop",
  "database.change",
];

/** The names that rules can be on. */
export const EFFECT_NAMES: ReadonlySet<string> = new Set([...PROGRAMS.effectNames(), ...COMPUTED]);

/** After these, earlier tests, builds and lints say nothing about the workspace. */
const CHANGES =
  /^(?:files\.(?:write|delete|move|patch|format|extract)|git\.(?:checkout|discard)|packages\.(?:manifest|remove))$/;
/** Folders and files that tools generate: deleting them changes no source. */
const GENERATED_NAMES = [
  "node_modules|dist|build|out|target|coverage|tmp|temp|logs?|venv",
  "__pycache__|_build|_site|site|htmlcov|artifacts?|reports?|test-results|playwright-report|storybook-static|Pods",
  "DerivedData|CMakeFiles|(?:dist|build|cmake-build)-[\\w-]+",
  "\\.(?:cache|next|nuxt|turbo|parcel-cache|pytest_cache|mypy_cache|ruff_cache|tox|nox|gradle|output|svelte-kit|vite)",
  "\\.(?:nyc_output|venv|eggs|terraform|serverless|docusaurus|angular|expo|dart_tool|bundle|build|coverage|DS_Store)",
  "[^/]*\\.(?:egg-info|log|tmp|bak|pyc|o|tgz|gz|zip|map|swp|tsbuildinfo|whl|dSYM)",
].join("|");
const GENERATED = new RegExp(
  `^(?:\\./)?(?:/(?:var/)?tmp/.+|(?![/~]|\\.\\./|\\$)(?:[^*$]*/)?(?:${GENERATED_NAMES})(?:/.*)?)$`,
);

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
        add(found, withGenerated(inFolders(effect, run)), isProven && i === 0 && effect.sure);
      }
    });
  }
  if (!line.parsed) add(found, { name: "code.run", args: { language: "shell", opaque: true }, sure: false }, false);
  if ([...found.values()].some(changesWorkspace)) {
    add(found, { name: "workspace.change", args: {}, sure: true }, false);
  }
  const downloaded = runsDownload(line, fetched);
  if (downloaded) add(found, { name: "network.run", args: {}, sure: true }, false);
  return [...found.values()];
}

function changesWorkspace({ name, args: { generated } }: LineEffect): boolean {
  return CHANGES.test(name) && generated !== true;
}

/** Deletions say whether everything they delete is generated. */
function withGenerated(effect: CommandEffect): CommandEffect {
  const { paths } = effect.args;
  if (effect.name !== "files.delete" || !Array.isArray(paths) || paths.length === 0) return effect;
  const generated = paths.every((path) => GENERATED.test(String(path)));
  return generated ? { ...effect, args: { ...effect.args, generated } } : effect;
}

/** Paths as they are from where the line starts. */
function inFolders(effect: CommandEffect, { folders }: ShellRun): CommandEffect {
  const { paths } = effect.args;
  const [folder = ""] = folders;
  if (!Array.isArray(paths) || folders.length !== 1 || folder === "") return effect;
  const moved = paths.flatMap((path) => inFolder(folder, String(path)) ?? []);
  return { ...effect, args: { ...effect.args, paths: moved } };
}

function add(found: Map<string, LineEffect>, { name, args }: CommandEffect, proven: boolean): void {
  const key = `${name} ${JSON.stringify(args)}`;
  const before = found.get(key);
  found.set(key, { name, args, proven: proven || (before?.proven ?? false) });
}

/** A command of another folder proves nothing about this workspace. */
export function staysInside({ folders }: ShellRun): boolean {
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
