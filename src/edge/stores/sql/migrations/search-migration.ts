import { type Kysely, sql } from "kysely";
import { fillContracts, fillWords } from "../search/rebuild-search.ts";
import { EVENT_WORDS_GONE, makeWords } from "../search/word-index.ts";
import type { SqlKind, Tables } from "../tables.ts";

/** Makes the indexes of governance and events, and takes in what is there already. */
export async function addSearch(unknown: Kysely<unknown>, kind: SqlKind): Promise<void> {
  const db = unknown.withTables<Tables>();
  if (kind === "postgres") {
    // May be absent: a Conduct of before that still runs goes on writing.
    await sql`alter table conduct_governance add column words tsvector`.execute(db);
    await sql`alter table conduct_events add column words tsvector`.execute(db);
  }
  await makeWords(db, kind, "governance");
  await makeWords(db, kind, "events");
  if (kind === "sqlite") await EVENT_WORDS_GONE.execute(db);
  await fillWords(db, kind, "governance");
  await fillWords(db, kind, "events");
}

/** Prompts are found by the contract that they told. */
export async function addContractTold(unknown: Kysely<unknown>, kind: SqlKind): Promise<void> {
  const db = unknown.withTables<Tables>();
  // By bytes, whatever the language of the database: hashes are found by their first digits.
  const column = kind === "sqlite" ? sql`contract text` : sql`contract text collate "C"`;
  await sql`alter table conduct_events add column ${column}`.execute(db);
  await sql`create index conduct_events_contract on conduct_events (contract) where contract is not null`.execute(db);
  await fillContracts(db);
}
