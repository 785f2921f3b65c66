import type { SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, PATIENCE_MS, PAUSE_MS, takeTurn } from "./sqlite-dialect.ts";
import type { SqliteFile } from "./sqlite-file.ts";

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Returns the rows of a statement. Never call it inside a transaction: it waits until the transaction has ended. */
export type SqliteReader = (sql: string, ...values: readonly SQLInputValue[]) => Promise<readonly Row[]>;

/**
 * Reads without the query builder, which takes several times as long for one row. For the reads of every request and
 * every turn. Only writes notice that the file was removed.
 */
export function sqliteReader(file: SqliteFile): SqliteReader {
  const prepared = new Map<string, StatementSync>();

  function read(sql: string, values: readonly SQLInputValue[]): readonly Row[] {
    const statement = prepared.get(sql) ?? file.database.prepare(sql);
    prepared.set(sql, statement);
    return statement.all(...values);
  }

  return async (sql, ...values) => {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const endTurn = await takeTurn(file.identity);
      try {
        return read(sql, values);
      } catch (error) {
        if (!isBusy(error) || performance.now() >= until) throw error;
      } finally {
        endTurn();
      }
      await sleep(PAUSE_MS);
    }
  };
}
