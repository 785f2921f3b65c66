import { type Dialect, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import type pg from "pg";
import { loadOptional } from "../../../../base/kernel/optional-package.ts";
import { StoreError } from "../store-error.ts";

/** The message of `pg` when no connection is available in time. */
const LATE = "timeout exceeded when trying to connect";

/**
 * A pool with its own first-in, first-out queue. `pg` uses one time limit for connecting and for waiting, so a busy
 * server would look like one that is down.
 */
export function queuedPool(pool: PostgresPool, most: number, waitMs: number): PostgresPool {
  const waiting: (() => void)[] = [];
  let free = most;

  function takePlace(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(next), 1);
        reject(new Error(LATE));
      }, waitMs);
      const next = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.push(next);
    });
  }

  function givePlace(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    ...(pool.Client === undefined ? {} : { Client: pool.Client }),
    options: pool.options,
    async connect(): Promise<PostgresPoolClient> {
      await takePlace();
      try {
        const client = await pool.connect();
        // `pg` sets it again each time.
        const release = client.release.bind(client);
        client.release = (destroy) => {
          release(destroy);
          givePlace();
        };
        return client;
      } catch (error) {
        givePlace();
        throw error;
      }
    },
    end: () => pool.end(),
  };
}

const INT8 = 20;
const CONNECTIONS = 10;
/** How long a query waits for a connection. */
const QUEUE_MS = 30_000;

/** Kysely on `pg`. Connects with the first query. */
export async function postgresDialect(url: string): Promise<Dialect> {
  const { default: postgres } = await loadOptional("pg", "A PostgreSQL store", () => import("pg"));
  const pool: pg.Pool = new postgres.Pool({
    connectionString: url,
    application_name: "conduct",
    max: CONNECTIONS,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    // For a server that does not answer.
    query_timeout: 40_000,
    // A gateway that froze inside a transaction must not keep its locks: others could not take over its conversations.
    idle_in_transaction_session_timeout: 4_000,
    keepAlive: true,
    // A store that was not closed must not keep the process alive.
    allowExitOnIdle: true,
    // `pg` returns bigint as text; ours fit a number.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : postgres.types.getTypeParser(oid, format)) },
    // The server may be set to acknowledge before it has written; we must not. Not in kysely's own hook: it would never
    // release a connection that fails here.
    onConnect: async (client) => {
      await client.query(DURABLE);
    },
  });
  // An idle connection that breaks is replaced at the next query. Without a listener it would end the process.
  pool.on("error", () => undefined);
  // The same for one that breaks inside a transaction; its next statement fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return new PostgresDialect({ pool: queuedPool(pool, CONNECTIONS, QUEUE_MS) });
}

const DURABLE =
  "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'";

/** The URL without its password. Throws if it is not a URL. */
export function shownUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    const fix = "Write it as postgres://user:password@host:5432/database.";
    throw new StoreError("STORE_UNAVAILABLE", "The URL of the PostgreSQL store is invalid", fix);
  }
  return `${parsed.host || "localhost"}${parsed.pathname}`;
}
