import { type Dialect, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import pg from "pg";
import { StoreError } from "../store-error.ts";

/** As `pg` says it when no connection can be had in time. */
const LATE = "timeout exceeded when trying to connect";

/**
 * A pool whose users wait in a line of their own, the first first. `pg` has one limit for reaching a server and for waiting until
 * another query is done: a server that is only busy would be taken for one that is away.
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
        // Set anew by `pg` each time that it gives the client out.
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
/** How long a query waits for those before it. */
const QUEUE_MS = 30_000;

/** Kysely on `pg`. No connection is made before the first query. */
export function postgresDialect(url: string): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "conduct",
    max: CONNECTIONS,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    // For a server that no longer answers at all.
    query_timeout: 40_000,
    keepAlive: true,
    // A store that somebody forgot to close keeps no program from ending.
    allowExitOnIdle: true,
    // Counts and sequences fit a number; `pg` gives them as texts.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
    // A server may be set to acknowledge before it has written; we may not. Here and not as kysely's own hook: where this fails,
    // `pg` drops the connection, and kysely would never give it back.
    onConnect: async (client) => {
      await client.query(DURABLE);
    },
  });
  // A connection that breaks while nobody uses it is replaced at the next query; unheard, it would end the process.
  pool.on("error", () => undefined);
  // And so would one that breaks between two statements of a transaction; the next statement fails then.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return new PostgresDialect({ pool: queuedPool(pool, CONNECTIONS, QUEUE_MS) });
}

const DURABLE =
  "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'";

/** The URL as people may see it, without password. Throws when it is none. */
export function shownUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    const fix = "Write it as postgres://user:password@host:5432/database.";
    throw new StoreError("STORE_UNAVAILABLE", "The URL of the PostgreSQL store is not one", fix);
  }
  return `${parsed.host || "localhost"}${parsed.pathname}`;
}
