import { type Kysely, sql } from "kysely";
import { dropWords, makeWords } from "../search/word-index.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";

/** The table of the governance journal, as the first migration makes it. */
export async function createGovernance({ schema }: Pick<Kysely<unknown>, "schema">): Promise<void> {
  await schema
    .createTable("conduct_governance")
    .addColumn("seq", "integer", (column) => column.primaryKey())
    .addColumn("at", "double precision", (column) => column.notNull())
    .addColumn("by", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("prev", "text", (column) => column.notNull().unique())
    .addColumn("hash", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("conduct_governance_kind").on("conduct_governance").columns(["kind", "seq"]).execute();
}

/** Makes the table again, with its index of words, in a store that has lost it. Does nothing where it is there. */
export async function restoreGovernance(db: SqlDatabase, kind: SqlKind): Promise<void> {
  const look =
    kind === "sqlite"
      ? sql`select 1 as found from sqlite_master where type = 'table' and name = 'conduct_governance'`
      : sql`select 1 as found where to_regclass('conduct_governance') is not null`;
  if ((await look.execute(db)).rows.length > 0) return;
  await createGovernance(db);
  if (kind === "postgres") await sql`alter table conduct_governance add column words tsvector`.execute(db);
  await dropWords(db, kind, "governance");
  await makeWords(db, kind, "governance");
}
