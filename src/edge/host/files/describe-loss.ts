import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes, neutraliseTags } from "../../../base/kernel/text.ts";
import type { Loss } from "../../../base/ports/filesystem.ts";
import type { CallEffect, ToolCall } from "../../../base/words/call.ts";
import { type IndexEntry, stagedFiles, trackedFiles, untrackedFiles } from "./git-objects.ts";
import { absolute, changeOf, inside, isTouched, literal, lookAt, lostFiles, pathsOf } from "./uncommitted-work.ts";

const MAX_DIFFED = 5;
const MAX_SHOWN = 12;
const MAX_LINE = 100;
const MAX_COUNTED = 20_000;
const MAX_MARKED = 5_000;
const MAX_PATHS = 20;
const MAX_NAMES = 3;

/** The texts, and the absolute paths of the files that they are about. */
type Found = { readonly texts: readonly string[]; readonly files: readonly string[] };
const NOTHING: Found = { texts: [], files: [] };

/**
 * What a call would destroy, for the person who is asked: uncommitted lines with a short diff, and how many files a deletion
 * removes. Reads files and git's objects only; nothing that the repository configures runs.
 */
export async function describeLoss(
  root: string,
  call: Pick<ToolCall, "effects" | "paths">,
  signal?: AbortSignal,
): Promise<Loss | undefined> {
  const { effects = [] } = call;
  const discards = effects.filter(({ name, args }) => name === "git.discard" && args.stash !== true);
  const deletions = effects.filter(({ name, args }) => name === "files.delete" && args.generated !== true);
  const found: Found[] = [];
  if (discards.length > 0) found.push(await discarded(root, discards, signal));
  const deleted = pathsOf(deletions).filter((path) => !/[*?[\]{}$]/.test(path));
  for (const path of deleted.slice(0, MAX_PATHS)) found.push(await deletedBy(root, path, signal));
  found.push(await replaced(root, call, new Set(deleted.map((path) => inside(root, path))), signal));
  const lines = found.flatMap(({ texts }) => texts).flatMap((text) => text.split("\n"));
  if (lines.length === 0) return undefined;
  const text = lines.map(shownLine).join("\n");
  const files = found.flatMap((one) => one.files).slice(0, MAX_MARKED);
  return { text, mark: sha256([text, ...files.map(stampOf)].join("\n")).slice(0, 20) };
}

/** Changes whenever the file is written. */
function stampOf(path: string): string {
  const found = lookAt(path);
  return `${path} ${found?.size ?? ""} ${found?.mtimeNs ?? ""}`;
}

/** Uncommitted work that git would overwrite, and untracked files that `git clean` removes. */
async function discarded(
  root: string,
  effects: readonly CallEffect[],
  signal: AbortSignal | undefined,
): Promise<Found> {
  const isWhole = effects.some(({ args }) => pathsOf([{ args }]).length === 0);
  const given = pathsOf(effects).flatMap((path) => inside(root, path) ?? []);
  if (!isWhole && given.length === 0) return NOTHING;
  const paths = isWhole ? [":/"] : given;
  if (effects.some(({ args }) => args.untracked === true)) {
    const files = (await untrackedFiles(root, paths, signal)) ?? [];
    if (files.length === 0) return NOTHING;
    const text = `Deletes ${counted(files.length, "file")} that git does not track: ${named(files)}.`;
    return { texts: [text], files: files.map((path) => join(root, path)) };
  }
  const entries = ((await trackedFiles(root, paths, signal)) ?? []).filter(({ unmerged }) => !unmerged);
  const touched = entries.filter((entry) => isTouched(root, entry));
  const staged = isWhole ? ((await stagedFiles(root, paths, signal)) ?? []) : [];
  const changes = await describeChanges(root, touched, signal);
  const text = `Discards staged changes in ${counted(staged.length, "file")}: ${named(staged)}.`;
  return staged.length === 0 ? changes : { ...changes, texts: [...changes.texts, text] };
}

async function describeChanges(
  root: string,
  touched: readonly IndexEntry[],
  signal: AbortSignal | undefined,
): Promise<Found> {
  const texts: string[] = [];
  let left = MAX_SHOWN;
  for (const entry of touched.slice(0, MAX_DIFFED)) {
    const change = await changeOf(root, entry, signal);
    if (change === undefined) continue;
    const { path } = entry;
    const title =
      change.count === undefined
        ? `Discards changes in ${path}.`
        : `Discards ${counted(change.count, "changed line")} in ${path}:`;
    texts.push(withLines(title, change.lines, left));
    left -= Math.min(left, change.lines.length);
  }
  const more = touched.slice(MAX_DIFFED).map(({ path }) => path);
  if (more.length > 0) texts.push(`Discards changes in ${counted(more.length, "more file")}: ${named(more)}.`);
  return { texts, files: touched.map(({ path }) => join(root, path)) };
}

function withLines(title: string, lines: readonly string[], most: number): string {
  const shown = lines.slice(0, most);
  const rest = lines.length - shown.length;
  return [title, ...shown, ...(rest > 0 ? [`… ${counted(rest, "more line")}`] : [])].join("\n");
}

/** Files with uncommitted changes that the call writes anew. */
async function replaced(
  root: string,
  call: Pick<ToolCall, "effects" | "paths">,
  deleted: ReadonlySet<string | undefined>,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const files = lostFiles(root, call).filter((path) => !deleted.has(path));
  const entries = files.length === 0 ? [] : await trackedFiles(root, files.map(literal), signal);
  const touched = (entries ?? []).filter((entry) => isTouched(root, entry)).slice(0, MAX_DIFFED);
  const texts: string[] = [];
  for (const entry of touched) {
    const change = await changeOf(root, entry, signal);
    if (change !== undefined) texts.push(uncommittedText(`Replaces ${entry.path}`, change));
  }
  return { texts, files: touched.map(({ path }) => join(root, path)) };
}

function uncommittedText(what: string, { count, lines }: NonNullable<Awaited<ReturnType<typeof changeOf>>>): string {
  if (count === undefined) return `${what}, which has changes that are not committed.`;
  return withLines(
    `${what} with ${counted(count, "changed line")} that ${count === 1 ? "is" : "are"} not committed:`,
    lines,
    MAX_SHOWN,
  );
}

async function deletedBy(root: string, given: string, signal: AbortSignal | undefined): Promise<Found> {
  const path = absolute(root, given);
  const found = lookAt(path);
  if (found === undefined) return NOTHING;
  const within = inside(root, given);
  const entries = within === undefined ? undefined : await trackedFiles(root, [literal(within)], signal);
  const files = found.isDirectory() ? filesIn(path) : [path];
  const texts = await deletionTexts(
    root,
    { shown: within ?? given, isFolder: found.isDirectory(), files, entries },
    signal,
  );
  return { texts, files };
}

type Deletion = {
  readonly shown: string;
  readonly isFolder: boolean;
  readonly files: readonly string[];
  readonly entries: readonly IndexEntry[] | undefined;
};

async function deletionTexts(
  root: string,
  { shown, isFolder, files, entries }: Deletion,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const what = `Deletes ${isFolder ? `${counted(files.length, "file")} in ${shown}` : shown}`;
  if (entries === undefined) return [`${what}. Git cannot restore that.`];
  const kept = entries.filter((entry) => lookAt(join(root, entry.path)));
  const touched = kept.filter((entry) => isTouched(root, entry));
  const changes: NonNullable<Awaited<ReturnType<typeof changeOf>>>[] = [];
  for (const entry of touched.slice(0, MAX_PATHS)) {
    const change = await changeOf(root, entry, signal);
    if (change !== undefined) changes.push(change);
  }
  const uncommitted = changes.length + Math.max(0, touched.length - MAX_PATHS);
  const [change] = changes;
  if (!isFolder && change !== undefined) return [uncommittedText(what, change)];
  if (!isFolder) return [`${what} (${kept.length > 0 ? "in git" : "not in git, which git cannot restore"}).`];
  const untracked = Math.max(0, files.length - kept.length);
  const parts = [
    kept.length === 0
      ? ""
      : `${kept.length} in git${uncommitted === 0 ? "" : ` (${uncommitted} with uncommitted changes)`}`,
    untracked === 0 ? "" : `${untracked} not in git, which git cannot restore`,
  ].filter((part) => part !== "");
  return [`${what}: ${parts.join(", ")}.`];
}

/** At most so many. Links are not followed. */
function filesIn(folder: string): readonly string[] {
  const folders = [folder];
  const files: string[] = [];
  for (const at of folders) {
    for (const entry of entriesOf(at)) {
      (entry.isDirectory() ? folders : files).push(join(at, entry.name));
      if (files.length >= MAX_COUNTED) return files;
    }
    if (folders.length >= MAX_COUNTED) break;
  }
  return files;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
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
