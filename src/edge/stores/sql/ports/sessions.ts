import type { StatementSync } from "node:sqlite";
import type { SessionsStore } from "../../../../base/ports/stores/sessions.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { mergeChanges } from "../../../../behavior/session/snapshot/snapshot-delta.ts";
import type { Seal } from "../../seal/seal.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import type { SqliteWriter } from "../dialects/sqlite-writer.ts";
import { damagedSession, StoreError } from "../store-error.ts";
import type { SqlDatabase } from "../tables.ts";
import { type Write, writeAlone } from "../transactions.ts";
import { didWrite, isVersion, nameKey, readBody } from "../values.ts";

/** The allowed clock difference between machines. A lease that lasts longer was made by a wrong clock. */
const LEASE_SLACK_MS = 3_600_000;

/** Retries if another process replaced the changes while they were read. */
const MOST_LOOKS = 5;

/**
 * Stores sessions in a database, sealed. A row of version 0 is leased but was never saved. `changes` is the number of
 * changes since the snapshot, which are the newest versions; older ones are obsolete.
 */
export function sqlSessions(
  db: SqlDatabase,
  keys: Pick<StoreKeys, "seal">,
  grouped?: Write,
  direct?: SqliteWriter,
): SessionsStore {
  const save: Write = grouped ?? ((run) => run(db));
  const append = grouped ?? writeAlone(db);
  const rowOf = (id: string) => db.selectFrom("conduct_kept_sessions").selectAll().where("session", "=", nameKey(id));

  async function changesOf(id: string, { version, changes }: { readonly version: number; readonly changes: number }) {
    const rows = await db
      .selectFrom("conduct_kept_changes")
      .select(["version", "change"])
      .where("session", "=", nameKey(id))
      .where("version", ">", version - changes)
      .where("version", "<=", version)
      .orderBy("version")
      .execute();
    const seal = await keys.seal();
    return rows.map((row) =>
      orDamaged(id, () => seal.open("conduct_kept_changes.change", [nameKey(id), row.version], row.change)),
    );
  }

  return {
    async load(id) {
      const seal = await keys.seal();
      for (let tries = 0; ; tries++) {
        const row = await rowOf(id).executeTakeFirst();
        if (row === undefined || row.version === 0) return undefined;
        const changes = row.changes === 0 ? [] : await changesOf(id, row);
        // Another process may have saved between the two reads.
        if (changes.length !== row.changes && tries < MOST_LOOKS) continue;
        if (changes.length !== row.changes) throw damagedSession(id, `${changes.length} of ${row.changes} changes`);
        return orDamaged(id, () => {
          const snapshot = seal.open("conduct_kept_sessions.snapshot", [row.session], row.snapshot);
          const beside = seal.open("conduct_kept_sessions.beside", [row.session], row.beside);
          return {
            snapshot: wholeSnapshot(id, snapshot, changes),
            beside: readBody<JsonObject>(beside, "The host's data"),
            version: row.version,
          };
        });
      }
    },
    async setAside(id, why, at) {
      const session = nameKey(id);
      await db.transaction().execute(async (trx) => {
        const row = await trx
          .selectFrom("conduct_kept_sessions")
          .select(["snapshot", "beside", "version"])
          .where("session", "=", session)
          .executeTakeFirst();
        if (row === undefined) return;
        const changes = await trx
          .selectFrom("conduct_kept_changes")
          .select(["version", "change"])
          .where("session", "=", session)
          .orderBy("version")
          .execute();
        const evidence = { session, at, why, ...row, changes: JSON.stringify(changes) };
        await trx.insertInto("conduct_damaged_sessions").values(evidence).execute();
        await trx.deleteFrom("conduct_kept_changes").where("session", "=", session).execute();
        const empty = { snapshot: "", beside: "{}", version: 0, changes: 0, at };
        await trx.updateTable("conduct_kept_sessions").set(empty).where("session", "=", session).execute();
      });
    },
    async append(id, { change, beside, expectedVersion, at }) {
      if (!isVersion(expectedVersion) || !isVersion(expectedVersion + 1)) return false;
      const [session, version] = [nameKey(id), expectedVersion + 1];
      const seal = await keys.seal();
      const next = { version, at, beside: beside && sealedBeside(seal, session, beside) };
      const sealed = seal.close("conduct_kept_changes.change", [session, version], change);
      if (direct !== undefined) return direct(appending({ session, ...next, change: sealed, expectedVersion }));
      return append(async (trx) => {
        const row = await trx
          .updateTable("conduct_kept_sessions")
          .set((set) => ({ ...next, changes: set("changes", "+", 1) }))
          .where("session", "=", session)
          .where("version", "=", expectedVersion)
          .returning("changes")
          .executeTakeFirst();
        if (row === undefined) return false;
        // The first change since a new snapshot: older changes are obsolete.
        if (row.changes === 1) await trx.deleteFrom("conduct_kept_changes").where("session", "=", session).execute();
        await trx.insertInto("conduct_kept_changes").values({ session, version, change: sealed }).execute();
        return true;
      });
    },
    async save(id, { snapshot, beside, expectedVersion, at }) {
      if (!isVersion(expectedVersion + 1)) return false;
      const session = nameKey(id);
      const seal = await keys.seal();
      const row = {
        snapshot: seal.close("conduct_kept_sessions.snapshot", [session], snapshot),
        beside: sealedBeside(seal, session, beside),
        version: expectedVersion + 1,
        at,
        changes: 0,
      };
      if (direct !== undefined) return direct(saving({ session, ...row, expectedVersion }));
      return save(async (trx) => {
        const update = trx.updateTable("conduct_kept_sessions").set(row).where("session", "=", session);
        const isSaved = await didWrite(update.where("version", "=", expectedVersion));
        if (isSaved || expectedVersion > 0) return isSaved;
        // Never saved and not held: the first insert wins.
        const insert = trx.insertInto("conduct_kept_sessions").values({ ...row, session, holder: null, held_until: 0 });
        return didWrite(insert.onConflict((conflict) => conflict.column("session").doNothing()));
      });
    },
    async lease(id, { holder, until, now, over }) {
      const lease = { holder, held_until: until };
      const take = db
        .insertInto("conduct_kept_sessions")
        .values({ session: nameKey(id), version: 0, at: now, snapshot: "", changes: 0, beside: "{}", ...lease })
        .onConflict((conflict) =>
          conflict
            .column("session")
            .doUpdateSet(lease)
            .where((where) =>
              where.or([
                where("conduct_kept_sessions.holder", "is", null),
                where("conduct_kept_sessions.holder", "in", [holder, over ?? holder]),
                where("conduct_kept_sessions.held_until", "<=", now),
                where("conduct_kept_sessions.held_until", ">", until + LEASE_SLACK_MS),
              ]),
            ),
        );
      if (await didWrite(take)) return { holder, until };
      const held = await rowOf(id).executeTakeFirst();
      // It may have been released just now; the next request gets it.
      return { holder: held?.holder ?? "", until: held?.held_until ?? now };
    },
    async renew({ holder, until }) {
      await db.updateTable("conduct_kept_sessions").set({ held_until: until }).where("holder", "=", holder).execute();
    },
    async release(id, holder) {
      const free = db.updateTable("conduct_kept_sessions").set({ holder: null, held_until: 0 });
      await free.where("session", "=", nameKey(id)).where("holder", "=", holder).execute();
    },
    async remove(id) {
      await db.deleteFrom("conduct_kept_sessions").where("session", "=", nameKey(id)).execute();
      await db.deleteFrom("conduct_damaged_sessions").where("session", "=", nameKey(id)).execute();
    },
    async expire(before) {
      await db.deleteFrom("conduct_damaged_sessions").where("at", "<", before).execute();
      const { numDeletedRows } = await db
        .deleteFrom("conduct_kept_sessions")
        .where("at", "<", before)
        .where((where) => where.or([where("holder", "is", null), where("held_until", "<", before)]))
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

type Saved = {
  readonly session: string;
  readonly version: number;
  readonly at: number;
  readonly expectedVersion: number;
};

/** Appends a change on SQLite, in a transaction. Returns false if the stored version is another one. */
function appending(next: Saved & { readonly beside: string | undefined; readonly change: string }) {
  const { session, version, at, beside, change, expectedVersion } = next;
  return (prepare: (sql: string) => StatementSync): boolean => {
    const row = prepare(
      "update conduct_kept_sessions set version = ?, at = ?, beside = coalesce(?, beside), changes = changes + 1 " +
        "where session = ? and version = ? returning changes",
    ).get(version, at, beside ?? null, session, expectedVersion);
    if (row === undefined) return false;
    // The first change since a new snapshot: older changes are obsolete.
    if (row.changes === 1) prepare("delete from conduct_kept_changes where session = ?").run(session);
    prepare("insert into conduct_kept_changes (session, version, change) values (?, ?, ?)").run(
      session,
      version,
      change,
    );
    return true;
  };
}

/** Saves a snapshot on SQLite, in a transaction. Returns false if the stored version is another one. */
function saving(next: Saved & { readonly snapshot: string; readonly beside: string }) {
  const { session, snapshot, beside, version, at, expectedVersion } = next;
  return (prepare: (sql: string) => StatementSync): boolean => {
    const { changes } = prepare(
      "update conduct_kept_sessions set snapshot = ?, beside = ?, version = ?, at = ?, changes = 0 " +
        "where session = ? and version = ?",
    ).run(snapshot, beside, version, at, session, expectedVersion);
    if (changes !== 0 || expectedVersion > 0) return changes !== 0;
    // Never saved and not held: the first insert wins.
    const inserted = prepare(
      "insert into conduct_kept_sessions (session, snapshot, beside, version, at, changes, holder, held_until) " +
        "values (?, ?, ?, ?, ?, 0, null, 0) on conflict (session) do nothing",
    ).run(session, snapshot, beside, version, at);
    return inserted.changes !== 0;
  };
}

function sealedBeside(seal: Seal, session: string, beside: JsonObject): string {
  return seal.close("conduct_kept_sessions.beside", [session], JSON.stringify(beside));
}

/** A value that does not decrypt or parse was changed: only that session is damaged. */
function orDamaged<T>(id: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof StoreError && error.code === "STORE_DAMAGED" ? damagedSession(id, error) : error;
  }
}

/**
 * The snapshot with its changes applied. Throws if they do not fit together: half of a state is nothing to decide by.
 */
function wholeSnapshot(id: string, snapshot: string, changes: readonly string[]): string {
  if (changes.length === 0) return snapshot;
  const whole = mergeChanges(snapshot, changes);
  if (typeof whole === "string") return whole;
  throw damagedSession(id, whole.fault.message);
}
