import type { RunVariables } from "./line-variables.ts";
import type { CommandEffect } from "./programs/program-effects.ts";
import { programName } from "./programs/program-effects.ts";
import { inFolder, leaves } from "./shell/folders.ts";
import type { ShellRun } from "./shell/shell-line.ts";
import { isLiteral, NO_WORD, type ShellWord } from "./shell/shell-word.ts";

const RUNNER_FILES =
  /(?:^|\/)(?:node_modules\/\.bin\/[^/]+|[Mm]akefile|GNUmakefile|justfile|package\.json|pom\.xml|build\.gradle(?:\.kts)?|Rakefile|(?:tox|pytest)\.ini|conftest\.py|pyproject\.toml|setup\.cfg|\.rspec|phpunit\.xml|[Jj]ustfile|Taskfile\.ya?ml|(?:jest|vitest|karma|playwright|cypress|mocha)\.config\.[cm]?[jt]s|\.mocharc\.\w+|(?:run[-_]?)?tests?(?:\.sh)?)$/;

/** `npm pkg set scripts.test=true`, `ln -sf /bin/true node_modules/.bin/jest`, `echo … > Makefile` */
export function replacesRunner({ words, redirects }: ShellRun, effects: readonly CommandEffect[]): boolean {
  if (effects.some(({ name }) => name === "packages.manifest" || name === "packages.account")) return true;
  const written = redirects.filter(({ operator }) => operator.startsWith(">")).map(({ target }) => target.text);
  const isCopy = /^(?:cp|mv|ln|install|tee)$/.test(words[0]?.text ?? "");
  const named = effects.flatMap(({ name, args }) =>
    name === "files.write" && Array.isArray(args.paths) ? args.paths : [],
  );
  return [...written, ...named.map(String), ...(isCopy ? [words.at(-1)?.text ?? ""] : [])].some((path) =>
    RUNNER_FILES.test(path),
  );
}

const DISCARDERS = /^(?:checkout|restore|reset|switch|clean)$/;

/** Git itself, in this repository, with words that are all known: what it discards can be computed beforehand. */
export function isPlainDiscard(
  { words, folders, remote, host, assignments }: ShellRun,
  { isEmpty }: RunVariables,
): boolean {
  const [program, command] = words;
  const isGit = host === undefined && program?.text === "git" && DISCARDERS.test(command?.text ?? "");
  const isHere = folders.length === 1 && /^(?![/~]|\.\.(?:\/|$)|.*\/\.\.(?:\/|$))/.test(folders[0] ?? "/");
  return isGit && isHere && !remote && assignments.length === 0 && isEmpty && words.every(isLiteral);
}

/** Reads from a pipe, as `wc` does in `npm test | tee >(wc > lines)`. */
export function isPiped({ pipeline, scope }: Pick<ShellRun, "pipeline" | "scope">): boolean {
  if (pipeline.index > 0) return true;
  return scope?.kind === "substitution" && isPiped({ pipeline: scope.pipeline, scope: scope.parent });
}

/** Runs git, itself or through a wrapper. */
export function runsGit({ words, inside }: ShellRun): boolean {
  return inside.spans.some(({ from }) => programName(words[from] ?? NO_WORD) === "git");
}

/** Names a file that was written before on the line. */
export function isWritten({ content, text }: ShellWord): boolean {
  return content !== undefined && !text.startsWith("/dev/fd/");
}

/** Paths as they are from where the line starts. After `cd a;`, which may fail, they are in one of two folders. */
export function inFolders(effect: CommandEffect, { folders }: ShellRun): CommandEffect {
  const { paths, local, ...args } = effect.args;
  if (folders.every((folder) => folder === "") || folders.includes(undefined)) return effect;
  const isWhole = !Array.isArray(paths) || paths.length === 0;
  // What is discarded in all of another folder's repository is not known here.
  if (isWhole) return local === true ? { ...effect, args: { ...args, ...(paths && { paths }) } } : effect;
  const moved = folders.flatMap((folder) => paths.flatMap((path) => inFolder(folder, String(path)) ?? []));
  return { ...effect, args: { ...effect.args, paths: [...new Set(moved)] } };
}

/** The absolute folders that a command runs in; `undefined` if it may run outside the workspace. */
export function foldersAround(run: ShellRun): readonly string[] | undefined {
  const { folders } = run;
  if (folders.some((folder) => folder === undefined || folder.startsWith("~") || leaves(folder))) return undefined;
  return folders.flatMap((folder) => (folder?.startsWith("/") ? [folder] : []));
}

/** A command of another folder proves nothing about this workspace. */
export function staysInside(run: ShellRun): boolean {
  return foldersAround(run)?.length === 0;
}
