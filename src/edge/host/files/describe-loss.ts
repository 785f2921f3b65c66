import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { diffLines } from "../../../base/kernel/files/line-diff.ts";
import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes, neutraliseTags } from "../../../base/kernel/text.ts";
import type { CallEffect } from "../../../base/words/call.ts";
import { type IndexEntry, readBlob, trackedFiles, untrackedFiles } from "./git-objects.ts";

const MAX_DIFFED = 5;
const MAX_SHOWN = 12;
const MAX_LINE = 100;
const MAX_BYTES = 512 * 1024;
const MAX_COUNTED = 20_000;
const MAX_PATHS = 20;
const MAX_NAMES = 3;

/**
 * What these effects would destroy, for the person who is asked: uncommitted lines with a short diff, and how many files
 * a deletion removes. Reads files and git's objects only; nothing that the repository configures runs.
 */
export async function describeLoss(
  root: string,
  effects: readonly CallEffect[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const discards = effects.filter(({ name, args }) => name === "git.discard" && args.stash !== true);
  const deletions = effects.filter(({ name, args }) => name === "files.delete" && args.generated !== true);
  const texts: string[] = [];
  if (discards.length > 0) texts.push(...(await discarded(root, discards, signal)));
  const deleted = pathsOf(deletions).filter((path) => !/[*?[\]{}$]/.test(path));
  for (const path of deleted.slice(0, MAX_PATHS)) texts.push(...(await deletedBy(root, path, signal)));
  const lines = texts.flatMap((text) => text.split("\n"));
  return lines.length === 0 ? undefined : lines.map(shownLine).join("\n");
}

function pathsOf(effects: readonly CallEffect[]): readonly string[] {
  const paths = effects.flatMap(({ args }) => (Array.isArray(args.paths) ? args.paths.map(String) : []));
  return [...new Set(paths.filter((path) => path !== ""))];
}

/** Uncommitted work that git would overwrite, and untracked files that `git clean` removes. */
async function discarded(root: string, effects: readonly CallEffect[], signal: AbortSignal | undefined) {
  const isWhole = effects.some(({ args }) => !Array.isArray(args.paths) || args.paths.every((path) => path === ""));
  const given = pathsOf(effects).flatMap((path) => inside(root, path) ?? []);
  if (!isWhole && given.length === 0) return [];
  const paths = isWhole ? [] : given;
  if (effects.some(({ args }) => args.untracked === true)) {
    const files = await untrackedFiles(root, paths, signal);
    if (files.length === 0) return [];
    return [`Deletes ${counted(files.length, "file")} that git does not track: ${named(files)}.`];
  }
  const entries = (await trackedFiles(root, paths, signal)) ?? [];
  return describeChanges(
    root,
    entries.filter((entry) => isTouched(root, entry)),
    signal,
  );
}

async function describeChanges(root: string, touched: readonly IndexEntry[], signal: AbortSignal | undefined) {
  const texts: string[] = [];
  let left = MAX_SHOWN;
  for (const entry of touched.slice(0, MAX_DIFFED)) {
    const change = await changeOf(root, entry, signal);
    if (change === undefined) continue;
    const shown = change.lines.slice(0, left);
    left -= shown.length;
    const rest = change.lines.length - shown.length;
    texts.push([change.text, ...shown, ...(rest > 0 ? [`… ${counted(rest, "more line")}`] : [])].join("\n"));
  }
  const more = touched.slice(MAX_DIFFED).map(({ path }) => path);
  if (more.length > 0) texts.push(`Discards changes in ${counted(more.length, "more file")}: ${named(more)}.`);
  return texts;
}

/** How a working file differs from the one in git's index. `undefined`: not at all. */
async function changeOf(root: string, { path, blob }: IndexEntry, signal: AbortSignal | undefined) {
  const [stored, current] = [await readBlob(root, blob, signal), readFile(join(root, path))];
  if (stored === undefined || current === undefined) return { text: `Discards changes in ${path}.`, lines: [] };
  if (stored.equals(current)) return undefined;
  if (stored.includes(0) || current.includes(0)) return { text: `Discards changes in ${path} (binary).`, lines: [] };
  const { added, removed, lines } = diffLines(stored.toString("utf8"), current.toString("utf8"));
  if (lines.length === 0) return undefined;
  return { text: `Discards ${counted(Math.max(added, removed), "changed line")} in ${path}:`, lines };
}

async function deletedBy(root: string, given: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const path = absolute(root, given);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const within = inside(root, given);
  const entries = within === undefined ? undefined : await trackedFiles(root, [`:(literal)${within}`], signal);
  const files = found.isDirectory() ? countFiles(path) : 1;
  const kept = (entries ?? []).filter((entry) => lstatSync(join(root, entry.path), { throwIfNoEntry: false }));
  const touched = kept.filter((entry) => isTouched(root, entry));
  const changed: IndexEntry[] = [];
  for (const entry of touched.slice(0, MAX_PATHS)) {
    if ((await changeOf(root, entry, signal)) !== undefined) changed.push(entry);
  }
  const uncommitted = changed.length + Math.max(0, touched.length - MAX_PATHS);
  const shown = within ?? given;
  const what = `Deletes ${found.isDirectory() ? `${counted(files, "file")} in ${shown}` : shown}`;
  if (entries === undefined) return [`${what}. Git cannot restore that.`];
  if (!found.isDirectory()) {
    const state = uncommitted > 0 ? "in git, with uncommitted changes" : "in git";
    return [`${what} (${kept.length > 0 ? state : "not in git, which git cannot restore"}).`];
  }
  const untracked = Math.max(0, files - kept.length);
  const parts = [
    kept.length === 0
      ? ""
      : `${kept.length} in git${uncommitted === 0 ? "" : ` (${uncommitted} with uncommitted changes)`}`,
    untracked === 0 ? "" : `${untracked} not in git, which git cannot restore`,
  ].filter((part) => part !== "");
  return [`${what}: ${parts.join(", ")}.`];
}

/** Counts at most so many. Links are not followed. */
function countFiles(folder: string): number {
  const folders = [folder];
  let count = 0;
  for (const at of folders) {
    for (const entry of entriesOf(at)) {
      if (entry.isDirectory()) folders.push(join(at, entry.name));
      else count += 1;
      if (count >= MAX_COUNTED) return count;
    }
    if (folders.length >= MAX_COUNTED) break;
  }
  return count;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A quick check: git noted another size or time. */
function isTouched(root: string, { path, size, mtimeMs }: IndexEntry): boolean {
  const found = lstatSync(join(root, path), { throwIfNoEntry: false });
  return found?.isFile() === true && (found.size !== size || Math.abs(found.mtimeMs - mtimeMs) > 0.01);
}

function readFile(path: string): Buffer | undefined {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function absolute(root: string, path: string): string {
  if (path === "~" || path.startsWith("~/")) return `${homedir()}${path.slice(1)}`;
  return isAbsolute(path) ? path : resolve(root, path);
}

/** The path from the root, if it is below it. */
function inside(root: string, path: string): string | undefined {
  const from = relative(root, absolute(root, path));
  return from.startsWith("..") || isAbsolute(from) ? undefined : from === "" ? "." : from;
}

function counted(count: number, noun: string): string {
  return `${count >= MAX_COUNTED ? "more than " : ""}${count} ${noun}${count === 1 ? "" : "s"}`;
}

function named(files: readonly string[]): string {
  const rest = files.length - MAX_NAMES;
  return [...files.slice(0, MAX_NAMES), ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
}

/** Text of foreign files: no secrets, no control characters, not too long. */
function shownLine(line: string): string {
  const plain = redactSecrets(line).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ");
  const short = cutGraphemes(plain, /^[-+]/.test(line) ? MAX_LINE : 3 * MAX_LINE);
  return neutraliseTags(short.length < plain.length ? `${short}…` : short);
}
