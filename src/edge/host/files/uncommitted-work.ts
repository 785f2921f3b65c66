import { type BigIntStats, lstatSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { diffLines } from "../../../base/kernel/files/line-diff.ts";
import type { CallEffect, ToolCall } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { type IndexEntry, readBlob, stagedFiles, trackedFiles, untrackedFiles } from "./git-objects.ts";

const MAX_BYTES = 512 * 1024;
const MAX_FILES = 50;
const MAX_MS = 1_200;

type FactCall = Pick<ToolCall, "effects" | "paths">;

/**
 * `clean`: git discards nothing that is not committed. `uncommitted`: the tracked files with uncommitted changes that the call
 * deletes or replaces. Unknown facts are absent. Reads files and git's objects only.
 */
export async function uncommittedFacts(root: string, call: FactCall, wanted: readonly string[]): Promise<JsonObject> {
  const signal = AbortSignal.timeout(MAX_MS);
  const facts: { [name: string]: JsonObject[string] } = {};
  const discards = call.effects?.filter(({ name }) => name === "git.discard") ?? [];
  if (wanted.includes("clean") && (await losesNothing(root, discards, signal))) facts.clean = true;
  const files = wanted.includes("uncommitted") ? await uncommittedFiles(root, lostFiles(root, call), signal) : [];
  if (files.length > 0) facts.uncommitted = files;
  return facts;
}

/** True only if it is certain: all files are as committed, and for a discard of everything there is no untracked file. */
async function losesNothing(root: string, discards: readonly CallEffect[], signal: AbortSignal): Promise<boolean> {
  const real = discards.filter(
    ({ args }) => args.maybe !== true || pathsOf([{ args }]).some((path) => lookAt(absolute(root, path))),
  );
  if (real.length === 0) return false;
  if (real.some(({ args }) => args.local !== true || args.stash === true || args.ignored === true)) return false;
  const isWhole = real.some(({ args }) => pathsOf([{ args }]).length === 0);
  const given = pathsOf(real);
  const paths = isWhole ? [":/"] : given.flatMap((path) => inside(root, path) ?? []);
  if (!isWhole && paths.length < given.length) return false;
  if (isWhole || real.some(({ args }) => args.untracked === true)) {
    const untracked = await untrackedFiles(root, paths, signal);
    if (untracked === undefined || untracked.length > 0) return false;
    if (real.every(({ args }) => args.untracked === true)) return true;
  }
  const [entries, staged] = await Promise.all([trackedFiles(root, paths, signal), stagedFiles(root, paths, signal)]);
  if (entries === undefined || entries.length === 0 || staged === undefined || staged.length > 0) return false;
  if (entries.some(({ unmerged, path }) => unmerged || path.startsWith('"'))) return false;
  const touched = entries.filter((entry) => isTouched(root, entry));
  if (touched.length > MAX_FILES) return false;
  for (const entry of touched) if ((await changeOf(root, entry, signal)) !== undefined) return false;
  return true;
}

/** The existing files that the call deletes or replaces. A line that reads a file and writes it back edits it. */
export function lostFiles(root: string, { effects = [], paths }: FactCall): readonly string[] {
  const read = new Set(paths.filter(({ access }) => access === "read").map(({ path }) => path));
  const deleted = effects.filter(({ name, args }) => name === "files.delete" && !args.generated && !args.tracked);
  const replaced = effects.filter(({ name, args }) => name === "files.write" && !args.edits);
  const lost = [...pathsOf(deleted), ...pathsOf(replaced).filter((path) => !read.has(path))];
  const files = lost.filter((path) => !/[*?[\]{}$`]/.test(path) && lookAt(absolute(root, path))?.isFile());
  return [...new Set(files.flatMap((path) => inside(root, path) ?? []))].slice(0, MAX_FILES);
}

/** Those of the files that git tracks and whose content git does not have. */
async function uncommittedFiles(
  root: string,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const entries = await trackedFiles(root, files.map(literal), signal);
  const touched = (entries ?? []).filter((entry) => entry.unmerged || isTouched(root, entry));
  const changed: string[] = [];
  for (const entry of touched) if ((await changeOf(root, entry, signal)) !== undefined) changed.push(entry.path);
  return [...new Set(changed)];
}

export function literal(path: string): string {
  return `:(literal)${path}`;
}

/** How a working file differs from the one in git's index. `undefined`: not at all. */
export async function changeOf(root: string, { path, blob }: IndexEntry, signal: AbortSignal | undefined) {
  const [stored, current] = [await readBlob(root, blob, signal), readFile(join(root, path))];
  if (stored === undefined || current === undefined) return { count: undefined, lines: [] };
  if (stored.equals(current)) return undefined;
  if (stored.includes(0) || current.includes(0)) return { count: undefined, lines: [] };
  const { added, removed, lines } = diffLines(stored.toString("utf8"), current.toString("utf8"));
  return lines.length === 0 ? undefined : { count: Math.max(added, removed), lines };
}

/** A quick check: git noted another size or time. */
export function isTouched(root: string, { path, size, mtimeMs }: IndexEntry): boolean {
  const found = lookAt(join(root, path));
  if (found === undefined || found.isDirectory()) return false;
  return Number(found.size) !== size || Math.abs(Number(found.mtimeNs) / 1e6 - mtimeMs) > 0.01;
}

export function pathsOf(effects: readonly Pick<CallEffect, "args">[]): readonly string[] {
  const paths = effects.flatMap(({ args }) => (Array.isArray(args.paths) ? args.paths.map(String) : []));
  return [...new Set(paths.filter((path) => path !== ""))];
}

export function absolute(root: string, path: string): string {
  if (path === "~" || path.startsWith("~/")) return `${homedir()}${path.slice(1)}`;
  return isAbsolute(path) ? path : resolve(root, path);
}

/** The path from the root, if it is below it. */
export function inside(root: string, path: string): string | undefined {
  const from = relative(root, absolute(root, path));
  return from === ".." || from.startsWith("../") || isAbsolute(from) ? undefined : from === "" ? "." : from;
}

/** `undefined` if there is nothing, or nothing that can be looked at. Links are not followed. */
export function lookAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

function readFile(path: string): Buffer | undefined {
  try {
    const found = lookAt(path);
    return found?.isFile() && found.size <= MAX_BYTES ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}
