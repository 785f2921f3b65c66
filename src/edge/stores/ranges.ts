import type { GovernanceEntry, GovernanceQuery, GovernanceSearch } from "../../base/ports/governance.ts";
import type { Json } from "../../base/words/json.ts";
import { readJson } from "./sql/values.ts";

/** The largest position that every store can hold. */
const MAX_POSITION = Number.MAX_SAFE_INTEGER;

/** A whole number from 1; throws for anything else. */
export function checkedLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new Error(`limit is a whole number from 1, and this is ${limit}`);
  return limit;
}

/** A position in whole numbers that every store takes; throws when it is none. */
export function checkedPosition(position: number): number {
  if (Number.isNaN(position)) throw new Error("a position is a number, and this is none");
  return Math.min(Math.max(Math.floor(position), 0), MAX_POSITION);
}

/** The largest sequence that every store can hold. */
const MAX_SEQ = 2 ** 31 - 1;

/** What is asked for, in whole numbers that every store takes. */
export function readRange({ from = 1, to = MAX_SEQ, limit }: GovernanceQuery): {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
} {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new Error(`limit is a whole number from 1, and this is ${limit}`);
  return { from: within(Math.ceil(from), "from"), to: within(Math.floor(to), "to"), limit };
}

/** What is searched: up to the last sequence, that one included. */
export function searchRange({ before = MAX_SEQ + 1, limit }: GovernanceSearch): {
  readonly to: number;
  readonly limit: number;
} {
  return readRange({ to: Math.ceil(before) - 1, limit });
}

/** Of the entries found, one more than `limit` where there is more. */
export function pageOf(
  found: readonly GovernanceEntry[],
  limit: number,
): { readonly entries: readonly GovernanceEntry[]; readonly next?: number } {
  const next = found[limit]?.seq;
  return { entries: found.slice(0, limit), next };
}

/**
 * The body of an entry as it is kept. What is no JSON stays a text: it has no hash that fits, so the chain is broken there, and
 * what stands before it can still be read.
 */
export function readBody(kept: string): Json {
  return readJson<Json, string>(kept, kept);
}

function within(seq: number, field: string): number {
  if (Number.isNaN(seq)) throw new Error(`${field} is a sequence, and this is none`);
  return Math.min(Math.max(seq, field === "to" ? 0 : 1), MAX_SEQ);
}
