import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fieldOf } from "./sql/store-error.ts";

const BYTES = 32;

/** The key under which secrets are hashed in the journal: `journal.key` in Conduct's folder, for this account alone; made once. */
export function journalKey(home: string): Uint8Array {
  const file = join(home, "journal.key");
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) make(home, file);
  else if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600);
  const text = readFileSync(file, "utf8").trim();
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, "hex");
  throw new Error(
    `${file} is not a key: it has to hold ${BYTES * 2} hex digits. Put back a copy of it, or remove it to begin with a new one; equal secrets before and after are then no longer known as equal.`,
  );
}

/** Linked when it is complete: of processes that start at once one wins, and no one reads half a key. */
function make(home: string, file: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(8).toString("hex")}.new`;
  try {
    const handle = openSync(draft, "wx", 0o600);
    try {
      writeSync(handle, `${randomBytes(BYTES).toString("hex")}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    linkSync(draft, file);
  } catch (error) {
    if (fieldOf(error, "code") !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
