import type {
  GovernanceEntry,
  GovernancePage,
  GovernanceQuery,
  GovernanceSearch,
} from "../../base/ports/stores/governance.ts";
import type { Json } from "../../base/words/json.ts";
import { readJson } from "./sql/values.ts";

/** The largest position in every store. */
const MAX_POSITION = Number.MAX_SAFE_INTEGER;

/** Throws unless the limit is a whole number from 1. */
export function checkedLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1) throw new Error(`limit must be a whole number from 1, not ${limit}`);
  return limit;
}

/** A position as a whole number that every store accepts. Throws for NaN. */
export function checkedPosition(position: number): number {
  if (Number.isNaN(position)) throw new Error("a position must be a number");
  return Math.min(Math.max(Math.floor(position), 0), MAX_POSITION);
}

/** The largest sequence number in every store. */
const MAX_SEQ = 2 ** 31 - 1;

/** The query in whole numbers that every store accepts. */
export function readRange({ from = 1, to = MAX_SEQ, limit }: GovernanceQuery) {
  return { from: within(Math.ceil(from), "from"), to: within(Math.floor(to), "to"), limit: checkedLimit(limit) };
}

/** The range of a search; `to` is included. */
export function searchRange({ before = MAX_SEQ + 1, limit }: GovernanceSearch) {
  return readRange({ to: Math.ceil(before) - 1, limit });
}

/** `found` has one entry more than `limit` if there is another page. */
export function pageOf(found: readonly GovernanceEntry[], limit: number): GovernancePage {
  return { entries: found.slice(0, limit), next: found[limit]?.seq };
}

/** The columns of a stored entry. */
export type EntryRow = Omit<GovernanceEntry, "body"> & { readonly body: string };

/**
 * The entry of a row. A body that is not JSON stays a text: its hash does not match, so the chain breaks there, and
 * earlier entries can still be read.
 */
export function entryOf({ seq, at, by, kind, body, prev, hash }: EntryRow): GovernanceEntry {
  return { seq, at, by, kind, body: readJson<Json, string>(body, body), prev, hash };
}

function within(seq: number, field: string): number {
  if (Number.isNaN(seq)) throw new Error(`${field} must be a sequence number`);
  return Math.min(Math.max(seq, field === "to" ? 0 : 1), MAX_SEQ);
}
