import { constants } from "node:fs";
import { lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import {
  type ParsedPromptFile,
  PROMPT_FILE_LIMIT,
  PROMPT_FILE_MAX,
  parsePromptFile,
} from "../../../engine/agent/config/prompt-file.ts";
import { isSettled, stampOf } from "./file-stamp.ts";
import { isMissing } from "./resolve-path.ts";
import { isSharedSource, listSources, parseSource } from "./workspace-sources.ts";

export const PROMPTS = ".agents/prompts";
const MAX_FILES = 200;
/** A character takes at most four bytes. */
const MAX_BYTES = PROMPT_FILE_MAX * 4;

/** A prompt file: `name` is relative to the workspace, `path` may still be a symlink. */
export type PromptEntry = { readonly name: string; readonly path: string };

/** The prompt files, sorted; `root` is the real workspace. `problem` says why files are missing. */
export type PromptListing = {
  readonly root: string;
  readonly entries: readonly PromptEntry[];
  readonly problem?: string;
};

/** A prompt file's content, or why it was not read. The hash covers exactly the parsed text. */
export type PromptRead =
  | {
      readonly kind: "text";
      /** Symlinks resolved. */
      readonly path: string;
      readonly text: string;
      readonly sha256: string;
      readonly parsed: ParsedPromptFile;
      readonly stamp?: string;
    }
  | { readonly kind: "refused"; readonly message: string; readonly hint: string };

/** The files of `.agents/prompts`, then every AGENTS.md and SKILL.md. */
export async function listPrompts(workspace: string): Promise<PromptListing> {
  // Resolving a path takes as many system calls as it has parts, and most workspaces have none of these files.
  const isNone = await stat(join(workspace, PROMPTS)).then(() => false, isMissing);
  if (isNone && (await listSources(workspace)).length === 0) return { root: workspace, entries: [] };
  const root = await realpath(workspace).catch(() => workspace);
  const own = await listPromptFolder(root);
  const shared = (await listSources(root)).map((name) => ({ name, path: join(root, name) }));
  return { ...own, entries: [...own.entries, ...shared] };
}

async function listPromptFolder(root: string): Promise<PromptListing> {
  try {
    const folder = await realpath(join(root, PROMPTS));
    if (!isInside(folder, root)) {
      return { root, entries: [], problem: "the folder is a symlink out of the workspace, so its files are not read" };
    }
    const names = (await readdir(folder)).filter((name) => /^[^.].*\.md$/i.test(name)).sort();
    const entries = names.slice(0, MAX_FILES).map((name) => ({ name: `${PROMPTS}/${name}`, path: join(folder, name) }));
    if (names.length <= MAX_FILES) return { root, entries };
    return {
      root,
      entries,
      problem: `of ${names.length} files only the first ${MAX_FILES} by name are read`,
    };
  } catch (error) {
    if (isMissing(error)) return { root, entries: [] };
    return { root, entries: [], problem: `the folder cannot be read: ${errorText(error)}` };
  }
}

/** Reads a prompt file; returns `known` if the file has not changed since. */
export async function readPrompt({ name, path }: PromptEntry, root: string, known?: PromptRead): Promise<PromptRead> {
  try {
    const at = Date.now();
    const found = await lstat(path, { bigint: true });
    const link = found.isSymbolicLink();
    const real = link ? await realpath(path) : path;
    if (!isInside(real, root)) return refused("it is a link out of the workspace", "put the file itself there");
    if (!link && !found.isFile()) return refused("it is not a regular file", "remove it");
    // The target of a symlink has its own stamp, so it is read each time.
    if (!link && known?.kind === "text" && known.stamp === stampOf(found)) return known;
    // Non-blocking, because a pipe would block for ever.
    const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const opened = await handle.stat({ bigint: true });
      if (!opened.isFile()) return refused("it is not a regular file", "remove it");
      if (opened.size > MAX_BYTES) return refused(`it is longer than ${PROMPT_FILE_LIMIT} characters`, "split it");
      const bytes = await handle.readFile();
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      const stamp = !link && isSettled(opened, at) ? { stamp: stampOf(opened) } : {};
      const same = known?.kind === "text" && known.text === text;
      const parse = isSharedSource(name) && !name.startsWith(`${PROMPTS}/`) ? parseSource : parsePromptFile;
      const parsed = same ? known.parsed : parse(text, name);
      return { kind: "text", path: real, text, sha256: sha256(text), parsed, ...stamp };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return unreadable(error);
  }
}

/** Is a real path below a real folder? */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function unreadable(error: unknown): PromptRead {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return refused("it is not UTF-8 text", "save it as UTF-8");
  if (isMissing(error)) return refused("it is a dangling symlink, or was just removed", "remove the link");
  return refused(`it cannot be read: ${errorText(error)}`, "make it readable for this account");
}

function refused(message: string, hint: string): PromptRead {
  return { kind: "refused", message, hint };
}
