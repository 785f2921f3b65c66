import type { SessionsStore } from "../../../base/ports/sessions.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Write } from "./group-writes.ts";
import { nameKey } from "./names.ts";
import { StoreError } from "./store-error.ts";
import type { SqlDatabase } from "./tables.ts";

/** The largest version that both databases hold. */
const MAX_VERSION = 2 ** 31 - 1;

/** Keeps sessions in a database. A row of version 0 is one that is held and was never saved. */
export function sqlSessions(db: SqlDatabase, write: Write = (run) => run(db)): SessionsStore {
  const rowOf = (id: string) => db.selectFrom("conduct_kept_sessions").selectAll().where("session", "=", nameKey(id));

  return {
    async load(id) {
      const row = await rowOf(id).executeTakeFirst();
      if (row === undefined || row.version === 0) return undefined;
      return { snapshot: row.snapshot, beside: readBeside(row.beside, id), version: row.version };
    },
    async save(id, { snapshot, beside, expectedVersion, at }) {
      if (!Number.isSafeInteger(expectedVersion) || expectedVersion < 0 || expectedVersion >= MAX_VERSION) return false;
      const row = { snapshot, beside: JSON.stringify(beside), version: expectedVersion + 1, at };
      return write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("conduct_kept_sessions")
          .set(row)
          .where("session", "=", nameKey(id))
          .where("version", "=", expectedVersion)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 1n || expectedVersion > 0) return numUpdatedRows === 1n;
        // Never saved and not held: whoever makes the row first has saved it.
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
        .values({ session: nameKey(id), version: 0, at: now, snapshot: "", beside: "{}", ...lease })
        .onConflict((conflict) =>
          conflict
            .column("session")
            .doUpdateSet(lease)
            .where((where) =>
              where.or([
                where("conduct_kept_sessions.holder", "is", null),
                where("conduct_kept_sessions.holder", "in", [holder, ...(over === undefined ? [] : [over])]),
                where("conduct_kept_sessions.held_until", "<=", now),
              ]),
            ),
        )
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 1n) return { holder, until };
      const held = await rowOf(id).executeTakeFirst();
      // It may just have been let go; whoever asks again gets it.
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
    },
    async expire(before) {
      const { numDeletedRows } = await db
        .deleteFrom("conduct_kept_sessions")
        .where("at", "<", before)
        .where((where) => where.or([where("holder", "is", null), where("held_until", "<", before)]))
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

function readBeside(text: string, id: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    const fix = "Put back a copy of the store, or start a new session.";
    throw new StoreError("STORE_DAMAGED", `What was kept of session ${id} is damaged`, fix, error);
  }
}
