import { canonicalJson } from "../../../../base/kernel/canonical-json.ts";
import type { GovernanceHead, GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import { CHAIN_START, sealEntries } from "../../../../engine/journal/governance-chain.ts";
import { entryOf, pageOf, readRange, searchRange } from "../../ranges.ts";
import { governanceWords } from "../../search-words.ts";
import type { SqliteReader } from "../dialects/sqlite-reader.ts";
import { withWords, wordIndex } from "../search/word-index.ts";
import { isConflict, isMissingTable } from "../store-error.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";

const COLUMNS = ["seq", "at", "by", "kind", "body", "prev", "hash"] as const;

/** Stores the governance journal in a database. */
export function sqlGovernance(db: SqlDatabase, kind: SqlKind, direct?: SqliteReader): GovernanceJournal {
  const index = wordIndex(kind, "governance");

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
      const found = entries.map((entry) => ({ row: entry.seq, words: governanceWords(entry) }));
      const rows = entries.map((entry, at) => ({
        ...entry,
        body: canonicalJson(entry.body),
        ...index.columns(found[at]?.words ?? []),
      }));
      try {
        // Atomic: in PostgreSQL it is one statement. A concurrent writer has taken the key.
        await withWords(async (words) => {
          const write = async (trx: SqlDatabase) => {
            await trx.insertInto("conduct_governance").values(rows).execute();
            if (words === "indexed") await index.add(trx, found);
          };
          await (kind === "sqlite" ? db.transaction().execute(write) : write(db));
        });
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
      // Each prompt looks for newer entries, and almost always there are none.
      if (direct !== undefined && (await unlessLost(direct(ANY, from, to)))?.length === 0) return { entries: [] };
      const rows = await unlessLost(
        db
          .selectFrom("conduct_governance")
          .select(COLUMNS)
          .where("seq", ">=", from)
          .where("seq", "<=", to)
          .$if(kinds !== undefined, (some) => some.where("kind", "in", [...(kinds ?? [])]))
          .orderBy("seq")
          .limit(limit + 1)
          .execute(),
      );
      return rows === "lost" ? { entries: [], lost: true } : pageOf(rows.map(entryOf), limit);
    },
    async search(query) {
      const { to, limit } = searchRange(query);
      const rows = await db
        .selectFrom("conduct_governance")
        .select(COLUMNS)
        .where(index.matches(query.text))
        .where("seq", "<=", to)
        .orderBy("seq", "desc")
        .limit(limit)
        .execute();
      return rows.map(entryOf);
    },
  };
}

const ANY = "select 1 from conduct_governance where seq >= ? and seq <= ? limit 1";

/** Every store has this table, so a missing one was removed by somebody. */
async function unlessLost<T>(reading: Promise<T>): Promise<T | "lost"> {
  try {
    return await reading;
  } catch (error) {
    if (isMissingTable(error)) return "lost";
    throw error;
  }
}
