import type { RepliesStore } from "../../../../base/ports/stores/replies.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import type { SqlDatabase } from "../tables.ts";
import { didWrite } from "../values.ts";

/** Stores replies in a database, sealed. Requests are stored as keyed hashes, because they could be guessed. */
export function sqlReplies(db: SqlDatabase, keys: Pick<StoreKeys, "seal">): RepliesStore {
  return {
    async claim(reply, asked, at, staleBefore) {
      const seal = await keys.seal();
      const request = seal.hash("request", asked);
      const claim = db
        .insertInto("conduct_replies")
        .values({ reply, request, at, status: null, body: null })
        .onConflict((conflict) =>
          conflict
            .column("reply")
            .doUpdateSet({ request, at })
            .where("conduct_replies.status", "is", null)
            .where(({ or, eb }) =>
              or([eb("conduct_replies.at", "<", staleBefore), eb("conduct_replies.at", ">", at + (at - staleBefore))]),
            ),
        );
      if (await didWrite(claim)) return { kind: "new" };
      const known = await db.selectFrom("conduct_replies").selectAll().where("reply", "=", reply).executeTakeFirst();
      // Dropped just now: the next request gets it.
      if (known === undefined) return { kind: "under-way" };
      if (known.request !== request) return { kind: "other" };
      return known.status === null || known.body === null
        ? { kind: "under-way" }
        : { kind: "replied", status: known.status, body: seal.open("conduct_replies.body", [reply], known.body) };
    },
    async keep(reply, claimedAt, status, body) {
      const sealed = (await keys.seal()).close("conduct_replies.body", [reply], body);
      await db
        .updateTable("conduct_replies")
        .set({ status, body: sealed })
        .where("reply", "=", reply)
        .where("at", "=", claimedAt)
        .where("status", "is", null)
        .execute();
    },
    async drop(reply, claimedAt) {
      const own = db.deleteFrom("conduct_replies").where("reply", "=", reply).where("at", "=", claimedAt);
      await own.where("status", "is", null).execute();
    },
    async expire(before) {
      const gone = await db.deleteFrom("conduct_replies").where("at", "<", before).executeTakeFirstOrThrow();
      return Number(gone.numDeletedRows);
    },
  };
}
