import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";

const QUIET_MS = 50;
const POLL_MS = 2_000;

/** Same signature as `fs.watch`. */
export type Watch = (
  path: string,
  options: { readonly persistent: false },
  listener: (event: string, name: string | null) => void,
) => Pick<FSWatcher, "close" | "on" | "unref">;

/**
 * Calls back when a folder below the workspace changes, even if it is created later. Without system support it calls
 * back every two seconds. Never keeps the process alive.
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
    // A save triggers several events; the file is complete after the last one.
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
    // Repeated, because the next folder may have been created meanwhile.
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

/** The workspace and every folder down to the target. */
function foldersOn(workspace: string, folder: string): readonly string[] {
  const target = join(workspace, folder);
  const steps: string[] = [];
  for (let at = target; at !== workspace && at !== dirname(at); at = dirname(at)) steps.unshift(at);
  return [workspace, ...steps];
}

/** The deepest existing folder, and the name of the next one below it. */
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
