import { type Kysely, sql } from "kysely";
import type { SqlKind, Tables } from "../tables.ts";

/**
 * How far a store is sealed. `plain`: rows from before may be in clear. `sealed`: every row is sealed, but freed pages of the
 * file may still hold their old text. `clean`: those were rewritten too.
 */
export type SealState = "plain" | "sealed" | "clean";

/** One row: the store's id, by which its key is named, and a value that tells the right key from a wrong one. */
export async function addSeal(unknown: Kysely<unknown>, kind: SqlKind): Promise<void> {
  await unknown.schema
    .createTable("conduct_seal")
    .addColumn("one", "integer", (column) => column.primaryKey())
    .addColumn("store", "text", (column) => column.notNull())
    .addColumn("key_check", "text")
    .addColumn("state", "text", (column) => column.notNull())
    .execute();
  const db = unknown.withTables<Tables>();
  const state: SealState = (await wasUsed(db, kind)) ? "plain" : "clean";
  await db.insertInto("conduct_seal").values({ one: 1, store: crypto.randomUUID(), key_check: null, state }).execute();
}

const CONTENT = ["events", "kept_sessions", "conversations", "instructions", "notes", "schedules"] as const;

/** Whether a Conduct of before has written content to this store, or deleted some from it. */
async function wasUsed(db: Kysely<Tables>, kind: SqlKind): Promise<boolean> {
  for (const name of CONTENT) {
    const { rows } = await sql`select 1 from ${sql.table(`conduct_${name}`)} limit 1`.execute(db);
    if (rows.length > 0) return true;
  }
  if (kind === "postgres") return false;
  const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(db);
  return rows[0]?.freelist_count !== 0;
}
