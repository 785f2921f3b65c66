import { type RawBuilder, sql } from "kysely";
import { fts5Query, soughtWords } from "../../search-words.ts";
import { fieldOf } from "../store-error.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { chunks } from "../values.ts";

/** The word index of each table: a virtual table in SQLite, an indexed column in PostgreSQL. */
export const INDEXES = {
  governance: { table: "conduct_governance", key: "seq", words: "conduct_governance_words" },
  events: { table: "conduct_events", key: "position", words: "conduct_event_words" },
} as const;

/** Tables with a word index. */
export type WordsOf = keyof typeof INDEXES;
export type Indexed = { readonly row: number; readonly words: readonly string[] };

/** Finds rows by the prefixes of words (see `search-words.ts`). */
export type WordIndex = {
  /** Additional columns of a row. */
  readonly columns: (words: readonly string[]) => { readonly words?: RawBuilder<string> };
  /** Call it in the transaction that writes the rows. */
  readonly add: (db: SqlDatabase, rows: readonly Indexed[]) => Promise<void>;
  /** The same for existing rows. */
  readonly fill: (db: SqlDatabase, rows: readonly Indexed[]) => Promise<void>;
  readonly matches: (text: string) => RawBuilder<boolean>;
  /** The newest matching rows, or `undefined` where the database cannot stop at so many. */
  readonly newest: (db: SqlDatabase, text: string, limit: number) => Promise<readonly number[] | undefined>;
};

export function wordIndex(kind: SqlKind, of: WordsOf): WordIndex {
  const { table, key, words } = INDEXES[of];
  const matching = kind === "sqlite" ? inFts5 : inTsvector;

  function inFts5(sought: readonly string[]): RawBuilder<boolean> {
    const name = sql.ref(words);
    return sql`${sql.ref(`${table}.${key}`)} in (select rowid from ${name} where ${name} match ${fts5Query(sought)})`;
  }
  function inTsvector(sought: readonly string[]): RawBuilder<boolean> {
    const query = sought.map((word) => `'${word}':*`).join(" & ");
    return sql`${sql.ref(`${table}.words`)} @@ ${query}::tsquery`;
  }
  async function insert(db: SqlDatabase, rows: readonly Indexed[]): Promise<void> {
    for (const some of chunks(rows)) {
      const values = some.map((one) => sql`(${one.row}, ${one.words.join(" ")})`);
      await sql`insert or replace into ${sql.table(words)} (rowid, words) values ${sql.join(values)}`.execute(db);
    }
  }
  async function update(db: SqlDatabase, rows: readonly Indexed[]): Promise<void> {
    const given = JSON.stringify(rows);
    await sql`update ${sql.table(table)} set words = array_to_tsvector(given.words)
      from json_to_recordset(${given}) as given("row" bigint, words text[])
      where ${sql.ref(`${table}.${key}`)} = given."row"`.execute(db);
  }

  return {
    columns: (found) => (kind === "sqlite" ? {} : { words: sql`array_to_tsvector(${found}::text[])` }),
    add: async (db, rows) => (kind === "sqlite" ? insert(db, rows) : undefined),
    fill: kind === "sqlite" ? insert : update,
    matches(text) {
      const sought = soughtWords(text);
      return sought === undefined ? sql`1 = 0` : matching(sought);
    },
    async newest(db, text, limit) {
      if (kind !== "sqlite") return undefined;
      const sought = soughtWords(text);
      if (sought === undefined) return [];
      const name = sql.ref(words);
      const { rows } = await sql<{ rowid: number }>`select rowid from ${name} where ${name} match ${fts5Query(sought)}
        order by rowid desc limit ${limit}`.execute(db);
      return rows.map(({ rowid }) => rowid);
    },
  };
}

/**
 * Writes rows with their words, or without them if the index is damaged: a broken index must not block writes. A
 * search then asks for a rebuild.
 */
export async function withWords<T>(write: (words: "indexed" | "left out") => Promise<T>): Promise<T> {
  try {
    return await write("indexed");
  } catch (error) {
    if (INDEX_DAMAGED.includes(fieldOf(error, "errcode"))) return write("left out");
    throw error;
  }
}

/** Error codes of FTS5 for its own tables. A full disk and a lock have other codes. */
const INDEX_DAMAGED: readonly unknown[] = [1, 19, 267];

/** Creates an empty index. */
export async function makeWords(db: SqlDatabase, kind: SqlKind, of: WordsOf): Promise<void> {
  const { table, words } = INDEXES[of];
  const statement =
    kind === "sqlite" ? fts5(words) : sql`create index ${sql.ref(words)} on ${sql.table(table)} using gin (words)`;
  await statement.execute(db);
}

/** It contains no texts. `ascii` treats everything beyond ASCII as letters, so that our words stay whole. */
export function fts5(name: string): RawBuilder<unknown> {
  return sql`create virtual table ${sql.table(name)}
    using fts5(words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`;
}

/** Drops the index, even if it is damaged. */
export async function dropWords(db: SqlDatabase, kind: SqlKind, of: WordsOf): Promise<void> {
  const { words } = INDEXES[of];
  const what = kind === "sqlite" ? sql`table` : sql`index`;
  await sql`drop ${what} if exists ${sql.table(words)}`.execute(db);
}

/** SQLite deletes the words of an event with it. */
export const EVENT_WORDS_GONE = sql`create trigger if not exists conduct_event_words_gone after delete on conduct_events
  begin delete from conduct_event_words where rowid = old.position; end`;
