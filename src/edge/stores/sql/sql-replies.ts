import type { RepliesStore } from "../../../base/ports/replies.ts";
import type { SqlDatabase } from "./tables.ts";

/** Keeps answers to writes in a database. Keys come as hashes. */
export function sqlReplies(db: SqlDatabase): RepliesStore {
  return {
    async claim(reply, request, at, staleBefore) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("conduct_replies")
        .values({ reply, request, at, status: null, body: null })
        .onConflict((conflict) =>
          conflict
            .column("reply")
            .doUpdateSet({ request, at })
            .where("conduct_replies.status", "is", null)
            .where((where) =>
              where.or([
                where("conduct_replies.at", "<", staleBefore),
                where("conduct_replies.at", ">", at + (at - staleBefore)),
              ]),
            ),
        )
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 1n) return { kind: "new" };
      const known = await db.selectFrom("conduct_replies").selectAll().where("reply", "=", reply).executeTakeFirst();
      // Dropped in this very moment: whoever sends it again gets it.
      if (known === undefined) return { kind: "under-way" };
      if (known.request !== request) return { kind: "other" };
      return known.status === null || known.body === null
        ? { kind: "under-way" }
        : { kind: "replied", status: known.status, body: known.body };
    },
    async keep(reply, claimedAt, status, body) {
      await db
        .updateTable("conduct_replies")
        .set({ status, body })
        .where("reply", "=", reply)
        .where("at", "=", claimedAt)
        .where("status", "is", null)
        .execute();
    },
    async drop(reply, claimedAt) {
      await db
        .deleteFrom("conduct_replies")
        .where("reply", "=", reply)
        .where("at", "=", claimedAt)
        .where("status", "is", null)
        .execute();
    },
    async expire(before) {
      const { numDeletedRows } = await db
        .deleteFrom("conduct_replies")
        .where("at", "<", before)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}
