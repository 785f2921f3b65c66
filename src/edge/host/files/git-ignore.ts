import { lstatSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

type Ignoring = { readonly pattern: RegExp; readonly negated: boolean; readonly folderOnly: boolean };

/** The patterns of one folder, and of the folders above it. `base`: the folder, from the top of the repository. */
export type IgnoreRules = { readonly base: string; readonly own: readonly Ignoring[]; readonly above?: IgnoreRules };

/** The repository around a folder. Only its files are read: git runs programs that the repository configures. */
export type Repository = { readonly top: string; readonly index: Buffer };

const MAX_BYTES = 200_000;
const MAX_LINE = 200;
/** More would let a pattern take long to match. A pattern that is left out ignores nothing. */
const MAX_STARS = 3;

export function findRepository(folder: string): Repository | undefined {
  let top = resolve(folder);
  for (;;) {
    const git = join(top, ".git");
    const index = readIfAny(join(git, "index")) ?? readIfAny(join(linkedFolder(git), "index"));
    if (index !== undefined) return { top, index };
    if (readIfAny(join(git, "HEAD")) !== undefined) return { top, index: Buffer.alloc(0) };
    if (dirname(top) === top) return undefined;
    top = dirname(top);
  }
}

/** In a linked worktree `.git` is a file that names the folder. */
function linkedFolder(git: string): string {
  const [, folder] = /^gitdir: (.+)$/m.exec(readIfAny(git)?.toString("utf8") ?? "") ?? [];
  return folder === undefined ? git : resolve(dirname(git), folder.trim());
}

/** Git never ignores a file that it tracks. Index version 4 shortens paths, so there only some are found. */
export function isTracked({ index }: Repository, path: string, isFolder: boolean): boolean {
  return index.includes(isFolder ? `${path}/` : `${path}\0`);
}

/** The patterns that apply in a folder: its own `.gitignore`, after those of the folders above it. */
export function ignoreRules(folder: string, base: string, above?: IgnoreRules): IgnoreRules | undefined {
  const text = readIfAny(join(folder, ".gitignore"))?.subarray(0, MAX_BYTES).toString("utf8");
  const own = text === undefined ? [] : text.split(/\r?\n/).flatMap(readPattern);
  return own.length === 0 ? above : { base, own, ...(above === undefined ? {} : { above }) };
}

/** The patterns of a folder inside a repository. */
export function ignoreRulesAbove({ top }: Repository, folder: string): IgnoreRules | undefined {
  const inner = relative(top, folder);
  const info = readIfAny(join(top, ".git", "info", "exclude"))
    ?.toString("utf8")
    .split(/\r?\n/)
    .flatMap(readPattern);
  let rules: IgnoreRules | undefined = info === undefined || info.length === 0 ? undefined : { base: "", own: info };
  if (inner === "") return rules;
  let at = "";
  for (const part of inner.split("/")) {
    rules = ignoreRules(join(top, at), at, rules);
    at = at === "" ? part : `${at}/${part}`;
  }
  return rules;
}

/** `path` is from the top of the repository. The last pattern that matches decides, the nearest file first. */
export function isIgnored(rules: IgnoreRules | undefined, path: string, isFolder: boolean): boolean {
  for (let at = rules; at !== undefined; at = at.above) {
    const inner = at.base === "" ? path : path.slice(at.base.length + 1);
    const found = at.own.findLast((one) => (isFolder || !one.folderOnly) && one.pattern.test(inner));
    if (found !== undefined) return !found.negated;
  }
  return false;
}

function readPattern(line: string): readonly Ignoring[] {
  const text = line.replace(/(?<!\\)\s+$/, "");
  if (text === "" || text.startsWith("#") || text.length > MAX_LINE) return [];
  const negated = text.startsWith("!");
  const folderOnly = text.endsWith("/");
  const bare = text.slice(negated ? 1 : 0, folderOnly ? -1 : undefined);
  if (bare === "" || (bare.replaceAll("**", "*").match(/\*/g)?.length ?? 0) > MAX_STARS) return [];
  const anchored = bare.includes("/");
  const source = globSource(bare.replace(/^\//, ""));
  try {
    return [{ pattern: new RegExp(`^${anchored ? "" : "(?:.*/)?"}${source}$`), negated, folderOnly }];
  } catch {
    return [];
  }
}

function globSource(glob: string): string {
  const parts = /\*\*\/|\/\*\*$|\*+|\?|\[!?[^\]/]+\]|\\.|[^*?[\\]+|./gs;
  return [...glob.matchAll(parts)]
    .map(([part]) => {
      if (part === "**/") return "(?:.*/)?";
      if (part === "/**") return "/.*";
      if (part.startsWith("*")) return "[^/]*";
      if (part === "?") return "[^/]";
      if (/^\[.+\]$/s.test(part)) return part.replace(/^\[!/, "[^").replaceAll("\\", "\\\\");
      return RegExp.escape(part.startsWith("\\") ? part.slice(1) : part);
    })
    .join("");
}

function readIfAny(path: string): Buffer | undefined {
  try {
    // Reading a pipe would never end.
    return lstatSync(path).isFile() ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}
