import type { DatabaseSync } from "node:sqlite";
import type { ContractsTold, ContractUse, SessionSummary } from "../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../base/words/event.ts";

/** Where contracts were told, read without the query builder. `undefined` for a store that no newer Conduct has opened yet. */
export function sqliteToldReader(database: DatabaseSync): ContractsTold | undefined {
  const known = "select 1 from pragma_table_info('conduct_events') where name = 'contract'";
  if (database.prepare(known).get() === undefined) return undefined;
  return {
    async use(hash): Promise<ContractUse> {
      const figures = "select count(*) as prompts, count(distinct session) as sessions, max(at) as last";
      const row = database.prepare(`${figures} from conduct_events where contract = ?`).get(hash);
      const { prompts, sessions, last } = row as { prompts: number; sessions: number; last: number | null };
      return { prompts, sessions, ...(last === null ? {} : { lastAt: last }) };
    },
    async prompts(hash, limit) {
      const sought = "select event from conduct_events where contract >= ? and contract < ?";
      const rows = database.prepare(`${sought} order by position desc limit ?`).all(hash, `${hash}g`, limit);
      return rows.map(({ event }) => JSON.parse(String(event)) as ConductEvent);
    },
    async session(id) {
      const { nameKey } = await import("./names.ts");
      const row = database.prepare("select summary from conduct_sessions where session = ?").get(nameKey(id));
      return row === undefined ? undefined : (JSON.parse(String(row.summary)) as SessionSummary);
    },
  };
}
