import { type Dialect, PostgresDialect } from "kysely";
import pg from "pg";
import { queuedPool } from "./postgres-queue.ts";
import { StoreError } from "./store-error.ts";

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
