import { execFile } from "node:child_process";

/** A file in git's index, with the size and time that it had when git last looked. */
export type IndexEntry = {
  readonly path: string;
  readonly blob: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** One side of a conflict. */
  readonly unmerged: boolean;
};

const MAX_OUTPUT = 32 * 1024 * 1024;
const GIT_MS = 1_000;
/** Not the PATH of this process: an agent's environment may have started it. */
const PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/opt/local/bin";

/**
 * Runs git so that it runs no program of the repository's configuration: only commands that neither compare nor convert
 * working files (these run filters), without file system monitor, hooks and transports (a partial clone would fetch).
 */
function git(root: string, args: readonly string[], signal?: AbortSignal): Promise<Buffer | undefined> {
  const safe = ["-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.hooksPath=/dev/null"];
  const env = {
    PATH,
    HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
  };
  const options = { cwd: root, env, timeout: GIT_MS, maxBuffer: MAX_OUTPUT, encoding: "buffer", signal } as const;
  return new Promise((resolve) => {
    execFile("git", ["--no-pager", ...safe, ...args], options, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });
}

/** The tracked files under these paths, or all; `undefined` if there is no repository. */
export async function trackedFiles(
  root: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<readonly IndexEntry[] | undefined> {
  const args = ["-c", "core.quotePath=false", "ls-files", "--stage", "--debug", "--", ...paths];
  const listed = (await git(root, args, signal))?.toString("utf8");
  if (listed === undefined) return undefined;
  const entry = /^\d+ ([0-9a-f]+) (\d)\t(.+)\n(?: {2}.*\n)*? {2}mtime: (\d+):(\d+)\n(?: {2}.*\n)*? {2}size: (\d+)\t/gm;
  return [...listed.matchAll(entry)].map(([, blob = "", stage, path = "", seconds, nanos, size]) => ({
    path,
    blob,
    unmerged: stage !== "0",
    size: Number(size),
    mtimeMs: Number(seconds) * 1_000 + Number(nanos) / 1_000_000,
  }));
}

/** Files that git neither tracks nor ignores, under these paths; `undefined` if there is no repository. */
export async function untrackedFiles(root: string, paths: readonly string[], signal?: AbortSignal) {
  const args = ["ls-files", "--others", "--exclude-standard", "-z", "--", ...paths];
  const listed = (await git(root, args, signal))?.toString("utf8");
  return listed?.split("\0").filter((path) => path !== "");
}

/** Files under these paths that are staged and not committed, from the top folder; `undefined` without a commit. */
export async function stagedFiles(root: string, paths: readonly string[], signal?: AbortSignal) {
  const args = ["diff-index", "--cached", "--name-only", "--no-renames", "--ignore-submodules=all", "-z", "HEAD", "--"];
  const listed = (await git(root, [...args, ...paths], signal))?.toString("utf8");
  return listed?.split("\0").filter((path) => path !== "");
}

/** The stored content, without any conversion. */
export function readBlob(root: string, blob: string, signal?: AbortSignal): Promise<Buffer | undefined> {
  return git(root, ["cat-file", "blob", blob], signal);
}
