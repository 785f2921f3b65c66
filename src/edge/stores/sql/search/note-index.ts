import { type RawBuilder, sql } from "kysely";
import type { Seal } from "../../seal/seal.ts";
import { plainWord, queryWords, wordsOf } from "../../search-words.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { fts5 } from "./word-index.ts";

/** Enough for a note of many pages. */
const MAX_WORDS = 5_000;
/** Prefixes of words; PostgreSQL accepts at most 1 MB of entries. */
const MAX_ENTRIES = 40_000;
const ENTRY_DIGITS = 16;
const MAX_QUERY_WORDS = 64;

export type NoteHit = { readonly seq: number; readonly at: number };

/**
 * Finds an owner's notes by word prefixes. The index contains keyed hashes of every prefix with its owner, so it only
 * shows that two notes of one owner share a prefix.
 */
export type NoteIndex = {
  /** Additional columns of a note's row. */
  readonly columns: (owner: string, text: string) => { readonly words?: RawBuilder<string> };
  readonly add: (db: SqlDatabase, seq: number, owner: string, text: string) => Promise<void>;
  /** Call it in the transaction that deletes the note. */
  readonly remove: (db: SqlDatabase, seq: number) => Promise<void>;
  /** Recreates the index without entries, even if it is damaged. Then call `fill` for every note. */
  readonly clear: (db: SqlDatabase) => Promise<void>;
  readonly fill: (db: SqlDatabase, seq: number, owner: string, text: string) => Promise<void>;
  readonly find: (db: SqlDatabase, owner: string, word: string) => Promise<readonly NoteHit[]>;
};

/** FTS5 or tsvector over the words of `search-words.ts`. */
export function noteIndex(kind: SqlKind, seal: Seal): NoteIndex {
  const entryOf = (owner: string, beginning: string) =>
    seal.hash("word", JSON.stringify([owner, beginning])).slice(0, ENTRY_DIGITS);
  const entriesOf = (owner: string, text: string) => beginningsOf(text).map((beginning) => entryOf(owner, beginning));
  return kind === "sqlite" ? inFts5(entriesOf, entryOf) : inTsvector(entriesOf, entryOf);
}

/** The words of a query that are searched for. */
export function wordsSought(text: string): readonly string[] {
  return queryWords(text).slice(0, MAX_QUERY_WORDS);
}

/** Finds equal notes of one owner. */
export function noteHash(seal: Seal, text: string): string {
  return KEYED + seal.hash("note", text);
}

/** Hashes from before sealing have no key and no mark. */
export function isKeyedHash(hash: string): boolean {
  return hash.startsWith(KEYED);
}

/** No hex digit. */
const KEYED = "k";

type EntriesOf = (owner: string, text: string) => readonly string[];
type EntryOf = (owner: string, beginning: string) => string;

function inFts5(entriesOf: EntriesOf, entryOf: EntryOf): NoteIndex {
  const insert: NoteIndex["add"] = async (db, seq, owner, text) => {
    const words = entriesOf(owner, text).join(" ");
    await sql`insert into conduct_note_words (rowid, words) values (${seq}, ${words})`.execute(db);
  };
  return {
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
        where conduct_note_words match ${`"${entryOf(owner, plainWord(word))}"`} and n.owner = ${owner}`.execute(db);
      return rows;
    },
  };
}

function inTsvector(entriesOf: EntriesOf, entryOf: EntryOf): NoteIndex {
  return {
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
        where words @@ ${`'${entryOf(owner, plainWord(word))}'`}::tsquery and owner = ${owner}`.execute(db);
      return rows;
    },
  };
}

function beginningsOf(text: string): readonly string[] {
  const beginnings = new Set<string>();
  for (const word of [...new Set(wordsOf(text))].slice(0, MAX_WORDS)) {
    let beginning = "";
    for (const letter of plainWord(word)) {
      beginning += letter;
      beginnings.add(beginning);
    }
    if (beginnings.size >= MAX_ENTRIES) break;
  }
  return [...beginnings];
}
