import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { wellFormed } from "../../../base/kernel/text.ts";
import type { UserAgent } from "../../../base/words/hosting/instructions.ts";
import { StoreError } from "./store-error.ts";

/** Two names as one key. */
export function keyOf(first: string, second: string): string {
  return sha256(pairOf(first, second));
}

/** The owner of a row: a key to find it, and the names for people. */
export function ownerOf({ user, agent }: UserAgent): { readonly owner: string; readonly owner_name: string } {
  return { owner: keyOf(user, agent), owner_name: pairOf(user, agent) };
}

/** The key for a name: the name itself if it is short and plain, so that people can read it, else its hash. */
export function nameKey(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? name : sha256(JSON.stringify(name));
}

/** The text as a database can store it. Throws for NUL, which PostgreSQL cannot store. */
export function keepable(text: string, what: string): string {
  if (text.includes("\0")) throw new Error(`${what} contains a NUL character; remove it`);
  return wellFormed(text);
}

function pairOf(first: string, second: string): string {
  return JSON.stringify([first, second]);
}

/** The parsed text, or `otherwise` if it is not JSON. */
export function readJson<T, O = undefined>(text: string, otherwise?: O): T | O {
  try {
    return JSON.parse(text) as T;
  } catch {
    return otherwise as O;
  }
}

/** In parts, because both databases limit how many values a statement may have (SQLite: 32,766). */
export function* chunks<T>(all: readonly T[], size = 500): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

/** JSON that we wrote ourselves; anything else means that the store is damaged. */
export function readBody<T>(body: string, what: string): T {
  try {
    return JSON.parse(body) as T;
  } catch (error) {
    throw new StoreError(
      "STORE_DAMAGED",
      `${what} is damaged: it is not JSON`,
      "Restore the store from a backup.",
      error,
    );
  }
}

/** The first row, converted; `undefined` if there is none. */
export async function firstOf<R, T>(
  query: { executeTakeFirst(): Promise<R | undefined> },
  convert: (row: R) => T | Promise<T>,
): Promise<T | undefined> {
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : convert(row);
}

/** Runs a statement for one row. Returns false if it wrote nothing. */
export async function didWrite(write: {
  executeTakeFirstOrThrow(): Promise<{ readonly numInsertedOrUpdatedRows?: bigint; readonly numUpdatedRows?: bigint }>;
}): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted, numUpdatedRows: updated } = await write.executeTakeFirstOrThrow();
  return (inserted ?? updated) === 1n;
}

/** Can both databases store this version number? Versions start at 1. */
export function isVersion(version: number): boolean {
  return Number.isSafeInteger(version) && version >= 1 && version < 2 ** 31;
}
