import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { ContractsTold, ContractUse, SessionSummary } from "../../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { CHAIN_START } from "../../../../engine/journal/governance-chain.ts";
import { type EntryRow, entryOf, pageOf, readRange, searchRange } from "../../ranges.ts";
import { explained } from "../store-error.ts";

/** A read-only journal. */
type GovernanceReader = Pick<GovernanceJournal, "head" | "read" | "search">;

/**
 * Reads the governance journal of a file without the query builder, which takes longer to load than Node itself.
 * Searches and errors load the code they need.
 */
export async function sqliteGovernanceReader(path: string): Promise<{
  readonly journal: GovernanceReader;
  readonly told?: ContractsTold;
  close(): void;
}> {
  const file = resolve(path);
  const explain = async (error: unknown) => (await import("../dialects/sqlite-errors.ts")).explainSqlite(file)(error);
  // Reading creates no store, and without one SQLite is not loaded.
  if (process.getBuiltinModule("node:fs").statSync(file, { throwIfNoEntry: false }) === undefined)
    return { journal: EMPTY, close: () => undefined };
  try {
    const { openSqliteFile } = await import("../dialects/sqlite-file.ts");
    const { database } = openSqliteFile(file);
    if (!hasTable(database, "conduct_governance")) {
      const journal = hasTable(database, "conduct_instructions") ? LOST : EMPTY;
      return { journal, close: () => database.close() };
    }
    const all = (sql: string, ...values: readonly (string | number)[]) =>
      database.prepare(sql).all(...values) as unknown as readonly EntryRow[];
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
      async search(query) {
        const { fts5Query, governanceWords, hasWords, soughtWords } = await import("../../search-words.ts");
        const { to, limit } = searchRange(query);
        const sought = soughtWords(query.text);
        if (sought === undefined) return [];
        const columns = "select seq, at, by, kind, body, prev, hash from conduct_governance where seq <= ?";
        // The store of an older Conduct has no index yet.
        if (!hasTable(database, "conduct_governance_words")) {
          const found = all(`${columns} order by seq desc`, to).map(entryOf);
          return found.filter((entry) => hasWords(governanceWords(entry), sought)).slice(0, limit);
        }
        const matching = "seq in (select rowid from conduct_governance_words where conduct_governance_words match ?)";
        const rows = all(`${columns} and ${matching} order by seq desc limit ?`, to, fts5Query(sought), limit);
        return rows.map(entryOf);
      },
    };
    const told = sqliteToldReader(database);
    return {
      journal: explained(journal, explain),
      told: told && explained(told, explain),
      close: () => database.close(),
    };
  } catch (error) {
    throw await explain(error);
  }
}

const EMPTY: GovernanceReader = {
  head: async () => CHAIN_START,
  read: async () => ({ entries: [] }),
  search: async () => [],
};

/** The journal's table is missing, although the tables created with it exist. */
const LOST: GovernanceReader = { ...EMPTY, read: async () => ({ entries: [], lost: true }) };

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== undefined;
}

/**
 * Reads which prompts contained a contract, without the query builder. `undefined` for the store of an older Conduct.
 */
function sqliteToldReader(database: DatabaseSync): ContractsTold | undefined {
  const known = "select 1 from pragma_table_info('conduct_events') where name = 'contract'";
  if (database.prepare(known).get() === undefined) return undefined;
  return {
    async use(hash): Promise<ContractUse> {
      const done = followedTo(database);
      if (done === 0) return useSince(database, hash, 0);
      const counted = database.prepare(
        "select prompts, sessions, last_at from conduct_contract_uses where contract = ?",
      );
      const { prompts = 0, sessions = 0, last_at: lastAt } = (counted.get(hash) ?? {}) as Partial<UseRow>;
      const fresh = useSince(database, hash, done);
      if (fresh.prompts === 0) return { prompts, sessions, lastAt };
      // A session counts once, in whichever part its first prompt is.
      const latest = Math.max(lastAt ?? 0, fresh.lastAt ?? 0);
      return { prompts: prompts + fresh.prompts, sessions: sessions + fresh.sessions, lastAt: latest };
    },
    async prompts(hash, limit) {
      const sought = "select event from conduct_events where contract >= ? and contract < ?";
      const rows = database.prepare(`${sought} order by position desc limit ?`).all(hash, `${hash}g`, limit);
      return rows.map(({ event }) => JSON.parse(String(event)) as ConductEvent);
    },
    async session(id) {
      const { nameKey } = await import("../values.ts");
      const { summarise } = await import("../../../../engine/journal/session-figures.ts");
      const row = database.prepare("select summary from conduct_sessions where session = ?").get(nameKey(id));
      let summary = row === undefined ? undefined : (JSON.parse(String(row.summary)) as SessionSummary);
      const fresh = database.prepare("select event from conduct_events where session = ? and position > ?");
      const after = hasTable(database, "conduct_projections") ? followedTo(database) : Number.MAX_SAFE_INTEGER;
      for (const { event } of fresh.all(nameKey(id), after))
        summary = summarise(summary, JSON.parse(String(event)) as ConductEvent);
      return summary;
    },
  };
}

type UseRow = { readonly prompts: number; readonly sessions: number; readonly last_at: number };

/** The last event in the counts; 0 for the store of an older Conduct. */
function followedTo(database: DatabaseSync): number {
  if (!hasTable(database, "conduct_projections")) return 0;
  const row = database.prepare("select position from conduct_projections where name = 'events'").get();
  return Number(row?.position ?? 0);
}

/** Counts the prompts after a position, and the sessions that have no earlier one with this contract. */
function useSince(database: DatabaseSync, hash: string, after: number): ContractUse {
  const figures = `select count(*) as prompts, max(at) as last_at, count(distinct case when not exists (select 1
    from conduct_events as old where old.session = new.session and old.position <= ? and old.contract = new.contract)
    then session end) as sessions`;
  const row = database
    .prepare(`${figures} from conduct_events as new where contract = ? and position > ?`)
    .get(after, hash, after) as {
    readonly prompts: number;
    readonly sessions: number;
    readonly last_at: number | null;
  };
  return { prompts: row.prompts, sessions: row.sessions, lastAt: row.last_at ?? undefined };
}
