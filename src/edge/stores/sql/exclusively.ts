import { sql } from "kysely";
import type { SqlDatabase, SqlKind, Tables } from "./tables.ts";

/**
 * Runs a read and the write that depends on it while nobody else writes to the table; reads go on. Writers queue in the order
 * they came, so a flood of writes delays another writer but cannot starve it. SQLite's transactions lock the file already.
 */
export function exclusively<T>(
  db: SqlDatabase,
  kind: SqlKind,
  table: keyof Tables,
  run: (trx: SqlDatabase) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    if (kind === "postgres") await sql`lock table ${sql.table(table)} in exclusive mode`.execute(trx);
    return run(trx);
  });
}
