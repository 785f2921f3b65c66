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

type Job = { run(db: SqlDatabase): Promise<unknown>; resolve(value: never): void; reject(error: unknown): void };

/** The most writes in one commit, because readers and other processes wait for it. */
const MOST = 100;

/**
 * Concurrent writes share one light transaction, because each commit writes whole pages. A failed write is rolled back
 * alone, and no write succeeds before the commit.
 */
export function groupWrites(db: SqlDatabase): Write {
  const waiting: Job[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      const jobs = waiting.splice(0, MOST);
      try {
        const settle = await lightly(db, (trx) => runEach(trx, jobs));
        for (const tell of settle) tell();
      } catch (error) {
        for (const { reject } of jobs) reject(error);
      }
    }
    isRunning = false;
  }

  return <T>(run: (db: SqlDatabase) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ run, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // Waits for everything that is ready now, so that its writes join the commit.
      setImmediate(() => void runAll());
    });
}

async function runEach(trx: SqlDatabase, jobs: readonly Job[]): Promise<readonly (() => void)[]> {
  const settle: (() => void)[] = [];
  for (const { run, resolve, reject } of jobs) {
    await sql`savepoint one`.execute(trx);
    try {
      const value = (await run(trx)) as never;
      settle.push(() => resolve(value));
    } catch (error) {
      // If the database rolled back everything (a full disk), all jobs get this error.
      await sql`rollback to one`.execute(trx).catch(() => {
        throw error;
      });
      settle.push(() => reject(error));
    }
    await sql`release one`.execute(trx);
  }
  return settle;
}

/** For PostgreSQL, which has many connections and groups their commits itself. */
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
