import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { inflateSync } from "node:zlib";
import type { CallEffect } from "../../../base/words/call.ts";
import { type IndexEntry, parseGitIndex } from "./git-index.ts";
import { type IgnoreFile, isIgnored, parseIgnoreFile } from "./ignore-rules.ts";
import { branchOf, type Repository, readText } from "./repository.ts";
import type { FileStat, RepositoryFiles } from "./repository-files.ts";

/** The content that a git command would commit or push: a file as it is now, or as it was staged. */
export type CommittedFile = { readonly path: string; read(most: number): Promise<Buffer | undefined> };

const MAX_ENTRIES = 20_000;
const MAX_INDEX = 64 * 1024 * 1024;

/** What is looked at, and whether the limit or the time ended the search. */
export type Search = { readonly root: string; readonly isOver: () => boolean; missed: boolean };

/**
 * The files whose content a command line stages, commits or pushes. The index tells which tracked files changed. Staged
 * content is found as loose objects that are newer than the last commit; for a push, newer than the remote's branch.
 */
export async function* committedFiles(
  files: RepositoryFiles,
  repository: Repository,
  effects: readonly CallEffect[],
  search: Search,
): AsyncGenerator<CommittedFile> {
  const index = await readIndex(files, repository);
  for (const { name, args } of effects) {
    const paths = (Array.isArray(args.paths) ? args.paths : []).map((path) => resolve(search.root, String(path)));
    if (name === "git.stage") {
      const from = paths.length > 0 ? paths : args.all === true ? [repository.top] : [];
      const { tracked, force } = args;
      yield* changedFiles(files, repository, index, from, { search, tracked: tracked === true, force: force === true });
    }
    if (name === "git.commit" && (args.all === true || paths.length > 0)) {
      const from = paths.length > 0 ? paths : [repository.top];
      yield* changedFiles(files, repository, index, from, { search, tracked: true, force: false });
    }
    if (name === "git.commit") yield* stagedFiles(files, repository, index, await lastCommit(files, repository));
    if (name === "git.push") yield* stagedFiles(files, repository, index, await lastPush(files, repository));
  }
}

async function readIndex(files: RepositoryFiles, { gitFolder, common }: Repository): Promise<Index> {
  if (gitFolder === undefined || common === undefined) return new Map();
  const size = (await files.stat(join(gitFolder, "index")))?.size ?? 0;
  const bytes = size > MAX_INDEX ? undefined : await files.read(join(gitFolder, "index"), size);
  const config = (await readText(files, join(common, "config"), 65_536)) ?? "";
  const idLength = /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? 32 : 20;
  return new Map(bytes === undefined ? [] : parseGitIndex(bytes, idLength).map((entry) => [entry.path, entry]));
}

type Index = ReadonlyMap<string, IndexEntry>;
type Walk = { readonly search: Search; readonly tracked: boolean; readonly force: boolean };

/** Files at or below the paths that differ from the index and are not ignored. */
async function* changedFiles(
  files: RepositoryFiles,
  { top, common }: Repository,
  index: Index,
  paths: readonly string[],
  { search, tracked, force }: Walk,
): AsyncGenerator<CommittedFile> {
  const shared = force ? [] : await sharedIgnores(files, common);
  let entries = 0;
  const open: { readonly path: string; readonly ignores: readonly IgnoreFile[] }[] = [];
  for (const path of paths) {
    const inside = relative(top, path);
    if (inside.startsWith("..")) continue;
    const ignores = [...shared];
    const parts = inside === "" ? [] : inside.split("/");
    for (const at of force ? [] : parts.keys()) ignores.push(...(await ignoreFile(files, top, parts.slice(0, at))));
    if (path.includes("*")) open.push({ path: path.slice(0, path.indexOf("*")).replace(/[^/]*$/, "") || top, ignores });
    else open.push({ path, ignores });
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    entries += 1;
    if (entries > MAX_ENTRIES || search.isOver()) {
      search.missed = true;
      return;
    }
    const { path } = next;
    const name = relative(top, path);
    const found = await files.stat(path);
    if (found === undefined) continue;
    const known = index.get(name);
    if (!found.isFolder) {
      const skip = known === undefined ? tracked || isIgnored(name, false, next.ignores) : isUnchanged(found, known);
      if (!skip) yield { path: name, read: (most) => files.read(path, most) };
      continue;
    }
    if (name !== "" && isIgnored(name, true, next.ignores) && !hasTracked(index, name)) continue;
    const inside = await files.list(path);
    // A repository in the repository is staged as a link.
    if (name !== "" && inside.some((one) => one.name === ".git")) continue;
    const ignores = [
      ...next.ignores,
      ...(force ? [] : await ignoreFile(files, top, name === "" ? [] : name.split("/"))),
    ];
    for (const one of inside) if (one.name !== ".git") open.push({ path: join(path, one.name), ignores });
  }
}

function hasTracked(index: Index, folder: string): boolean {
  for (const path of index.keys()) if (path.startsWith(`${folder}/`)) return true;
  return false;
}

function isUnchanged({ size, mtimeNs }: FileStat, known: IndexEntry): boolean {
  if (size % 2 ** 32 !== known.size || Number(mtimeNs / 1_000_000_000n) !== known.seconds) return false;
  return known.nanoseconds === 0 || Number(mtimeNs % 1_000_000_000n) === known.nanoseconds;
}

async function ignoreFile(
  files: RepositoryFiles,
  top: string,
  folder: readonly string[],
): Promise<readonly IgnoreFile[]> {
  const text = await readText(files, join(top, ...folder, ".gitignore"), 65_536);
  return text === undefined ? [] : [parseIgnoreFile(text, folder.map((part) => `${part}/`).join(""))];
}

/** `.git/info/exclude`, and the file that git reads for every repository of the user. */
async function sharedIgnores(files: RepositoryFiles, common: string | undefined): Promise<readonly IgnoreFile[]> {
  const config = process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
  const paths = [join(config, "git", "ignore"), ...(common === undefined ? [] : [join(common, "info", "exclude")])];
  const texts = await Promise.all(paths.map((path) => readText(files, path, 65_536)));
  return texts.flatMap((text) => (text === undefined ? [] : [parseIgnoreFile(text, "")]));
}

/** Index entries whose loose object was written at `since` or later, in seconds. */
async function* stagedFiles(
  files: RepositoryFiles,
  { common }: Repository,
  index: Index,
  since: number,
): AsyncGenerator<CommittedFile> {
  if (common === undefined || index.size === 0) return;
  const objects = join(common, "objects");
  const folders = (await files.list(objects)).filter(({ name }) => /^[0-9a-f]{2}$/.test(name));
  const loose = new Set<string>();
  for (const { name } of folders) for (const one of await files.list(join(objects, name))) loose.add(name + one.name);
  for (const { path, id } of index.values()) {
    if (!loose.has(id)) continue;
    const object = join(objects, id.slice(0, 2), id.slice(2));
    const written = Number(((await files.stat(object))?.mtimeNs ?? 0n) / 1_000_000_000n);
    if (written >= since) yield { path, read: async (most) => blobOf(await files.read(object, most), most) };
  }
}

function blobOf(object: Buffer | undefined, most: number): Buffer | undefined {
  try {
    const text = object && inflateSync(object, { maxOutputLength: most * 8 });
    return text?.subarray(text.indexOf(0) + 1);
  } catch {
    return undefined;
  }
}

/** The time of the last commit in HEAD's log; 0 if there is none. */
async function lastCommit(files: RepositoryFiles, { gitFolder = "" }: Repository): Promise<number> {
  const path = join(gitFolder, "logs", "HEAD");
  const log = (await readText(files, path, (await files.stat(path))?.size ?? 0)) ?? "";
  const times = [...log.matchAll(/ (\d+) [+-]\d{4}\t(?:commit|merge|rebase|cherry-pick|revert|pull|clone|am)\b/g)];
  return Number(times.at(-1)?.[1] ?? 0);
}

/** When the remote's branch last moved; 0 if it was never pushed. */
async function lastPush(files: RepositoryFiles, repository: Repository): Promise<number> {
  const branch = await branchOf(files, repository);
  const remotes = join(repository.common ?? "", "refs", "remotes");
  const stats = await Promise.all(
    (await files.list(remotes)).map(({ name }) => files.stat(join(remotes, name, branch ?? "HEAD"))),
  );
  return Math.max(0, ...stats.map((found) => Number((found?.mtimeNs ?? 0n) / 1_000_000_000n)));
}
