import type { SessionsStore } from "../../../../base/ports/stores/sessions.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { mergeChanges } from "../../../../behavior/session/snapshot/snapshot-delta.ts";
import type { Seal } from "../../seal/seal.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import type { Prepare, SqliteWriter } from "../dialects/sqlite-writer.ts";
import { damagedSession, StoreError } from "../store-error.ts";
import type { SqlDatabase } from "../tables.ts";
import { writeAlone } from "../transactions.ts";
import { didWrite, isVersion, nameKey, readBody } from "../values.ts";
import { checkFence, type Fences, noFences } from "./hosting/fences.ts";

/** The allowed clock difference between machines. A lease that lasts longer was made by a wrong clock. */
const LEASE_SLACK_MS = 3_600_000;

/** A larger snapshot has a row of its own. */
const LARGE = 8_192;

/** Retries if another process replaced the changes while they were read. */
const MOST_LOOKS = 5;

/**
 * Stores sessions in a database, sealed. A row of version 0 is leased but was never saved. `changes` is the number of the
 * newest versions that make up the state, after the snapshot in the row. A large snapshot is the first of them instead,
 * because a database copies the whole row that it updates.
 */
export function sqlSessions(
  db: SqlDatabase,
  keys: Pick<StoreKeys, "seal">,
  direct?: SqliteWriter,
  fences: Fences = noFences(),
): SessionsStore {
  const write = writeAlone(db);
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
          const [first = "", ...since] = row.snapshot === "" ? changes : [snapshot, ...changes];
          return {
            snapshot: wholeSnapshot(id, first, since),
            beside: readBody<JsonObject>(beside, "The host's data"),
            version: row.version,
          };
        });
      }
    },
    async setAside(id, why, at) {
      const session = nameKey(id);
      await db.transaction().execute(async (trx) => {
        await checkFence(trx, fences, id);
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
      return write(async (trx) => {
        await checkFence(trx, fences, id);
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
      const version = expectedVersion + 1;
      const inRow = seal.close("conduct_kept_sessions.snapshot", [session], snapshot);
      const isLarge = inRow.length > LARGE;
      const change = isLarge ? seal.close("conduct_kept_changes.change", [session, version], snapshot) : "";
      const kept = { session, version, at, snapshot: isLarge ? "" : inRow, change };
      const details = sealedBeside(seal, session, beside);
      if (direct !== undefined) return direct(saving({ ...kept, beside: details, expectedVersion }));
      const row = { snapshot: kept.snapshot, beside: details, version, at, changes: isLarge ? 1 : 0 };
      return write(async (trx) => {
        await checkFence(trx, fences, id);
        const update = trx.updateTable("conduct_kept_sessions").set(row).where("session", "=", session);
        const isUpdated = await didWrite(update.where("version", "=", expectedVersion));
        if (!isUpdated && expectedVersion > 0) return false;
        // Never saved and not held: the first insert wins.
        const insert = trx.insertInto("conduct_kept_sessions").values({ ...row, session, holder: null, held_until: 0 });
        const isFirst = insert.onConflict((conflict) => conflict.column("session").doNothing());
        if (!isUpdated && !(await didWrite(isFirst))) return false;
        if (!isLarge) return true;
        await trx.deleteFrom("conduct_kept_changes").where("session", "=", session).execute();
        await trx.insertInto("conduct_kept_changes").values({ session, version, change }).execute();
        return true;
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

/** The time of a session only decides when it expires, and every new one costs a page of its index. */
const SAME_TIME_MS = 60_000;

const INSERT_CHANGE = "insert into conduct_kept_changes (session, version, change) values (?, ?, ?)";
const DELETE_CHANGES = "delete from conduct_kept_changes where session = ?";

/** Appends a change on SQLite, in a transaction. Returns false if the stored version is another one. */
function appending(next: Saved & { readonly beside: string | undefined; readonly change: string }) {
  const { session, version, at, beside, change, expectedVersion } = next;
  return (prepare: Prepare): boolean => {
    const row = prepare(
      "update conduct_kept_sessions set version = ?, beside = coalesce(?, beside), changes = changes + 1 " +
        "where session = ? and version = ? returning changes, at",
    ).get(version, beside ?? null, session, expectedVersion);
    if (row === undefined) return false;
    // A statement that sets the time writes its index, even if the time is the same.
    if (Math.abs(at - Number(row.at)) >= SAME_TIME_MS)
      prepare("update conduct_kept_sessions set at = ? where session = ?").run(at, session);
    // The first change since a new snapshot: older changes are obsolete.
    if (row.changes === 1) prepare(DELETE_CHANGES).run(session);
    prepare(INSERT_CHANGE).run(session, version, change);
    return true;
  };
}

/** Saves a snapshot on SQLite, in a transaction. Returns false if the stored version is another one. */
function saving(next: Saved & { readonly snapshot: string; readonly change: string; readonly beside: string }) {
  const { session, snapshot, change, beside, version, at, expectedVersion } = next;
  const changes = change === "" ? 0 : 1;
  return (prepare: Prepare): boolean => {
    const updated = prepare(
      "update conduct_kept_sessions set snapshot = ?, beside = ?, version = ?, at = ?, changes = ? " +
        "where session = ? and version = ?",
    ).run(snapshot, beside, version, at, changes, session, expectedVersion);
    if (updated.changes === 0 && expectedVersion > 0) return false;
    if (updated.changes === 0) {
      // Never saved and not held: the first insert wins.
      const inserted = prepare(
        "insert into conduct_kept_sessions (session, snapshot, beside, version, at, changes, holder, held_until) " +
          "values (?, ?, ?, ?, ?, ?, null, 0) on conflict (session) do nothing",
      ).run(session, snapshot, beside, version, at, changes);
      if (inserted.changes === 0) return false;
    }
    if (change === "") return true;
    prepare(DELETE_CHANGES).run(session);
    prepare(INSERT_CHANGE).run(session, version, change);
    return true;
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
