import { type Kysely, sql } from "kysely";
import type { SqlKind } from "../tables.ts";

/** In the same words where it is asked and in the index, or neither database sees that the one is for the other. */
export function isObjectedCall(kind: SqlKind) {
  const find = sql.raw(kind === "sqlite" ? "instr" : "strpos");
  return sql<boolean>`type = 'call' and (denied = 1 or approval is not null or ${find}(event, '"shadows":[{') > 0)`;
}

/** Calls that a rule spoke against: few among many, and asked for by whoever looks at what rules do. */
export async function addObjectedCalls(db: Kysely<unknown>, kind: SqlKind): Promise<void> {
  await sql`create index conduct_events_objected on conduct_events (position) where ${isObjectedCall(kind)}`.execute(
    db,
  );
}
