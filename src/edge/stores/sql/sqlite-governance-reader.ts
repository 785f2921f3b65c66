import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { GovernanceEntry, GovernanceJournal } from "../../../base/ports/governance.ts";
import { CHAIN_START } from "../../../engine/journal/governance-chain.ts";
import { pageOf, readRange } from "../governance-range.ts";
import { explainSqlite } from "./explain-sqlite.ts";
import { openSqliteFile } from "./sqlite-file.ts";
import { explained, StoreError } from "./store-error.ts";

/** A journal that can be read, and nothing else. */
type GovernanceReader = Pick<GovernanceJournal, "head" | "read">;

type Row = Omit<GovernanceEntry, "body"> & { readonly body: string };

/** Reads the governance journal of a file without the query builder, which alone takes longer to load than Node. */
export function sqliteGovernanceReader(path: string): { readonly journal: GovernanceReader; close(): void } {
  const file = resolve(path);
  const explain = explainSqlite(file);
  // Who only looks makes no store.
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return { journal: EMPTY, close: () => undefined };
  try {
    const { database } = openSqliteFile(file);
    const there = database.prepare("select 1 from sqlite_master where type = 'table' and name = 'conduct_governance'");
    if (there.get() === undefined) return { journal: EMPTY, close: () => database.close() };
    const all = (sql: string, ...values: readonly (string | number)[]) =>
      database.prepare(sql).all(...values) as unknown as readonly Row[];
    const journal: GovernanceReader = {
      async head() {
        const [newest] = all("select seq, hash from conduct_governance order by seq desc limit 1");
        return newest === undefined ? CHAIN_START : { seq: newest.seq, hash: newest.hash };
      },
      async read(query) {
        const { from, to, limit } = readRange(query);
        const kinds = query.kinds === undefined ? "" : `and kind in (${query.kinds.map(() => "?").join(", ")})`;
        const rows = all(
          `select seq, at, by, kind, body, prev, hash from conduct_governance where seq >= ? and seq <= ? ${kinds} order by seq limit ?`,
          ...[from, to, ...(query.kinds ?? []), limit + 1],
        );
        return pageOf(rows.map(entryOf), limit);
      },
    };
    return { journal: explained(journal, explain), close: () => database.close() };
  } catch (error) {
    throw explain(error);
  }
}

const EMPTY: GovernanceReader = { head: async () => CHAIN_START, read: async () => ({ entries: [] }) };

function entryOf({ seq, at, by, kind, body, prev, hash }: Row): GovernanceEntry {
  try {
    return { seq, at, by, kind, body: JSON.parse(body), prev, hash };
  } catch (error) {
    const what = `Entry ${seq} of the governance journal is damaged: its body is not JSON`;
    throw new StoreError("STORE_DAMAGED", what, "Put back a copy of the store.", error);
  }
}
