import { sql } from "kysely";
import { StoreError } from "../../store-error.ts";
import type { SqlDatabase } from "../../tables.ts";
import { nameKey } from "../../values.ts";

/**
 * The leases of this process, with their fencing numbers. A process that is no replica has none, and may write
 * everything: a store on SQLite has one gateway.
 */
export type Fences = {
  self: string | undefined;
  readonly held: Map<string, number>;
};

export function noFences(): Fences {
  return { self: undefined, held: new Map() };
}

function leaseLost(conversation: string): StoreError {
  return new StoreError(
    "LEASE_LOST",
    `Another gateway has taken over the conversation ${conversation}`,
    "Nothing was written. Read the conversation again.",
  );
}

/**
 * Throws unless this process owns the conversation. The lease stays locked until the transaction ends, so no other
 * replica can take the conversation between the check and the write.
 */
export async function checkFence(trx: SqlDatabase, { self, held }: Fences, conversation: string): Promise<void> {
  if (self === undefined) return;
  const fence = held.get(conversation);
  if (fence === undefined) throw leaseLost(conversation);
  const { rows } = await sql`select 1 from conduct_leases where conversation = ${nameKey(conversation)}
    and replica = ${self} and fence = ${fence} for share`.execute(trx);
  if (rows.length === 0) throw leaseLost(conversation);
}
