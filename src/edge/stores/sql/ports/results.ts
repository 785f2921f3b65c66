import { sha256 } from "../../../../base/kernel/canonical-json.ts";
import type { Results } from "../../../../base/ports/stores/results.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import type { SqlDatabase } from "../tables.ts";
import { chunks, keyOf } from "../values.ts";

/** A store of results that is bounded in age and size. */
export type SqlResults = Results & {
  /** Removes expired results, then the oldest until the rest fits. Also runs on its own from `keep`. */
  sweep(): Promise<void>;
};

export type SqlResultsOptions = {
  /** Milliseconds until a result expires; a week by default. */
  readonly maxAge?: number;
  /** Bytes of all results together; 1 GB by default. */
  readonly maxBytes?: number;
  readonly now?: () => number;
};

const WEEK = 7 * 24 * 3_600_000;
const GIGABYTE = 1024 ** 3;
const PART_BYTES = 4 * 1024 * 1024;

/** Stores full results in a database, sealed, in parts. */
export function sqlResults(
  db: SqlDatabase,
  keys: Pick<StoreKeys, "seal">,
  options: SqlResultsOptions = {},
): SqlResults {
  const { maxAge = WEEK, maxBytes = GIGABYTE, now = Date.now } = options;
  let unswept = Number.POSITIVE_INFINITY;

  async function sweep(): Promise<void> {
    unswept = 0;
    await db
      .deleteFrom("conduct_results")
      .where("at", "<", now() - maxAge)
      .execute();
    const newest = await db
      .selectFrom("conduct_results")
      .select(["result", "bytes"])
      .orderBy("at", "desc")
      .orderBy("result")
      .execute();
    let total = 0;
    const over = newest.filter(({ bytes }) => {
      total += bytes;
      return total > maxBytes;
    });
    for (const some of chunks(over.map(({ result }) => result)))
      await db.deleteFrom("conduct_results").where("result", "in", some).execute();
  }

  return {
    sweep,
    async keep(session, handle, text) {
      // Lone surrogates become U+FFFD here.
      const data = Buffer.from(text, "utf8");
      const bytes = data.byteLength;
      if (bytes > maxBytes) throw new Error(`a result of ${bytes} bytes exceeds the store's ${maxBytes}`);
      const result = keyOf(session, handle);
      const seal = await keys.seal();
      await db.transaction().execute(async (trx) => {
        const row = { at: now(), bytes };
        await trx
          .insertInto("conduct_results")
          .values({ result, session: sha256(session), ...row })
          // Locks the row before its parts: a concurrent writer of the same handle waits here.
          .onConflict((conflict) => conflict.column("result").doUpdateSet(row))
          .execute();
        await trx.deleteFrom("conduct_result_parts").where("result", "=", result).execute();
        for (let part = 0; part * PART_BYTES < bytes; part++) {
          const piece = data.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
          const sealed = seal.closeBytes("conduct_result_parts.data", [result, part], piece);
          await trx.insertInto("conduct_result_parts").values({ result, part, data: sealed }).execute();
        }
      });
      unswept += bytes;
      if (unswept > maxBytes / 10) await sweep();
    },
    async read(session, handle) {
      const result = keyOf(session, handle);
      const rows = await db
        .selectFrom("conduct_results")
        .leftJoin("conduct_result_parts", "conduct_result_parts.result", "conduct_results.result")
        .select(["part", "data"])
        .where("conduct_results.result", "=", result)
        .where("at", ">=", now() - maxAge)
        .orderBy("part")
        .execute();
      if (rows.length === 0) return undefined;
      const seal = await keys.seal();
      const parts = rows.flatMap(({ part, data }) =>
        part === null || data === null ? [] : [seal.openBytes("conduct_result_parts.data", [result, part], data)],
      );
      return Buffer.concat(parts).toString("utf8");
    },
  };
}
