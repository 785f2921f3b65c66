import { rmSync } from "node:fs";
import { join } from "node:path";
import { createKeyFile, readKeyFile } from "./key-file.ts";

/**
 * The key under which secrets are hashed in the journal. It is derived from the store's data key. Homes of before have a
 * `journal.key` next to the data: it is moved to the key folder and used from there, so that equal secrets stay equal.
 */
export function journalKey(
  old: string,
  keys: { readonly folder: string; readonly id: string },
  derived: Uint8Array,
): Uint8Array {
  const moved = join(keys.folder, `${keys.id}.journal.key`);
  const kept = readKeyFile(moved);
  if (kept !== undefined) return kept;
  const before = readKeyFile(old);
  if (before === undefined) return derived;
  move(before, old, moved);
  return before;
}

/** Where the folder cannot be written the key stays where it is. The old file goes when the new one can be read. */
function move(key: Buffer, old: string, moved: string): void {
  try {
    createKeyFile(moved, key);
    if (readKeyFile(moved)?.equals(key) === true) rmSync(old);
  } catch {
    // It is tried again at the next start.
  }
}
