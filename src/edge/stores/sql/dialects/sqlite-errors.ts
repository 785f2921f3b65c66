import { errorText } from "../../../../base/kernel/error-text.ts";
import { fieldOf, StoreError, type StoreErrorCode } from "../store-error.ts";

/** `SQLITE_CORRUPT_VTAB`. Our only virtual tables are the word indexes. */
const CORRUPT_INDEX = 267;

/** Node's error codes as the primary result codes of SQLite; any other one means that the file cannot be used. */
const SYSTEM: Readonly<Record<string, number>> = { EROFS: 8, ENOSPC: 13, EDQUOT: 13 };

/** Explains errors of SQLite (https://sqlite.org/rescode.html) and the file system. Returns other errors unchanged. */
export function explainSqlite(file: string): (error: unknown) => unknown {
  return (error) => {
    if (error instanceof StoreError) return error;
    const [result, system, text] = [fieldOf(error, "errcode"), fieldOf(error, "code"), errorText(error)];
    const is = (kind: StoreErrorCode, what: string, fix: string) => new StoreError(kind, what, fix, error);
    const store = `The store ${file}`;
    if (/destroyed|database is not open/.test(text)) return is("STORE_CLOSED", `${store} was closed`, "Open it again.");
    if (result === CORRUPT_INDEX) {
      const what = `The word index of the store ${file} is damaged; nothing was changed`;
      return is("STORE_DAMAGED", what, "Rebuild it with: conduct journal rebuild");
    }
    const isSystem = typeof system === "string" && /^E[A-Z]+$/.test(system);
    switch (typeof result === "number" ? result & 0xff : isSystem ? (SYSTEM[system] ?? 14) : undefined) {
      case 5:
      case 6: {
        const what = `${store} is in use: another process has locked it for 5 seconds`;
        return is("STORE_BUSY", what, "Try again. If it stays locked, end that process.");
      }
      case 8: {
        const fix = "Give this account the right to write the file and its folder, or name another file.";
        return is("STORE_READ_ONLY", `${store} can be read but not written`, fix);
      }
      case 1:
        // Opening creates every table, so a missing one was removed.
        return /^no such table/.test(text) ? damagedFile(file, text, error) : error;
      case 11:
        return damagedFile(file, text, error);
      case 13:
        return is(
          "STORE_FULL",
          `The disk of the store ${file} is full; nothing was saved`,
          "Free some space, then retry.",
        );
      case 10:
      case 14: {
        const fix = "Check that the folder exists and that this account may write to it.";
        return is("STORE_UNAVAILABLE", `${store} cannot be opened or used: ${text}`, fix);
      }
      case 26:
        return is("STORE_FOREIGN", `${file} is not a database`, "Name another file, or move this one away.");
      default:
        return error;
    }
  };
}

function damagedFile(file: string, why: string, cause?: unknown): StoreError {
  const fix = "Restore it from a backup, or move it away to start with an empty one.";
  return new StoreError(
    "STORE_DAMAGED",
    `The store ${file} is damaged (${why}); nothing in it was changed`,
    fix,
    cause,
  );
}
