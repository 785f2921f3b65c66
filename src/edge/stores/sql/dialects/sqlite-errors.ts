import { errorText } from "../../../../base/kernel/error-text.ts";
import { fieldOf, StoreError } from "../store-error.ts";

/** Explains errors of SQLite and the file system for this file. Returns other errors unchanged. */
export function explainSqlite(file: string): (error: unknown) => unknown {
  return (error) => {
    if (error instanceof StoreError) return error;
    if (errorText(error).includes("destroyed") || errorText(error).includes("database is not open")) {
      return new StoreError("STORE_CLOSED", `The store ${file} was closed`, "Open it again.", error);
    }
    const code = fieldOf(error, "errcode");
    if (code === CORRUPT_INDEX) return searchDamaged(file, error);
    if (typeof code === "number") return explainResult(file, code & 0xff, error);
    const system = fieldOf(error, "code");
    return typeof system === "string" && /^E[A-Z]+$/.test(system) ? explainSystem(file, system, error) : error;
  };
}

/** `SQLITE_CORRUPT_VTAB`. Our only virtual tables are the word indexes. */
const CORRUPT_INDEX = 267;

function searchDamaged(file: string, error: unknown): StoreError {
  const what = `The index of words in the store ${file} is damaged; nothing was changed`;
  return new StoreError("STORE_DAMAGED", what, "Make it anew: conduct journal rebuild", error);
}

/** The primary result codes of https://sqlite.org/rescode.html. */
function explainResult(file: string, code: number, error: unknown): unknown {
  switch (code) {
    case 1:
      // Opening creates every table, so a missing one was removed.
      return /^no such table/.test(errorText(error)) ? damaged(file, error) : error;
    case 5:
    case 6:
      return new StoreError(
        "STORE_BUSY",
        `The store ${file} is in use: another process has kept it locked for 5 seconds`,
        "Try again; if it stays so, end that process.",
        error,
      );
    case 8:
      return readOnly(file, error);
    case 10:
      return unavailable(file, `the disk failed (${errorText(error)})`, error);
    case 11:
      return damaged(file, error);
    case 13:
      return full(file, error);
    case 14:
      return unavailable(file, errorText(error), error);
    case 26:
      return new StoreError(
        "STORE_FOREIGN",
        `${file} is not a database`,
        "Name another file, or move this one away.",
        error,
      );
    default:
      return error;
  }
}

function damaged(file: string, error: unknown): StoreError {
  const what = `The store ${file} is damaged (${errorText(error)}); nothing in it was changed`;
  const fix = "Put back a copy of it, or move it away to begin with an empty one.";
  return new StoreError("STORE_DAMAGED", what, fix, error);
}

function explainSystem(file: string, code: string, error: unknown): StoreError {
  if (code === "EROFS") return readOnly(file, error);
  if (code === "ENOSPC" || code === "EDQUOT") return full(file, error);
  return unavailable(file, errorText(error), error);
}

function unavailable(file: string, why: string, error: unknown): StoreError {
  const fix = "Check that the folder is there and that this account may write in it.";
  return new StoreError("STORE_UNAVAILABLE", `The store ${file} cannot be opened or used: ${why}`, fix, error);
}

function readOnly(file: string, error: unknown): StoreError {
  const fix = "Give this account the right to write the file and its folder, or name another file.";
  return new StoreError("STORE_READ_ONLY", `The store ${file} can be read but not written`, fix, error);
}

function full(file: string, error: unknown): StoreError {
  const what = `The disk of the store ${file} is full; nothing of this was kept`;
  return new StoreError("STORE_FULL", what, "Make room and try again.", error);
}
