import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, relative, resolve } from "node:path";
import type { Filesystem } from "../../../base/ports/filesystem.ts";
import type { ToolCall } from "../../../base/words/call.ts";
import type { PathFact } from "../../../base/words/facts.ts";
import type { Json } from "../../../base/words/json.ts";
import { describeLoss } from "../files/describe-loss.ts";
import { uncommittedFacts } from "../files/uncommitted-work.ts";
import { workspaceState } from "../files/workspace-state.ts";
import { repositoryFacts } from "../repository/repository-facts.ts";
import { diskFiles } from "../repository/repository-files.ts";
import { isMissing, resolvePath } from "../workspace/resolve-path.ts";

/**
 * This machine's files (POSIX). Paths resolve as the system would: each symlink, also a dangling one, is followed
 * before the `..` after it. Rejects on a NUL byte, a symlink loop and an unreadable folder. `temporary`: the session may use
 * the machine's temporary files, unless its own workspace is one of them. Not for sessions of several people.
 */
export function nodeFilesystem(root: string, { temporary = false }: { readonly temporary?: boolean } = {}): Filesystem {
  const absoluteRoot = resolve(root);
  let pinned: string | undefined;

  /** Pinned once it exists: if the root is later replaced by a symlink, its target does not count as inside. */
  async function realRoot(): Promise<string> {
    if (pinned !== undefined) return pinned;
    const resolved = await resolvePath(absoluteRoot);
    if ((await describe(resolved)).exists) pinned = resolved;
    return resolved;
  }

  async function look(path: string, signal?: AbortSignal): Promise<PathFact> {
    signal?.throwIfAborted();
    if (path.includes("\0")) throw new Error(`invalid path, it contains a NUL byte: ${JSON.stringify(path)}`);
    const home = await realRoot();
    const given = absolute(absoluteRoot, path);
    const resolved = await resolvePath(given);
    // A tool may normalise `a/link/../b` to `a/b` before opening it, so both forms must be inside.
    const tidied = given.includes("..") ? await resolvePath(resolve(given)) : resolved;
    signal?.throwIfAborted();
    const inside = isUnder(home, resolved) && isUnder(home, tidied);
    const isTemporary = temporary && !isInTemporary(home) && isInTemporary(resolved) && isInTemporary(tidied);
    const shown = shownAs(tidied === resolved ? resolve(given) : resolved, inside ? [absoluteRoot, home] : [], path);
    return {
      resolved,
      inside,
      ...(await describe(resolved)),
      ...(shown === path ? {} : { shown }),
      ...(isTemporary ? { temporary: true } : {}),
    };
  }

  return {
    root: absoluteRoot,
    look,
    loss: async (call, signal) => describeLoss(await realRoot(), await underRealRoot(call), signal),
    workspace: async (signal) => workspaceState(await realRoot(), signal),
    repository: async (call, facts) => ({
      ...(await repositoryFacts(diskFiles, absoluteRoot, call, facts)),
      ...(await uncommittedFacts(await realRoot(), await underRealRoot(call), facts)),
    }),
  };

  /** Git names files by their real paths. */
  async function underRealRoot(call: ToolCall): Promise<ToolCall> {
    const home = await realRoot();
    if (home === absoluteRoot) return call;
    const moved = (path: Json) =>
      isUnder(absoluteRoot, `${path}`) ? `${home}${`${path}`.slice(absoluteRoot.length)}` : path;
    const effects = call.effects?.map(({ args, ...effect }) => ({
      ...effect,
      args: Array.isArray(args.paths) ? { ...args, paths: args.paths.map(moved) } : args,
    }));
    return { ...call, effects };
  }
}

/** Joined as text: `path.join` would remove `..` before the symlinks in front of it are resolved. */
function absolute(root: string, path: string): string {
  if (path === "~" || path.startsWith("~/")) return `${homedir()}${path.slice(1)}`;
  return isAbsolute(path) ? path : `${root}/${path}`;
}

/** The path from the first of the folders that it is in. A final slash stays. */
function shownAs(path: string, folders: readonly string[], given: string): string {
  const root = folders.find((folder) => isUnder(folder, path));
  const shown = root === undefined ? path : relative(root, path) || ".";
  return given.endsWith("/") && shown !== "/" ? `${shown}/` : shown;
}

const TEMPORARY = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders"];

function isInTemporary(path: string): boolean {
  return TEMPORARY.some((folder) => isUnder(folder, path));
}

function isUnder(root: string, path: string): boolean {
  return path === root || path.startsWith(root === "/" ? "/" : `${root}/`);
}

async function describe(resolved: string): Promise<Pick<PathFact, "exists" | "version">> {
  try {
    const found = await stat(resolved, { bigint: true });
    if (!found.isFile()) return { exists: true };
    return { exists: true, version: `${found.mtimeNs}-${found.size}-${found.ino}` };
  } catch (error) {
    if (isMissing(error)) return { exists: false };
    throw error;
  }
}
