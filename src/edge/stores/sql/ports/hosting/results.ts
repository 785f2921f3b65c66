import { sql } from "kysely";
import { wellFormed } from "../../../../../base/kernel/text.ts";
import type { KeptResults } from "../../../../../base/ports/stores/results.ts";
import type { StoreKeys } from "../../../seal/store-keys.ts";
import type { SqlDatabase } from "../../tables.ts";
import { nameKey } from "../../values.ts";

export type SqlResultsOptions = { readonly maxAge?: number; readonly maxBytes?: number; readonly now?: () => number };

const WEEK = 7 * 24 * 3_600_000;
const TEN_GIGABYTES = 10 * 1024 ** 3;

/** Stores whole results in a database, sealed, so that every gateway can read them. Bounded in age and size. */
export function sqlResults(
  db: SqlDatabase,
  keys: Pick<StoreKeys, "seal">,
  { maxAge = WEEK, maxBytes = TEN_GIGABYTES, now = Date.now }: SqlResultsOptions = {},
): KeptResults {
  let unswept = Number.POSITIVE_INFINITY;
  const rowOf = (session: string, handle: string) => ({ session: nameKey(session), handle: nameKey(handle) });

  /** Removes expired results, then the oldest until the rest fits. */
  async function sweep(): Promise<void> {
    unswept = 0;
    await db
      .deleteFrom("conduct_whole_results")
      .where("at", "<", now() - maxAge)
      .execute();
    await sql`delete from conduct_whole_results where (session, handle) in (select session, handle from
      (select session, handle, sum(bytes) over (order by at desc, session, handle) as total from conduct_whole_results)
      as newest where total > ${maxBytes})`.execute(db);
  }

  return {
    async keep(session, handle, text) {
      const bytes = Buffer.byteLength(text);
      if (bytes > maxBytes) throw new Error(`a result of ${bytes} bytes exceeds the store's ${maxBytes}`);
      const row = rowOf(session, handle);
      const body = (await keys.seal()).close("conduct_whole_results.body", [row.session, row.handle], wellFormed(text));
      const stored = { body, bytes, at: now() };
      await db
        .insertInto("conduct_whole_results")
        .values({ ...row, ...stored })
        .onConflict((conflict) => conflict.columns(["session", "handle"]).doUpdateSet(stored))
        .execute();
      unswept += bytes;
      if (unswept > maxBytes / 10) await sweep();
    },
    async read(session, handle) {
      const row = rowOf(session, handle);
      const found = await db
        .selectFrom("conduct_whole_results")
        .select("body")
        .where("session", "=", row.session)
        .where("handle", "=", row.handle)
        .where("at", ">=", now() - maxAge)
        .executeTakeFirst();
      if (found === undefined) return undefined;
      return (await keys.seal()).open("conduct_whole_results.body", [row.session, row.handle], found.body);
    },
    async forget(session) {
      await db.deleteFrom("conduct_whole_results").where("session", "=", nameKey(session)).execute();
    },
  };
}
