import type { StoreKeys } from "../seal/store-keys.ts";
import { fillContracts, fillWords } from "./fill-words.ts";
import { rebuildNotes } from "./rebuild-notes.ts";
import type { SqlDatabase, SqlKind } from "./tables.ts";
import { dropWords, EVENT_WORDS_GONE, makeWords, type WordsOf } from "./word-index.ts";

/** How many rows can be found by their words again. */
export type SearchRebuilt = { readonly governance: number; readonly events: number; readonly notes: number };

/**
 * Makes the indexes of words anew, whatever state they are in. Others may read and write meanwhile: their writes are indexed as
 * ever, and searches find what has been taken in so far. One that was broken off is begun again.
 */
export async function rebuildSearch(
  db: SqlDatabase,
  kind: SqlKind,
  keys: Pick<StoreKeys, "seal">,
): Promise<SearchRebuilt> {
  const seal = await keys.seal();
  const governance = await rebuild(db, kind, "governance");
  const events = await rebuild(db, kind, "events");
  await fillContracts(db);
  return { governance, events, notes: await db.transaction().execute((trx) => rebuildNotes(trx, kind, seal)) };
}

async function rebuild(db: SqlDatabase, kind: SqlKind, of: WordsOf): Promise<number> {
  if (kind === "postgres") {
    // Rows are written faster without it, and found without it too.
    await dropWords(db, kind, of);
    const filled = await fillWords(db, kind, of);
    await makeWords(db, kind, of);
    return filled;
  }
  const last = await db.transaction().execute(async (trx) => {
    await dropWords(trx, kind, of);
    await makeWords(trx, kind, of);
    if (of === "events") await EVENT_WORDS_GONE.execute(trx);
    return lastOf(trx, of);
  });
  return fillWords(db, kind, of, last);
}

/** What is written after it is indexed by whoever writes it. */
async function lastOf(db: SqlDatabase, of: WordsOf): Promise<number> {
  const { last } =
    of === "governance"
      ? await db
          .selectFrom("conduct_governance")
          .select((s) => s.fn.max("seq").as("last"))
          .executeTakeFirstOrThrow()
      : await db
          .selectFrom("conduct_events")
          .select((s) => s.fn.max("position").as("last"))
          .executeTakeFirstOrThrow();
  return last ?? 0;
}
