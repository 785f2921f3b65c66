import type { StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, PATIENCE_MS, PAUSE_MS, takeTurn } from "./sqlite-dialect.ts";
import type { SqliteFile } from "./sqlite-file.ts";

type Prepare = (sql: string) => StatementSync;

/** Runs statements in one transaction. `run` must be synchronous. */
export type SqliteWriter = <T>(run: (prepare: Prepare) => T) => Promise<T>;

/**
 * Writes without the query builder, for the writes that every call waits for. The transaction shares its connection and
 * its turn with the query builder's, so neither sees a half of the other.
 */
export function sqliteWriter(file: SqliteFile): SqliteWriter {
  const { database } = file;
  const prepared = new Map<string, StatementSync>();
  const prepare: Prepare = (sql) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };

  function transact<T>(run: (prepare: Prepare) => T): T {
    file.assertInPlace();
    prepare("begin immediate").run();
    try {
      const value = run(prepare);
      prepare("commit").run();
      return value;
    } catch (error) {
      // A full disk has already rolled back; a second rollback would hide the reason.
      if (database.isTransaction) prepare("rollback").run();
      throw error;
    }
  }

  return async (run) => {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const endTurn = await takeTurn(file.identity);
      try {
        return transact(run);
      } catch (error) {
        if (!isBusy(error) || performance.now() >= until) throw error;
      } finally {
        endTurn();
      }
      await sleep(PAUSE_MS);
    }
  };
}
