import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { loadOptional } from "../../../base/kernel/optional-package.ts";
import { StoreError } from "../sql/store-error.ts";
import type { LockDriver } from "./gateway-lock.ts";
import { parseRunning } from "./running-gateway.ts";

/** `COND` in the upper half of the lock's number; the lower half is the schema, because each schema is a store. */
const SPACE = 0x434f4e44;
const KEY = `(${SPACE}::bigint << 32) | oid::bigint`;
const CONNECT_MS = 5_000;
const ANSWER_MS = 5_000;
const END_MS = 1_000;
/** The server notices within about 15 s that a gateway's machine is gone. */
const KEEPALIVE = "set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 3; set tcp_keepalives_count = 3";

/**
 * A session-level advisory lock on a connection of its own: the server frees it when the connection ends. A pooler that
 * shares connections between transactions breaks that; the store then has to be named without it.
 */
export function postgresLock(url: string): LockDriver {
  let client: pg.Client | undefined;
  let lost: () => void = () => undefined;

  async function close(): Promise<void> {
    const ending = client;
    client = undefined;
    // A frozen server does not answer; the lock then ends with this process.
    const ended = ending?.end().catch(() => undefined);
    await Promise.race([ended, sleep(END_MS, undefined, { ref: false })]);
  }

  async function query<R extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<readonly R[]> {
    if (client === undefined) throw new Error("the connection of the gateway's lock is closed");
    return (await client.query<R>(text, [...values])).rows;
  }

  return {
    async take() {
      await close();
      const { default: postgres } = await loadOptional("pg", "A PostgreSQL store", () => import("pg"));
      const fresh = new postgres.Client({
        connectionString: url,
        application_name: "conduct gateway lock",
        connectionTimeoutMillis: CONNECT_MS,
        query_timeout: ANSWER_MS,
        keepAlive: true,
      });
      const onEnd = () => {
        if (client !== fresh) return;
        client = undefined;
        lost();
      };
      fresh.on("error", onEnd);
      fresh.on("end", onEnd);
      await fresh.connect();
      client = fresh;
      try {
        // Over a unix socket there are no keepalives to set.
        await query(KEEPALIVE).catch(() => undefined);
        const [row] = await query<{ taken: boolean }>(
          `select pg_try_advisory_lock(${KEY}) as taken from pg_namespace where nspname = current_schema()`,
        );
        if (row === undefined) throw noSchema();
        return row.taken;
      } catch (error) {
        await close();
        throw error;
      }
    },
    async isHeld() {
      const rows = await query(
        `select 1 from pg_locks, pg_namespace where nspname = current_schema() and locktype = 'advisory' and granted
         and pid = pg_backend_pid() and classid::bigint = ${SPACE} and objid = oid and objsubid = 1`,
      );
      return rows.length > 0;
    },
    onLost(callback) {
      lost = callback;
    },
    async readHolder() {
      const rows = await query<{ body: string }>("select body from conduct_gateway").catch((error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "42P01") return [];
        throw error;
      });
      return rows[0] === undefined ? undefined : parseRunning(rows[0].body);
    },
    // Not a migration: a second gateway of a newer version must be refused before it changes the tables of the first.
    async writeHolder(holder) {
      await query("create table if not exists conduct_gateway (id integer primary key, body text not null)");
      await query("insert into conduct_gateway values (1, $1) on conflict (id) do update set body = excluded.body", [
        JSON.stringify(holder),
      ]);
    },
    release: close,
  };
}

function noSchema(): StoreError {
  const what = "The PostgreSQL store has no schema for this account's tables";
  return new StoreError("STORE_UNAVAILABLE", what, "Create one, or correct the role's search_path.");
}
