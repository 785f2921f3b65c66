import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";

const QUIET_MS = 50;
const POLL_MS = 2_000;

/** As `fs.watch` is. */
export type Watch = (
  path: string,
  options: { readonly persistent: false },
  listener: (event: string, name: string | null) => void,
) => Pick<FSWatcher, "close" | "on" | "unref">;

/**
 * Tells when something changes in a folder below the workspace, also one that comes later. Where the system cannot tell,
 * it says so every two seconds. Never keeps the process alive.
 */
export function watchFolder(
  workspace: string,
  folder: string,
  changed: () => void,
  watcher: Watch = watch,
  pollMs: number = POLL_MS,
): () => void {
  const steps = foldersOn(workspace, folder);
  let watched: { readonly key: string; close(): void } | undefined;
  let quiet: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;
  let closed = false;

  const tell = () => {
    clearTimeout(quiet);
    // A save is several events; the file is whole when they are over.
    quiet = setTimeout(() => {
      arm();
      changed();
    }, QUIET_MS).unref();
  };
  const giveUp = () => {
    watched?.close();
    watched = undefined;
    poll ??= setInterval(changed, pollMs).unref();
  };
  const arm = () => {
    if (closed || poll !== undefined) return;
    // Once more, because the next folder may have come while this one was being watched.
    for (let rounds = 0; rounds < 3; rounds++) {
      const at = deepest(steps);
      if (at === undefined) return giveUp();
      if (watched?.key === at.key) return;
      watched?.close();
      watched = undefined;
      try {
        const next = watcher(at.path, { persistent: false }, (_, name) => {
          if (at.wanted === undefined || name === null || name === at.wanted) tell();
        });
        next.on("error", giveUp);
        next.unref();
        watched = { key: at.key, close: () => next.close() };
      } catch {
        return giveUp();
      }
    }
  };
  arm();
  return () => {
    closed = true;
    clearTimeout(quiet);
    clearInterval(poll);
    watched?.close();
  };
}

/** The workspace, and every folder from there to the one that is meant. */
function foldersOn(workspace: string, folder: string): readonly string[] {
  const target = join(workspace, folder);
  const steps: string[] = [];
  for (let at = target; at !== workspace && at !== dirname(at); at = dirname(at)) steps.unshift(at);
  return [workspace, ...steps];
}

/** The last of them that exists, and which name in it would be the next. */
function deepest(steps: readonly string[]): { path: string; key: string; wanted?: string } | undefined {
  for (let at = steps.length - 1; at >= 0; at--) {
    const path = steps[at] ?? "";
    const found = folderAt(path);
    if (found === undefined) continue;
    const next = steps[at + 1];
    return {
      path,
      key: `${path}:${found.dev}:${found.ino}`,
      wanted: next === undefined ? undefined : basename(next),
    };
  }
  return undefined;
}

function folderAt(path: string) {
  try {
    const found = statSync(path);
    return found.isDirectory() ? found : undefined;
  } catch {
    return undefined;
  }
}
