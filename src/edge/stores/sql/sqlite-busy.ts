import { setTimeout as sleep } from "node:timers/promises";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import { fieldOf } from "./store-error.ts";

/** How long another process may keep the file locked before the statement fails. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 25;
const SQLITE_BUSY = 5;

/**
 * A connection that waits for another process's lock without stopping the thread, so that everything that needs no store is
 * answered meanwhile. Statements inside a transaction never wait: the transaction has the lock.
 */
export function waitingForLock(connection: DatabaseConnection, isTransaction: () => boolean): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        try {
          return await connection.executeQuery<R>(query);
        } catch (error) {
          if (!isBusy(error) || isTransaction() || performance.now() >= until) throw error;
        }
        await sleep(PAUSE_MS);
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}

function isBusy(error: unknown): boolean {
  const code = fieldOf(error, "errcode");
  return typeof code === "number" && (code & 0xff) === SQLITE_BUSY;
}
