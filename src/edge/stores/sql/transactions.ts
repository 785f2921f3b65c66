import { sql } from "kysely";
import type { SqlDatabase, SqlKind, Tables } from "./tables.ts";

/** Runs a write in a transaction. */
export type Write = <T>(run: (db: SqlDatabase) => Promise<T>) => Promise<T>;

/**
 * Marks a light transaction. SQLite then does not wait for the disk: the commit survives the end of this process, but a
 * power cut may lose the last moments. To PostgreSQL this level means its default, and it always waits.
 */
export const LIGHT = "read uncommitted";

/** For sessions, conversations and events. Everything that an operator decides waits for the disk. */
export function lightly<T>(db: SqlDatabase, run: (trx: SqlDatabase) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel(LIGHT).execute(run);
}

/** For PostgreSQL, which has many connections and groups their commits itself; see `sqliteWriter`. */
export function writeAlone(db: SqlDatabase): Write {
  return (run) => lightly(db, run);
}

/**
 * Runs a read and a dependent write while nobody else writes to the table; others may read. Writers queue in order, so
 * a flood of writes cannot starve one. SQLite's transactions lock the file already.
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
