import { sql } from "kysely";
import type { SqlDatabase, SqlKind, Tables } from "./tables.ts";

/** Runs a write in a transaction. */
export type Write = <T>(run: (db: SqlDatabase) => Promise<T>) => Promise<T>;

type Job = { run(db: SqlDatabase): Promise<unknown>; resolve(value: never): void; reject(error: unknown): void };

/** So many writes share a commit at most: readers and other processes have to wait for it. */
const MOST = 100;

/**
 * Writes that come at the same time share one transaction, because on an embedded database each commit waits for the disk. One
 * that fails is taken back by itself; nobody is told of a success before the commit.
 */
export function groupWrites(db: SqlDatabase): Write {
  const waiting: Job[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      const jobs = waiting.splice(0, MOST);
      try {
        const settle = await db.transaction().execute((trx) => runEach(trx, jobs));
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
      // After all that is ready now: what it writes comes along.
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
      // Where the database has given up the whole transaction (a full disk), that error is everybody's.
      await sql`rollback to one`.execute(trx).catch(() => {
        throw error;
      });
      settle.push(() => reject(error));
    }
    await sql`release one`.execute(trx);
  }
  return settle;
}

/** For a server that has many connections, and groups their commits itself. */
export function writeAlone(db: SqlDatabase): Write {
  return (run) => db.transaction().execute(run);
}

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
