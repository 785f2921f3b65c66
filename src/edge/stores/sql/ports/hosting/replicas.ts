import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { sha256 } from "../../../../../base/kernel/canonical-json.ts";
import type { ReplicaInfo, ReplicasStore, Taken } from "../../../../../base/ports/stores/hosting/replicas.ts";
import type { JsonObject } from "../../../../../base/words/json.ts";
import { type LiveChannel, redisLive } from "../../../redis/redis-live.ts";
import type { StoreKeys } from "../../../seal/store-keys.ts";
import { openListener } from "../../dialects/postgres-listener.ts";
import { StoreError } from "../../store-error.ts";
import type { SqlDatabase } from "../../tables.ts";
import { chunks, nameKey, readBody } from "../../values.ts";
import type { Fences } from "./fences.ts";

/** The database's clock in milliseconds. Replicas' own clocks may differ by minutes. */
const NOW = sql<number>`extract(epoch from clock_timestamp()) * 1000`;
/** PostgreSQL refuses a notification of 8,000 bytes. */
const MOST_NOTIFIED = 7_500;
const MOST_SHOWN = 100;
const LOCK_MS = 1_000;
/** Mail that nobody fetched belongs to a replica that is gone. */
const MAIL_MS = 10 * 60_000;
/** The lock of gateways before replicas existed; they take it alone and know no leases. */
const OLD_LOCK = sql`(${sql.lit(0x434f4e44)}::bigint << 32) | oid::bigint`;

/** Replicas, leases and mail on PostgreSQL. */
export function sqlReplicas(
  db: SqlDatabase,
  url: string,
  fences: Fences,
  keys: Pick<StoreKeys, "seal">,
  /** For live messages; they are notifications without it. */
  redisUrl?: string,
): ReplicasStore {
  const self = () => {
    if (fences.self === undefined) throw new Error("this process has not joined the replicas");
    return fences.self;
  };
  let redis: LiveChannel | undefined;
  /** Whether all others hear what is sent over Redis. */
  let doOthersHear = false;
  let channel: Promise<string> | undefined;
  /** Notifications reach the whole database, but a store is one schema. */
  const channelName = () => {
    channel ??= sql<{ name: string }>`select 'conduct_' || md5(current_schema()) as name`
      .execute(db)
      .then(({ rows }) => rows[0]?.name ?? "conduct");
    channel.catch(() => {
      channel = undefined;
    });
    return channel;
  };

  const tellAll = (on: string, payloads: readonly string[]) =>
    sql`select pg_notify(${on}, payload) from unnest(${[...payloads]}::text[]) as payload`.execute(db);

  async function send(to: string | "others", body: JsonObject): Promise<void> {
    const [seal, on] = [await keys.seal(), await channelName()];
    const mail = randomUUID();
    const sealed = seal.close("conduct_mail.body", [mail], JSON.stringify(body));
    const whom =
      to === "others"
        ? sql`select replica from conduct_replicas where replica <> ${self()}`
        : sql`select replica from conduct_replicas where replica = ${to}`;
    // One notification for all: everybody looks for their own mail.
    await sql`with sent as (insert into conduct_mail (mail, replica, body, at)
      select ${mail}, replica, ${sealed}, ${NOW} from (${whom}) as whom returning 1)
      select pg_notify(${on}, ${JSON.stringify({ from: self() })}) from sent limit 1`.execute(db);
  }

  return {
    async join(info) {
      const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock_shared(${OLD_LOCK}) as free
        from pg_namespace where nspname = current_schema()`.execute(db);
      if (rows[0]?.free === false)
        throw new StoreError(
          "STORE_IN_USE",
          "A gateway of an older Conduct uses this store, which shares it with nobody",
          "Stop that gateway first.",
        );
      fences.held.clear();
      fences.self = info.id;
      await sql`insert into conduct_replicas (replica, body, draining, running, beat_at)
        values (${info.id}, ${JSON.stringify(info)}, 0, 0, ${NOW})`.execute(db);
      await sql`delete from conduct_mail where at < ${NOW} - ${MAIL_MS}`.execute(db);
    },
    async beat(info, { draining, running }) {
      const { numAffectedRows } = await sql`update conduct_replicas set beat_at = ${NOW}, running = ${running},
        draining = ${draining ? 1 : 0}, body = ${JSON.stringify({ ...info, redis: redis?.isListening })} where replica = ${info.id}`.execute(
        db,
      );
      return numAffectedRows === 1n;
    },
    async leave() {
      const id = self();
      fences.held.clear();
      await sql`update conduct_leases set replica = null where replica = ${id}`.execute(db);
      await sql`delete from conduct_replicas where replica = ${id}`.execute(db);
      await sql`delete from conduct_mail where replica = ${id}`.execute(db);
    },
    async list() {
      const { rows } = await sql<{
        body: string;
        draining: number;
        running: number;
        silent: number;
        owns: string[] | null;
      }>`select body, draining, running, ${NOW} - beat_at as silent,
        (select array_agg(conversation) from (select conversation from conduct_leases
          where conduct_leases.replica = conduct_replicas.replica order by conversation limit ${MOST_SHOWN}) as owned)
          as owns from conduct_replicas order by replica`.execute(db);
      const found = rows.map(({ body, draining, running, silent, owns }) => ({
        ...readBody<ReplicaInfo>(body, "A replica"),
        draining: draining === 1,
        running,
        silentMs: Math.max(0, Math.round(Number(silent))),
        owns: owns ?? [],
      }));
      doOthersHear = found.every((one) => one.id === fences.self || one.redis === true);
      return found;
    },
    async reap(silentMs) {
      return db.transaction().execute(async (trx) => {
        // The heartbeat waits for this. A lease that a frozen owner has locked is free a few seconds later.
        await sql`set local lock_timeout = ${sql.lit(LOCK_MS)}`.execute(trx);
        const { rows } = await sql<{ replica: string }>`delete from conduct_replicas where replica in
          (select replica from conduct_replicas where beat_at < ${NOW} - ${silentMs} and replica <> ${self()}
            for update skip locked) returning replica`.execute(trx);
        const dead = rows.map(({ replica }) => replica);
        if (dead.length === 0) return [];
        // A new fence: nothing that a dead owner still sends can be written.
        await sql`update conduct_leases set replica = null, fence = fence + 1 where replica = any(${dead})`.execute(
          trx,
        );
        await sql`delete from conduct_mail where replica = any(${dead})`.execute(trx);
        return dead;
      });
    },
    async take(conversation): Promise<Taken> {
      const [key, id] = [nameKey(conversation), self()];
      const { rows } = await sql<{ fence: number }>`insert into conduct_leases (conversation, replica, fence)
        select ${key}, replica, 1 from conduct_replicas where replica = ${id}
        on conflict (conversation) do update set replica = excluded.replica, fence = conduct_leases.fence + 1
        where conduct_leases.replica is null returning fence`.execute(db);
      const [taken] = rows;
      if (taken !== undefined) {
        fences.held.set(conversation, taken.fence);
        return { kind: "mine", fence: taken.fence };
      }
      const found = await sql<{ replica: string | null; fence: number }>`select replica, fence from conduct_leases
        where conversation = ${key}`.execute(db);
      const [lease] = found.rows;
      // The answer of an earlier attempt was lost.
      if (lease?.replica === id) {
        fences.held.set(conversation, lease.fence);
        return { kind: "mine", fence: lease.fence };
      }
      return { kind: "theirs", replica: lease?.replica ?? "" };
    },
    async placeFiles({ agent, user }, own, others) {
      const key = sha256(JSON.stringify([agent, user]));
      const { rows } = await sql<{ files: string; old: string | null }>`with before as (select files
        from conduct_workspaces where workspace = ${key})
        insert into conduct_workspaces as known (workspace, files) values (${key}, ${own})
        on conflict (workspace) do update
          set files = case when known.files = any(${[...others]}::text[]) then known.files else excluded.files end
        returning files, (select files from before) as old`.execute(db);
      const { files = own, old } = rows[0] ?? {};
      return { files, moved: old == null || old === files ? undefined : old };
    },
    async give(conversation) {
      const fence = fences.held.get(conversation);
      fences.held.delete(conversation);
      if (fence === undefined) return;
      await sql`update conduct_leases set replica = null where conversation = ${nameKey(conversation)}
        and replica = ${self()} and fence = ${fence}`.execute(db);
    },
    async freeUnheld(held) {
      const id = self();
      const { rows } = await sql<{ conversation: string; fence: number }>`select conversation, fence
        from conduct_leases where replica = ${id}`.execute(db);
      // Asked after the read: a lease that was taken since is not among the rows.
      const keys = new Set([...held()].map(nameKey));
      for (const { conversation, fence } of rows)
        if (!keys.has(conversation))
          await sql`update conduct_leases set replica = null where conversation = ${conversation}
            and replica = ${id} and fence = ${fence}`.execute(db);
    },
    async waiting(limit) {
      const { rows } = await sql<{ conversation: string }>`select conversation from conduct_turns where open = 1
        and not exists (select 1 from conduct_leases
          where conduct_leases.conversation = conduct_turns.conversation and replica is not null)
        group by conversation order by min(position) limit ${limit}`.execute(db);
      return rows.map(({ conversation }) => conversation);
    },
    async backlog() {
      // A conversation's lease marks its oldest open turn as the running one.
      const { rows } = await sql<{ queued: number; oldest: number | null }>`select count(*) as queued,
        ${NOW} - min(entered_at) as oldest from conduct_turns where open = 1 and position > (select min(position)
          from conduct_turns as earliest where earliest.open = 1 and earliest.conversation = conduct_turns.conversation)
        or open = 1 and not exists (select 1 from conduct_leases
          where conduct_leases.conversation = conduct_turns.conversation and replica is not null)`.execute(db);
      const [row] = rows;
      return { queued: row?.queued ?? 0, oldestMs: Math.max(0, Math.round(Number(row?.oldest ?? 0))) };
    },
    send,
    async receive() {
      const seal = await keys.seal();
      const { rows } = await sql<{ mail: string; body: string; position: number }>`with taken as (delete
        from conduct_mail where replica = ${self()} returning mail, body, position)
        select * from taken order by position`.execute(db);
      return rows.map(({ mail, body }) =>
        readBody<JsonObject>(seal.open("conduct_mail.body", [mail], body), "A message between replicas"),
      );
    },
    async publish(bodies) {
      const [seal, on, from] = [await keys.seal(), await channelName(), self()];
      const payloads = bodies.map((body) => {
        const live = seal.close("conduct_mail.body", [from], JSON.stringify(body));
        return { body, text: JSON.stringify({ from, live }) };
      });
      if (doOthersHear && (await redis?.publish(payloads.map(({ text }) => text)))) return;
      for (const { body, text } of payloads) if (text.length >= MOST_NOTIFIED) await send("others", body);
      const small = payloads.flatMap(({ text }) => (text.length < MOST_NOTIFIED ? [text] : []));
      for (const some of chunks(small, 100)) await tellAll(on, some);
    },
    async listen({ onLive, onMail }) {
      const seal = await keys.seal();
      const on = await channelName();
      function onPayload(payload: string): void {
        const { from, live } = readBody<{ from: string; live?: string }>(payload, "A notification");
        if (from === fences.self) return;
        if (live === undefined) onMail();
        else onLive(readBody<JsonObject>(seal.open("conduct_mail.body", [from], live), "A notification"));
      }
      // Another store on the same Redis may have the same name: its messages cannot be opened.
      redis = redisUrl === undefined ? undefined : redisLive(redisUrl, on, ignoringFaults(onPayload));
      const stop = await openListener(url, on, { onReady: onMail, onPayload: ignoringFaults(onPayload) });
      return async () => {
        redis?.close();
        await stop();
      };
    },
  };
}

/** What is not ours, or damaged, is ignored: the receiver asks again for what it misses. */
function ignoringFaults(onPayload: (payload: string) => void): (payload: string) => void {
  return (payload) => {
    try {
      onPayload(payload);
    } catch {
      return;
    }
  };
}

const alone = async () => {
  throw new Error("several gateways can share a PostgreSQL store only");
};

/** SQLite has one gateway at a time. */
export const NO_REPLICAS: ReplicasStore = {
  ...{
    join: alone,
    beat: alone,
    leave: alone,
    list: alone,
    reap: alone,
    take: alone,
    give: alone,
    placeFiles: alone,
    freeUnheld: alone,
  },
  ...{ waiting: alone, backlog: alone, send: alone, receive: alone, publish: alone, listen: alone },
};
