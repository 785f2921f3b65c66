import { createHash } from "node:crypto";
import { lstatSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isDocumentation } from "../../../base/kernel/files/documentation.ts";
import type { WorkspaceState } from "../../../base/words/facts.ts";
import { isInstalledRunner } from "../../../behavior/commands/runner-place.ts";
import { findRepository, type IgnoreRules, ignoreRules, ignoreRulesAbove, isIgnored, isTracked } from "./git-ignore.ts";

/** Files beyond this number are not watched, those of the deepest folders first. */
const MAX_FILES = 50_000;
const MAX_MS = 1_500;
/** Other work of this process goes on after so many files. */
const BATCH = 500;
const MAX_CHANGES = 20;

/** Written by tools, not by people: ignored unless git tracks them. */
const GENERATED =
  /^(?:node_modules|dist|build|out|target|coverage|htmlcov|tmp|logs|venv|__pycache__|test-results|playwright-report|DerivedData|cmake-build-.*|\.(?:venv|tox|nox|cache|next|nuxt|turbo|parcel-cache|pytest_cache|mypy_cache|ruff_cache|hypothesis|gradle|svelte-kit|nyc_output|terraform|dart_tool|angular|expo|idea|vscode|claude|codex|conduct|DS_Store|coverage|eslintcache|stylelintcache|bundle|eggs)|.*\.(?:egg-info|pyc|pyo|class|o|obj|log|tmp|swp|swo|pid|lock\.tmp|tsbuildinfo|profraw|gcda|gcno|coverage))$/;
/** Where package managers install the programs of a project, in folders that are otherwise ignored. */
const INSTALLED: ReadonlyMap<string, string> = new Map([
  ["node_modules", ".bin"],
  [".venv", "bin"],
  ["venv", "bin"],
  ["vendor", "bin"],
]);
const NEVER = new Set([".git", ".hg", ".svn", ".jj"]);

type Folder = {
  readonly path: string;
  readonly rules: IgnoreRules | undefined;
  /** Git ignores the folder, but tracks some of its files. */
  readonly onlyTracked: boolean;
};

type Walk = { readonly mark: string; readonly files: Map<string, number> };

/** The files of the last look at a few workspaces: only these tell which files are gone. */
const lastSeen = new Map<string, { readonly files: ReadonlySet<string>; readonly gone: readonly Change[] }>();
const MAX_SEEN = 4;

type Change = { readonly path: string; readonly at: number };

/**
 * Names, sizes and times of the workspace's files as one mark. Reads nothing but folders, `.gitignore` files and git's
 * index; runs no program. Links are not followed. Without a mark if it takes too long.
 */
export async function workspaceState(root: string, signal?: AbortSignal): Promise<WorkspaceState> {
  const now = Date.now();
  const walk = await walkFiles(root, now + MAX_MS, signal);
  if (walk === undefined) return { at: now, changes: [] };
  const { mark, files } = walk;
  const before = lastSeen.get(root);
  const names = new Set(files.keys());
  const missing = [...(before?.files.difference(names) ?? [])].map((path) => ({ path, at: now }));
  const gone = [...missing, ...(before?.gone ?? []).filter(({ path }) => !names.has(path))].slice(0, MAX_CHANGES);
  lastSeen.delete(root);
  lastSeen.set(root, { files: names, gone });
  for (const [oldest] of lastSeen) if (lastSeen.size > MAX_SEEN) lastSeen.delete(oldest);
  const changes = newest(files, gone);
  // The kernel's times lag behind the clock by some milliseconds, so states are compared by the times of files.
  return { at: Math.min(now, changes[0]?.at ?? 0), mark, changes };
}

/** The files that changed last. Sorting all files would take longer than reading their times. */
function newest(files: ReadonlyMap<string, number>, gone: readonly Change[]): readonly Change[] {
  const times = Float64Array.from(files.values()).sort();
  const oldest = times.at(-Math.min(MAX_CHANGES, times.length)) ?? 0;
  const changed: Change[] = [...gone];
  for (const [path, at] of files) if (at >= oldest) changed.push({ path, at });
  return changed.sort((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1)).slice(0, MAX_CHANGES);
}

/** Breadth first, so that the limit leaves out the deepest folders. `undefined`: it took too long. */
async function walkFiles(root: string, until: number, signal: AbortSignal | undefined): Promise<Walk | undefined> {
  const repository = findRepository(root);
  const prefix = repository === undefined ? "" : relative(repository.top, root);
  const fromTop = (path: string) => (prefix === "" ? path : `${prefix}/${path}`);
  const above = repository === undefined ? undefined : ignoreRulesAbove(repository, root);
  const folders: Folder[] = [{ path: "", rules: above, onlyTracked: false }];
  const files = new Map<string, number>();
  const hash = createHash("sha1");
  let looked = 0;
  for (const folder of folders) {
    looked += 1;
    const entries = entriesOf(join(root, folder.path));
    const hasRules = entries.some((entry) => entry.name === ".gitignore" && entry.isFile());
    const base = fromTop(folder.path).replace(/\/$/, "");
    const rules = hasRules ? ignoreRules(join(root, folder.path), base, folder.rules) : folder.rules;
    let stamps = "";
    for (const entry of entries) {
      looked += 1;
      if (looked % BATCH === 0) {
        await setImmediate();
        signal?.throwIfAborted();
        if (Date.now() > until) return undefined;
      }
      const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`;
      const isFolder = entry.isDirectory();
      if (NEVER.has(entry.name) || (!isFolder && !entry.isFile() && !entry.isSymbolicLink())) continue;
      const ignored = folder.onlyTracked || GENERATED.test(entry.name) || isIgnored(rules, fromTop(path), isFolder);
      if (ignored && (repository === undefined || !isTracked(repository, fromTop(path), isFolder))) {
        const bin = isFolder ? INSTALLED.get(entry.name) : undefined;
        if (bin !== undefined) stamps += runnerStamps(root, `${path}/${bin}`, files);
        continue;
      }
      if (isFolder) folders.push({ path, rules, onlyTracked: ignored });
      else if (!isDocumentation(path) && files.size < MAX_FILES) {
        const found = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
        if (found === undefined) continue;
        files.set(path, found.ctimeMs);
        stamps += `${path}\0${found.size} ${found.mtimeMs} ${found.ctimeMs} ${found.mode}\0`;
      }
    }
    hash.update(stamps);
    if (folders.length > MAX_FILES) break;
  }
  return { mark: hash.digest("base64url"), files };
}

/** The installed test runners and what they link to: a replaced one proves nothing about the tests before. */
function runnerStamps(root: string, folder: string, files: Map<string, number>): string {
  let stamps = "";
  for (const { name } of entriesOf(join(root, folder))) {
    if (!isInstalledRunner(name)) continue;
    const path = `${folder}/${name}`;
    const own = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
    const found = statSync(`${root}/${path}`, { throwIfNoEntry: false });
    if (own === undefined) continue;
    files.set(path, Math.max(own.ctimeMs, found?.ctimeMs ?? 0));
    for (const one of [own, found]) stamps += `${path}\0${one?.size} ${one?.mtimeMs} ${one?.ctimeMs} ${one?.mode}\0`;
  }
  return stamps;
}

/** Sorted, so that the mark does not depend on the order on the disk. An unreadable folder has no entries. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
