import type { SessionsStore } from "../../../../base/ports/stores/sessions.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { mergeChanges } from "../../../../behavior/session/snapshot/snapshot-delta.ts";
import type { Seal } from "../../seal/seal.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import { damagedSession, StoreError } from "../store-error.ts";
import type { SqlDatabase } from "../tables.ts";
import { type Write, writeAlone } from "../transactions.ts";
import { nameKey } from "../values.ts";

/** The allowed clock difference between machines. A lease that lasts longer was made by a wrong clock. */
const LEASE_SLACK_MS = 3_600_000;

/** The largest version in both databases. */
const MAX_VERSION = 2 ** 31 - 1;
/** Retries if another process replaced the changes while they were read. */
const MOST_LOOKS = 5;

/**
 * Stores sessions in a database, sealed. A row of version 0 is leased but was never saved. `changes` is the number of
 * changes since the snapshot, which are the newest versions; older ones are obsolete.
 */
export function sqlSessions(db: SqlDatabase, keys: Pick<StoreKeys, "seal">, grouped?: Write): SessionsStore {
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
      openState(id, () => seal.open("conduct_kept_changes.change", [nameKey(id), row.version], row.change)),
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
        const kept = openState(id, () => seal.open("conduct_kept_sessions.snapshot", [row.session], row.snapshot));
        const beside = openState(id, () => seal.open("conduct_kept_sessions.beside", [row.session], row.beside));
        return {
          snapshot: wholeSnapshot(id, kept, changes),
          beside: readBeside(beside, id),
          version: row.version,
        };
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
      if (!isVersion(expectedVersion) || expectedVersion === 0) return false;
      const [session, version] = [nameKey(id), expectedVersion + 1];
      const seal = await keys.seal();
      const next = { version, at, beside: beside && sealedBeside(seal, session, beside) };
      return append(async (trx) => {
        const row = await trx
          .updateTable("conduct_kept_sessions")
          .set((set) => ({ ...next, changes: set("changes", "+", 1) }))
          .where("session", "=", nameKey(id))
          .where("version", "=", expectedVersion)
          .returning("changes")
          .executeTakeFirst();
        if (row === undefined) return false;
        // The first change since a new snapshot: older changes are obsolete.
        if (row.changes === 1)
          await trx.deleteFrom("conduct_kept_changes").where("session", "=", nameKey(id)).execute();
        const sealed = seal.close("conduct_kept_changes.change", [session, version], change);
        await trx.insertInto("conduct_kept_changes").values({ session, version, change: sealed }).execute();
        return true;
      });
    },
    async save(id, { snapshot, beside, expectedVersion, at }) {
      if (!isVersion(expectedVersion)) return false;
      const session = nameKey(id);
      const seal = await keys.seal();
      const row = {
        snapshot: seal.close("conduct_kept_sessions.snapshot", [session], snapshot),
        beside: sealedBeside(seal, session, beside),
        version: expectedVersion + 1,
        at,
        changes: 0,
      };
      return save(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("conduct_kept_sessions")
          .set(row)
          .where("session", "=", nameKey(id))
          .where("version", "=", expectedVersion)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 1n || expectedVersion > 0) return numUpdatedRows === 1n;
        // Never saved and not held: the first insert wins.
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("conduct_kept_sessions")
          .values({ ...row, session: nameKey(id), holder: null, held_until: 0 })
          .onConflict((conflict) => conflict.column("session").doNothing())
          .executeTakeFirstOrThrow();
        return numInsertedOrUpdatedRows === 1n;
      });
    },
    async lease(id, { holder, until, now, over }) {
      const lease = { holder, held_until: until };
      const { numInsertedOrUpdatedRows } = await db
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
        )
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 1n) return { holder, until };
      const held = await rowOf(id).executeTakeFirst();
      // It may have been released just now; the next request gets it.
      return { holder: held?.holder ?? "", until: held?.held_until ?? now };
    },
    async renew({ holder, until }) {
      await db
        .updateTable("conduct_kept_sessions")
        .set({ held_until: until })
        .where("holder", "=", holder)
        .executeTakeFirst();
    },
    async release(id, holder) {
      await db
        .updateTable("conduct_kept_sessions")
        .set({ holder: null, held_until: 0 })
        .where("session", "=", nameKey(id))
        .where("holder", "=", holder)
        .executeTakeFirst();
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

function isVersion(version: number): boolean {
  return Number.isSafeInteger(version) && version >= 0 && version < MAX_VERSION;
}

function sealedBeside(seal: Seal, session: string, beside: JsonObject): string {
  return seal.close("conduct_kept_sessions.beside", [session], JSON.stringify(beside));
}

/** A value that does not decrypt was changed: only that session is damaged. */
function openState(id: string, open: () => string): string {
  try {
    return open();
  } catch (error) {
    throw error instanceof StoreError && error.code === "STORE_DAMAGED" ? damagedSession(id, error) : error;
  }
}

function readBeside(text: string, id: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    throw damagedSession(id, error);
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
