import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { syncFolder } from "../../../host/workspace/own-files.ts";
import { fieldOf, StoreError } from "../store-error.ts";

/** Not imported, because loading all of `node:fs` takes as long as opening and reading the file. */
const { accessSync, chmodSync, closeSync, constants, linkSync, mkdirSync, openSync, rmSync, statSync } =
  process.getBuiltinModule("node:fs");

/** `COND`: marks our database files. */
const APPLICATION = 0x434f4e44;
/** How long a statement may block the thread while another process has the lock. */
const BLOCKING_MS = 50;
/** Of a new file. A commit writes every touched page whole, and most rows of a turn are a few hundred bytes. */
const PAGE_BYTES = 1_024;
/** A page that is written again and again is copied to the file once for so many bytes of the log. */
const CHECKPOINT_BYTES = 16_384_000;
/** The smallest page, and so the smallest file, of SQLite. */
const SMALLEST = 512;

/**
 * An open database file; `identity` is the same for every connection to it. `assertInPlace` throws if the file was
 * removed or replaced, because writes would then be lost.
 */
export type SqliteFile = {
  readonly database: DatabaseSync;
  readonly identity: string;
  readonly assertInPlace: () => void;
};

/** Opens the store's file for this account only, and creates it if needed. A commit is on disk, except a light one. */
export function openSqliteFile(file: string): SqliteFile {
  if (!isThere(file)) makeFile(file);
  const { size, dev, ino, mode } = statSync(file);
  if (size < SMALLEST) {
    const fix = "Restore it from a backup, or move it away to start with an empty one.";
    throw new StoreError("STORE_DAMAGED", `The store ${file} is damaged: it was cut off at ${size} bytes`, fix);
  }
  assertWritable(file);
  if ((mode & 0o077) !== 0) chmodSync(file, 0o600);
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    // The first read: a file that is no database, or is cut off, fails here.
    const { application_id: id } = database.prepare("pragma application_id").get() ?? {};
    if (id !== APPLICATION) {
      const fix = "Name another file, or move this one away.";
      throw new StoreError("STORE_FOREIGN", `${file} is a database of another program`, fix);
    }
    database.exec("pragma synchronous = full; pragma journal_size_limit = 67108864; pragma trusted_schema = off");
    const page = Number(database.prepare("pragma page_size").get()?.page_size);
    database.exec(`pragma wal_autocheckpoint = ${Math.floor(CHECKPOINT_BYTES / page)}`);
    // Longer waits are up to the dialect, because SQLite's own would block the thread.
    database.exec(`pragma busy_timeout = ${BLOCKING_MS}`);
  } catch (error) {
    database.close();
    throw error;
  }
  const assertInPlace = () => {
    const now = statSync(file, { throwIfNoEntry: false });
    if (now?.ino === ino && now.dev === dev) return;
    const fix = "Put it back, or restart to use the file that is there now.";
    throw new StoreError("STORE_GONE", `The store ${file} was removed or replaced while it was in use`, fix);
  };
  return { database, identity: `${dev}:${ino}`, assertInPlace };
}

/** A database that ends with this process. */
export function openSqliteMemory(): SqliteFile {
  return { database: new DatabaseSync(":memory:"), identity: randomUUID(), assertInPlace: () => undefined };
}

/**
 * Links the file when it is complete: of processes that start at once one wins, and a short file is always a damaged
 * one.
 */
function makeFile(file: string): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.new`;
  try {
    closeSync(openSync(draft, "wx", 0o600));
    const database = new DatabaseSync(draft, { timeout: 5_000 });
    try {
      // Only an empty file can be told its page size, and to give its free pages back.
      database.exec(`pragma page_size = ${PAGE_BYTES}; pragma auto_vacuum = incremental`);
      database.exec(`pragma journal_mode = wal; pragma application_id = ${APPLICATION}`);
    } finally {
      database.close();
    }
    linkSync(draft, file);
    syncFolder(folder);
  } catch (error) {
    if (fieldOf(error, "code") !== "EEXIST") throw error;
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${draft}${end}`, { force: true });
  }
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function assertWritable(file: string): void {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    const fix = "Give this account the right to read and write it, or name another file.";
    throw new StoreError("STORE_READ_ONLY", `The store ${file} cannot be written`, fix, error);
  }
}
