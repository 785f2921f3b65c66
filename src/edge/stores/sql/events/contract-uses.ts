import { sql } from "kysely";
import type { ContractUse } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { contractHashOf } from "../../../../engine/journal/session-figures.ts";
import type { SqlDatabase } from "../tables.ts";
import { chunks, readJson } from "../values.ts";

/** A session's prompts and the time of the last one, by the hash of their contract. */
type Sent = { [contract: string]: readonly [prompts: number, lastAt: number] };

/** The prompts of a session with these new events; `before` and the result are JSON. */
export function addSent(before: string | null, events: readonly ConductEvent[]): string | null {
  let sent: Sent | undefined;
  for (const event of events) {
    const contract = contractHashOf(event);
    if (contract === undefined) continue;
    sent ??= { ...readSent(before) };
    const [prompts, lastAt] = sent[contract] ?? [0, 0];
    sent[contract] = [prompts + 1, Math.max(lastAt, Number.isFinite(event.at) ? event.at : 0)];
  }
  return sent === undefined ? before : JSON.stringify(sent);
}

function readSent(text: string | null): Sent {
  return text === null ? {} : readJson<Sent, Sent>(text, {});
}

/** `gone`: the time of the newest prompt that was deleted; 0 if none was. */
type Change = { prompts: number; sessions: number; last: number; gone: number };

/** Adds up what changed in sessions, each given before and after, and writes it in the same transaction. */
export async function changeUses(
  trx: SqlDatabase,
  sessions: readonly { readonly before: string | null; readonly after: string | null }[],
): Promise<void> {
  const changes = new Map<string, Change>();
  for (const { before, after } of sessions) {
    if (before === after) continue;
    const [old, now] = [readSent(before), readSent(after)];
    for (const contract of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const change = changes.get(contract) ?? { prompts: 0, sessions: 0, last: 0, gone: 0 };
      const [was, is] = [old[contract], now[contract]];
      change.prompts += (is?.[0] ?? 0) - (was?.[0] ?? 0);
      change.sessions += (is === undefined ? 0 : 1) - (was === undefined ? 0 : 1);
      change.last = Math.max(change.last, is?.[1] ?? 0);
      if ((is?.[1] ?? 0) < (was?.[1] ?? 0)) change.gone = Math.max(change.gone, was?.[1] ?? 0);
      changes.set(contract, change);
    }
  }
  for (const some of chunks([...changes])) await add(trx, some);
}

async function add(trx: SqlDatabase, changes: readonly (readonly [string, Change])[]): Promise<void> {
  const values = changes.map(
    ([contract, { prompts, sessions, last }]) => sql`(${sql.join([contract, prompts, sessions, last])})`,
  );
  await sql`insert into conduct_contract_uses (contract, prompts, sessions, last_at) values ${sql.join(values)}
    on conflict (contract) do update set prompts = conduct_contract_uses.prompts + excluded.prompts,
      sessions = conduct_contract_uses.sessions + excluded.sessions,
      last_at = case when excluded.last_at > conduct_contract_uses.last_at then excluded.last_at
        else conduct_contract_uses.last_at end`.execute(trx);
  for (const [contract, { gone }] of changes) {
    if (gone === 0) continue;
    await trx.deleteFrom("conduct_contract_uses").where("contract", "=", contract).where("prompts", "<=", 0).execute();
    const newest = sql<number>`(select coalesce(max(at), 0) from conduct_events where contract = ${contract})`;
    await trx
      .updateTable("conduct_contract_uses")
      .set({ last_at: newest })
      .where("contract", "=", contract)
      .where("last_at", "<=", gone)
      .execute();
  }
}

export async function readUse(db: SqlDatabase, hash: string): Promise<ContractUse> {
  const row = await db
    .selectFrom("conduct_contract_uses")
    .select(["prompts", "sessions", "last_at"])
    .where("contract", "=", hash)
    .executeTakeFirst();
  if (row === undefined) return { prompts: 0, sessions: 0 };
  return { prompts: Number(row.prompts), sessions: Number(row.sessions), lastAt: row.last_at };
}
