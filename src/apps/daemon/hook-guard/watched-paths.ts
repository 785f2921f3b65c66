import { type FSWatcher, lstatSync, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { stampOf } from "../../../edge/host/workspace/file-stamp.ts";

/** Detects changes of existing and missing files: by stamp on request, and by system watches on their folders. */
export class WatchedPaths {
  readonly #stamps = new Map<string, string>();
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed: () => void;

  /** `changed` is called soon after a file that was `seen` has changed, or any file came or went in its folder. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Paths whose stamp differs from the last `seen`; the first time all of them. */
  changed(paths: Iterable<string>): readonly string[] {
    return [...paths].filter((path) => this.#stamps.get(path) !== stampAt(path));
  }

  /** Remembers the file's current stamp. Call it before reading, so that a later change is detected. */
  seen(path: string): void {
    this.#stamps.set(path, stampAt(path));
    this.#watchFolder(dirname(path));
  }

  /** Makes the next check report the path as changed. */
  forget(path: string): void {
    this.#stamps.delete(path);
  }

  /** Retries failed watches and drops those of deleted folders. */
  rewatch(): void {
    for (const path of this.#stamps.keys()) this.#watchFolder(dirname(path));
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watchFolder(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        // Every decision writes the store, which is in the same folder as the files that are watched.
        if (event === "change" && name !== null && !this.#stamps.has(join(folder, name))) return;
        // The watch follows a folder that was moved away: watch the old path again.
        if (event === "rename") {
          this.#drop(folder);
          this.#watchFolder(folder);
        }
        this.#changed();
      });
      watcher.on("error", () => this.#drop(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // The folder does not exist or the system is out of watches: stamps still detect changes.
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}

/** The stamp of the file and of a link to it. */
function stampAt(path: string): string {
  try {
    const link = lstatSync(path, { throwIfNoEntry: false, bigint: true });
    if (link === undefined) return "-";
    const file = link.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false, bigint: true }) : undefined;
    return `${stampOf(link)} ${file === undefined ? "" : stampOf(file)}`;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "?";
  }
}
