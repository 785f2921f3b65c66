import { type Kysely, sql } from "kysely";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Json } from "../../../base/words/json.ts";
import { eventWords, governanceWords } from "../search-words.ts";
import type { SqlDatabase, SqlKind, Tables } from "./tables.ts";
import { type Indexed, tsvectorOf, wordIndex } from "./word-index.ts";

const PAGE = 500;

/** Makes the indexes of governance and events, and takes in what is there already. */
export async function addSearch(unknown: Kysely<unknown>, kind: SqlKind): Promise<void> {
  const db = unknown.withTables<Tables>();
  const statements =
    kind === "sqlite"
      ? [
          fts5("conduct_governance_words"),
          fts5("conduct_event_words"),
          sql`create trigger conduct_event_words_gone after delete on conduct_events
            begin delete from conduct_event_words where rowid = old.position; end`,
        ]
      : [
          // May be absent: a Conduct of before that still runs goes on writing.
          sql`alter table conduct_governance add column words tsvector`,
          sql`alter table conduct_events add column words tsvector`,
          sql`create index conduct_governance_words on conduct_governance using gin (words)`,
          sql`create index conduct_event_words on conduct_events using gin (words)`,
        ];
  for (const statement of statements) await statement.execute(db);
  await indexAll(
    async (after) => {
      const some = db.selectFrom("conduct_governance").select(["seq", "by", "kind", "body"]).where("seq", ">", after);
      const rows = await some.orderBy("seq").limit(PAGE).execute();
      return rows.map(({ seq, by, kind, body }) => ({
        row: seq,
        words: governanceWords({ by, kind, body: read(body) }),
      }));
    },
    adder(db, kind, "governance"),
  );
  await indexAll(
    async (after) => {
      const some = db.selectFrom("conduct_events").select(["position", "event"]).where("position", ">", after);
      const rows = await some.orderBy("position").limit(PAGE).execute();
      return rows.map(({ position, event }) => ({ row: position, words: eventWords(read(event) as ConductEvent) }));
    },
    adder(db, kind, "events"),
  );
}

/** Neither holds the texts. `ascii` takes all beyond ASCII for letters, so that our own words stay whole. */
function fts5(name: string) {
  return sql`create virtual table ${sql.table(name)}
    using fts5(words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`;
}

async function indexAll(
  page: (after: number) => Promise<readonly Indexed[]>,
  add: (rows: readonly Indexed[]) => Promise<void>,
): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await page(after);
    await add(rows);
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.row ?? after;
  }
}

function adder(db: SqlDatabase, kind: SqlKind, of: "governance" | "events") {
  return async (rows: readonly Indexed[]): Promise<void> => {
    if (kind === "sqlite") return wordIndex(kind, of).add(db, rows);
    const [table, key] = of === "governance" ? ["conduct_governance", "seq"] : ["conduct_events", "position"];
    for (const { row, words } of rows)
      await sql`update ${sql.table(table)} set words = ${tsvectorOf(words)} where ${sql.ref(key)} = ${row}`.execute(db);
  };
}

/** What is damaged is found by its words all the same: who opens the store is told elsewhere. */
function read(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return [text];
  }
}
