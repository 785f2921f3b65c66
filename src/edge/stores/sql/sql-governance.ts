import type { Selectable } from "kysely";
import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import type { GovernanceEntry, GovernanceHead, GovernanceJournal } from "../../../base/ports/governance.ts";
import type { Json } from "../../../base/words/json.ts";
import { CHAIN_START, sealEntries } from "../../../engine/journal/governance-chain.ts";
import { pageOf, readRange } from "../governance-range.ts";
import { fieldOf, StoreError } from "./store-error.ts";
import type { SqlDatabase, Tables } from "./tables.ts";

/** Keeps the governance journal in a database. */
export function sqlGovernance(db: SqlDatabase): GovernanceJournal {
  async function head(): Promise<GovernanceHead> {
    const newest = db.selectFrom("conduct_governance").select(["seq", "hash"]).orderBy("seq", "desc").limit(1);
    return (await newest.executeTakeFirst()) ?? CHAIN_START;
  }

  return {
    head,
    async append(after, drafts) {
      const last = await head();
      if (last.seq !== after) return "moved";
      const entries = sealEntries(last, drafts);
      if (entries.length === 0) return { entries };
      const rows = entries.map((entry) => ({ ...entry, body: canonicalJson(entry.body) }));
      try {
        // One statement: all or nothing. Who wrote after the same entry before us has the key.
        await db.insertInto("conduct_governance").values(rows).execute();
      } catch (error) {
        if (isConflict(error)) return "moved";
        throw error;
      }
      return { entries };
    },
    async read(query) {
      const { from, to, limit } = readRange(query);
      const { kinds } = query;
      if (kinds?.length === 0) return { entries: [] };
      const rows = await db
        .selectFrom("conduct_governance")
        .selectAll()
        .where("seq", ">=", from)
        .where("seq", "<=", to)
        .$if(kinds !== undefined, (some) => some.where("kind", "in", [...(kinds ?? [])]))
        .orderBy("seq")
        .limit(limit + 1)
        .execute();
      return pageOf(rows.map(entryOf), limit);
    },
  };
}

function entryOf({ seq, at, by, kind, body, prev, hash }: Selectable<Tables["conduct_governance"]>): GovernanceEntry {
  try {
    return { seq, at, by, kind, body: JSON.parse(body) as Json, prev, hash };
  } catch (error) {
    const what = `Entry ${seq} of the governance journal is damaged: its body is not JSON`;
    throw new StoreError("STORE_DAMAGED", what, "Put back a copy of the store.", error);
  }
}

/** A key that is taken: SQLite's extended result codes, PostgreSQL's SQLSTATE. */
function isConflict(error: unknown): boolean {
  const code = fieldOf(error, "errcode");
  return code === 1555 || code === 2067 || fieldOf(error, "code") === "23505";
}
