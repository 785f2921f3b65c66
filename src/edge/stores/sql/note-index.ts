import { type RawBuilder, sql } from "kysely";
import { queryWords, wordsOf } from "../notes-words.ts";
import { plainWord } from "../search-words.ts";
import type { SqlDatabase, SqlKind } from "./tables.ts";
import { fts5 } from "./word-index.ts";

/** Enough for a note of many pages. */
const MAX_WORDS = 5_000;
const MAX_QUERY_WORDS = 64;

export type NoteHit = { readonly seq: number; readonly at: number };

/** Finds an owner's notes by the beginning of a word. Each word stands in the index behind its owner: others' are not even looked at. */
export type NoteIndex = {
  /** What a note's row has besides. */
  readonly columns: (owner: string, text: string) => { readonly words?: RawBuilder<string> };
  readonly add: (db: SqlDatabase, seq: number, owner: string, text: string) => Promise<void>;
  /** Of a note that was taken out, in the same transaction. */
  readonly remove: (db: SqlDatabase, seq: number) => Promise<void>;
  /** Made anew with nothing in it, whatever state it is in; `fill` is then called for every note. */
  readonly clear: (db: SqlDatabase) => Promise<void>;
  readonly fill: (db: SqlDatabase, seq: number, owner: string, text: string) => Promise<void>;
  readonly find: (db: SqlDatabase, owner: string, word: string) => Promise<readonly NoteHit[]>;
};

/** FTS5 or tsvector, over words as `notes-words.ts` has them. */
export function noteIndex(kind: SqlKind): NoteIndex {
  return kind === "sqlite" ? FTS5 : TSVECTOR;
}

/** The words of a query that are looked for. */
export function wordsSought(text: string): readonly string[] {
  return queryWords(text).slice(0, MAX_QUERY_WORDS);
}

const insert: NoteIndex["add"] = async (db, seq, owner, text) => {
  const words = entriesOf(owner, text).join(" ");
  await sql`insert into conduct_note_words (rowid, words) values (${seq}, ${words})`.execute(db);
};

const FTS5: NoteIndex = {
  columns: () => ({}),
  add: insert,
  async remove(db, seq) {
    await sql`delete from conduct_note_words where rowid = ${seq}`.execute(db);
  },
  fill: insert,
  async clear(db) {
    await sql`drop table if exists conduct_note_words`.execute(db);
    await fts5("conduct_note_words").execute(db);
  },
  async find(db, owner, word) {
    const { rows } = await sql<NoteHit>`select n.seq, n.at from conduct_note_words w
      join conduct_notes n on n.seq = w.rowid
      where conduct_note_words match ${`"${entryOf(owner, word)}"*`} and n.owner = ${owner}`.execute(db);
    return rows;
  },
};

const TSVECTOR: NoteIndex = {
  columns: (owner, text) => ({ words: sql`array_to_tsvector(${entriesOf(owner, text)}::text[])` }),
  async add() {},
  async remove() {},
  async fill(db, seq, owner, text) {
    const words = sql`array_to_tsvector(${entriesOf(owner, text)}::text[])`;
    await sql`update conduct_notes set words = ${words} where seq = ${seq}`.execute(db);
  },
  async clear(db) {
    await sql`drop index if exists conduct_note_words`.execute(db);
    await sql`create index conduct_note_words on conduct_notes using gin (words)`.execute(db);
  },
  async find(db, owner, word) {
    const { rows } = await sql<NoteHit>`select seq, at from conduct_notes
      where words @@ ${`'${entryOf(owner, word)}':*`}::tsquery and owner = ${owner}`.execute(db);
    return rows;
  },
};

function entriesOf(owner: string, text: string): readonly string[] {
  return [...new Set(wordsOf(text))].slice(0, MAX_WORDS).map((word) => entryOf(owner, word));
}

function entryOf(owner: string, word: string): string {
  return owner.slice(0, 16) + plainWord(word);
}
