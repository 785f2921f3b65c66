import { type RawBuilder, sql } from "kysely";
import { fts5Query, soughtWords } from "../search-words.ts";
import type { SqlDatabase, SqlKind } from "./tables.ts";

/** SQLite takes 32,766 values in one statement. */
const MAX_ROWS = 500;

/** Where the words of a table's rows stand: in SQLite a table of its own, in PostgreSQL a column. */
const INDEXES = {
  governance: { table: "conduct_governance", key: "seq", words: "conduct_governance_words" },
  events: { table: "conduct_events", key: "position", words: "conduct_event_words" },
} as const;

export type Indexed = { readonly row: number; readonly words: readonly string[] };

/** Finds rows by the beginnings of words, as `search-words.ts` has them. */
export type WordIndex = {
  /** What a row has besides. */
  readonly columns: (words: readonly string[]) => { readonly words?: RawBuilder<string> };
  /** To be called in the transaction that writes the rows. */
  readonly add: (db: SqlDatabase, rows: readonly Indexed[]) => Promise<void>;
  readonly matches: (text: string) => RawBuilder<boolean>;
};

export function wordIndex(kind: SqlKind, of: keyof typeof INDEXES): WordIndex {
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

  return {
    columns: (found) => (kind === "sqlite" ? {} : { words: tsvectorOf(found) }),
    async add(db, rows) {
      if (kind !== "sqlite") return;
      for (let from = 0; from < rows.length; from += MAX_ROWS) {
        const some = rows.slice(from, from + MAX_ROWS).map((one) => sql`(${one.row}, ${one.words.join(" ")})`);
        await sql`insert into ${sql.table(words)} (rowid, words) values ${sql.join(some)}`.execute(db);
      }
    },
    matches(text) {
      const sought = soughtWords(text);
      return sought === undefined ? sql`1 = 0` : matching(sought);
    },
  };
}

export function tsvectorOf(words: readonly string[]): RawBuilder<string> {
  return sql`array_to_tsvector(${words}::text[])`;
}
