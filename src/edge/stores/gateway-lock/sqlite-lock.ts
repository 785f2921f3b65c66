import { chmodSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fieldOf } from "../sql/store-error.ts";
import type { LockDriver } from "./gateway-lock.ts";
import { readRunning, writeRunning } from "./running-gateway.ts";

const SQLITE_BUSY = 5;

/**
 * A lock file next to the real database file, so that links and other homes lead to the same lock. SQLite locks it
 * with the operating system's file locks: they end with the process, and child processes do not inherit them. Nothing
 * else in this process may open the file, because closing any handle on it would drop the lock.
 */
export function sqliteLock(file: string): LockDriver {
  let held: { readonly database: DatabaseSync; readonly ino: number; readonly dev: number } | undefined;
  let remove: () => void = () => undefined;

  function close(): void {
    held?.database.close();
    held = undefined;
  }

  return {
    async take() {
      close();
      const lock = lockFileOf(file);
      mkdirSync(dirname(lock), { recursive: true, mode: 0o700 });
      const database = new DatabaseSync(lock, { timeout: 0 });
      try {
        chmodSync(lock, 0o600);
        database.exec("pragma journal_mode = off; begin exclusive");
      } catch (error) {
        database.close();
        if (fieldOf(error, "errcode") === SQLITE_BUSY) return false;
        throw error;
      }
      const { ino, dev } = statSync(lock);
      held = { database, ino, dev };
      return true;
    },
    async isHeld() {
      const now = statSync(lockFileOf(file), { throwIfNoEntry: false });
      return held !== undefined && now?.ino === held.ino && now.dev === held.dev;
    },
    // A file lock is never revoked; `isHeld` notices a removed file.
    onLost: () => undefined,
    readHolder: async () => readRunning(folderOf(file)),
    async writeHolder(holder) {
      remove = writeRunning(folderOf(file), holder);
    },
    async release() {
      try {
        if (held !== undefined) remove();
      } finally {
        close();
      }
    },
  };
}

function lockFileOf(file: string): string {
  return join(folderOf(file), "run", "gateway.lock");
}

/** The folder of the real file, even if the file does not exist yet. */
function folderOf(file: string): string {
  const path = resolve(file);
  try {
    return dirname(realpathSync(path));
  } catch {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return dirname(join(realpathSync(dirname(path)), basename(path)));
  }
}
