import { type FSWatcher, lstatSync, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { stampOf } from "../../../edge/host/workspace/file-stamp.ts";

/** Notices changes of files, whether they exist or not: by stamp when asked, and by the system's own watch of their folders. */
export class WatchedPaths {
  readonly #stamps = new Map<string, string>();
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed: () => void;

  /** `changed` is called soon after something in a watched folder has changed; it may be none of the files. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Those whose stamp is another than at the last `seen`; the first time all of them. */
  changed(paths: Iterable<string>): readonly string[] {
    return [...paths].filter((path) => this.#stamps.get(path) !== stampAt(path));
  }

  /** Remembers the file as it is now. Call it before reading, so that a later change shows. */
  seen(path: string): void {
    this.#stamps.set(path, stampAt(path));
    this.#watchFolder(dirname(path));
  }

  /** The next look takes it for changed. */
  forget(path: string): void {
    this.#stamps.delete(path);
  }

  /** Watches again what could not be watched, and forgets folders that are gone. */
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
      const watcher = watch(folder, { persistent: false }, (event) => {
        // A folder that was moved away goes on being watched where it is now: begin anew at the old place.
        if (event === "rename") {
          this.#drop(folder);
          this.#watchFolder(folder);
        }
        this.#changed();
      });
      watcher.on("error", () => this.#drop(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // It does not exist, or the system has no watches left: stamps are compared all the same.
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}

/** Of the file and of a link that leads to it. */
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
