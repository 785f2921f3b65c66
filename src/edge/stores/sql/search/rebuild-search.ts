import { sql } from "kysely";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { Json } from "../../../../base/words/json.ts";
import { contractHashOf } from "../../../../engine/journal/session-figures.ts";
import type { Seal } from "../../seal/seal.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import { eventWords, governanceWords } from "../../search-words.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { readJson } from "../values.ts";
import { noteIndex } from "./note-index.ts";
import {
  dropWords,
  EVENT_WORDS_GONE,
  INDEXES,
  type Indexed,
  makeWords,
  type WordsOf,
  wordIndex,
} from "./word-index.ts";

const PAGE = 500;

/** Indexes all rows up to `until`, page by page. Returns their number. */
export async function fillWords(db: SqlDatabase, kind: SqlKind, of: WordsOf, until?: number): Promise<number> {
  const index = wordIndex(kind, of);
  let filled = 0;
  for (let after = 0; ; ) {
    const rows = await pageOf(db, of, after, until);
    await index.fill(db, rows);
    filled += rows.length;
    after = rows.at(-1)?.row ?? after;
    if (rows.length < PAGE) return filled;
  }
}

type Row = { readonly key: number; readonly text: string; readonly by: string; readonly kind: string };

/** The columns of each table that give the words of a row. */
const SOURCES = {
  governance: {
    columns: sql`seq as key, body as text, "by", kind`,
    words: ({ text, by, kind }: Row) => governanceWords({ by, kind, body: readJson<Json, Json>(text, [text]) }),
  },
  events: {
    columns: sql`position as key, event as text`,
    words: ({ text }: Row) => eventWords(readJson(text, [text]) as ConductEvent),
  },
};

async function pageOf(db: SqlDatabase, of: WordsOf, after: number, until?: number): Promise<readonly Indexed[]> {
  const [table, key] = [sql.table(INDEXES[of].table), sql.ref(INDEXES[of].key)];
  const { columns, words } = SOURCES[of];
  const upTo = until === undefined ? sql`` : sql`and ${key} <= ${until}`;
  const { rows } = await sql<Row>`select ${columns} from ${table} where ${key} > ${after} ${upTo}
    order by ${key} limit ${PAGE}`.execute(db);
  return rows.map((row) => ({ row: row.key, words: words(row) }));
}

/** Sets the contract column of every stored prompt. */
export async function fillContracts(db: SqlDatabase): Promise<void> {
  for (let after = 0; ; ) {
    const prompts = db
      .selectFrom("conduct_events")
      .select(["position", "event", "contract"])
      .where("type", "=", "prompt");
    const rows = await prompts.where("position", ">", after).orderBy("position").limit(PAGE).execute();
    for (const { position, event, contract } of rows) {
      const told = contractHashOf(readJson(event, [event]) as ConductEvent) ?? null;
      if (told === contract) continue;
      await sql`update conduct_events set contract = ${told} where position = ${position}`.execute(db);
    }
    after = rows.at(-1)?.position ?? after;
    if (rows.length < PAGE) return;
  }
}

/** The number of rows that were indexed. */
export type SearchRebuilt = { readonly governance: number; readonly events: number; readonly notes: number };

/**
 * Recreates the word indexes, even if they are damaged. Others may read and write meanwhile: new rows are indexed as
 * usual, and searches find the rows indexed so far.
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
    // Writing is faster without the index, and searching works without it.
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

/** Rows after this one are indexed by their writers, and events by their follower. */
async function lastOf(db: SqlDatabase, of: WordsOf): Promise<number> {
  const newest =
    of === "events"
      ? sql<{ last: number }>`select position as last from conduct_projections where name = 'events'`
      : sql<{ last: number | null }>`select max(seq) as last from conduct_governance`;
  return (await newest.execute(db)).rows[0]?.last ?? 0;
}

/** Rebuilds the index of notes in this transaction, because notes are few. Returns their number. */
export async function rebuildNotes(trx: SqlDatabase, kind: SqlKind, seal: Seal): Promise<number> {
  const index = noteIndex(kind, seal);
  await index.clear(trx);
  const notes = await trx.selectFrom("conduct_notes").select(["seq", "owner", "text_hash", "text"]).execute();
  for (const { seq, owner, text_hash: hash, text } of notes)
    await index.fill(trx, seq, owner, seal.open("conduct_notes.text", [owner, hash], text));
  return notes.length;
}
