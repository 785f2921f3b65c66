import type { StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, PATIENCE_MS, PAUSE_MS, takeTurn } from "./sqlite-dialect.ts";
import type { SqliteFile } from "./sqlite-file.ts";

export type Prepare = (sql: string) => StatementSync;

/**
 * Runs statements in a light transaction and resolves after its commit. `run` must be synchronous. It may run again if
 * another write of the same transaction failed. A write that comes `soon` waits a moment for another write, and is
 * never committed after one that was asked for later.
 */
export type SqliteWriter = <T>(run: (prepare: Prepare) => T, when?: "now" | "soon") => Promise<T>;

type Job = { run(prepare: Prepare): unknown; resolve(value: never): void; reject(error: unknown): void };

/** A write failed, and so everything was rolled back. */
type Failed = { readonly job: Job; readonly error: unknown };

/** The value of `pragma synchronous` with which SQLite waits for the disk at every commit. */
const FULL = 2;
/** The most writes in one commit, because readers and other processes wait for it. */
const MOST = 100;
/** How long a write that comes `soon` waits for another one. */
const SOON_MS = 50;

/**
 * Writes without the query builder, for the writes of a turn. Concurrent writes share one transaction, because each
 * commit writes whole pages. It shares its connection and its turn with the query builder's transactions, so neither
 * sees a half of the other.
 */
export function sqliteWriter(file: SqliteFile): SqliteWriter {
  const { database } = file;
  const prepared = new Map<string, StatementSync>();
  const waiting: Job[] = [];
  let whole: unknown;
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;

  function prepare(sql: string): StatementSync {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  }

  /** Returns the results after the commit, or the write that failed. */
  function transact(jobs: readonly Job[]): readonly unknown[] | Failed {
    file.assertInPlace();
    whole ??= database.prepare("pragma synchronous").get()?.synchronous;
    if (whole === FULL) database.exec("pragma synchronous = normal");
    try {
      prepare("begin immediate").run();
      const values: unknown[] = [];
      for (const job of jobs) {
        try {
          values.push(job.run(prepare));
        } catch (error) {
          // A full disk has already rolled back everything.
          if (!database.isTransaction) throw error;
          return { job, error };
        }
      }
      prepare("commit").run();
      return values;
    } finally {
      if (database.isTransaction) prepare("rollback").run();
      if (whole === FULL) database.exec("pragma synchronous = full");
    }
  }

  async function inTurn(jobs: readonly Job[]): Promise<readonly unknown[] | Failed> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const endTurn = await takeTurn(file.identity);
      try {
        return transact(jobs);
      } catch (error) {
        if (!isBusy(error) || performance.now() >= until) throw error;
      } finally {
        endTurn();
      }
      await sleep(PAUSE_MS);
    }
  }

  async function commit(jobs: readonly Job[]): Promise<void> {
    try {
      let left = jobs;
      for (;;) {
        const done = await inTurn(left);
        if (!("error" in done)) return left.forEach(({ resolve }, at) => void resolve(done[at] as never));
        done.job.reject(done.error);
        left = left.filter((job) => job !== done.job);
      }
    } catch (error) {
      // Rejecting a settled promise changes nothing.
      for (const { reject } of jobs) reject(error);
    }
  }

  async function commitNext(): Promise<void> {
    await commit(waiting.splice(0, MOST));
    if (waiting.length > 0) commitSoon();
    else isRunning = false;
  }

  function commitSoon(): void {
    // Waits for everything that is ready now, so that its writes join the commit.
    setImmediate(() => void commitNext());
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isRunning) return;
    isRunning = true;
    commitSoon();
  }

  return <T>(run: (prepare: Prepare) => T, when: "now" | "soon" = "now") =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ run, resolve, reject });
      if (when === "now") start();
      else if (!isRunning) timer ??= setTimeout(start, SOON_MS);
    });
}
