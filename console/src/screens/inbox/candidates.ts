import type { Candidate } from "../../../../src/base/words/contract.ts";
import type { Quote } from "../contract/evidence-list.tsx";
import { lineOf } from "../contract/words.ts";

/** A candidate as the API returns it. */
export type Shown = Candidate & { readonly would: string; readonly quotes: readonly Quote[] };

export const STATUSES = ["pending", "snoozed", "promoted", "rejected", "expired"] as const;
export type Status = (typeof STATUSES)[number];

export const STATUS_NAMES: { readonly [S in Status]: string } = {
  pending: "Waiting",
  snoozed: "Snoozed",
  promoted: "Promoted",
  rejected: "Rejected",
  expired: "Expired",
};

/** Whether the candidate can still be decided. */
export function isOpen({ status }: Shown): boolean {
  return status === "pending" || status === "snoozed";
}

/** Returns the title: `STOP: asking twice`. A candidate that removes a directive says so. */
export function titleOf(candidate: Shown): string {
  return candidate.demotes === undefined ? lineOf(candidate) : `drop ${lineOf(candidate)}`;
}

const PATTERNS: { readonly [pattern: string]: string } = {
  correction: "a person corrected the agent",
  request: "a person asked for it",
  "denied-then-met": "calls were denied until something was done first",
  overridden: "people approved what a rule stopped",
  "not-followed": "the directive was not followed",
  "tool-fails": "a tool failed repeatedly",
  "stop-refused": "the agent wanted to stop before it was done",
  truncated: "results were cut repeatedly",
  cadence: "reply frequency",
  demotion: "a directive causes harm",
  model: "found by a model",
};

/** Describes the pattern that led to the candidate. */
export function patternInWords(pattern: string): string {
  return PATTERNS[pattern] ?? pattern;
}

/** Whether the candidate contains every word. */
export function matches(candidate: Shown, wanted: string): boolean {
  const text = [titleOf(candidate), candidate.id, candidate.scope, ...candidate.quotes.map(({ quote }) => quote)]
    .join("\n")
    .toLowerCase();
  return wanted.split(/\s+/).every((word) => text.includes(word));
}

/** Sorts new candidates first, then by confidence. Decided ones are sorted by age, newest first. */
export function inOrder(candidates: readonly Shown[], fresh: ReadonlySet<string>): readonly Shown[] {
  return candidates.toSorted((a, b) =>
    isOpen(a) && isOpen(b)
      ? Number(fresh.has(b.id)) - Number(fresh.has(a.id)) || b.confidence - a.confidence
      : a.createdAt < b.createdAt
        ? 1
        : -1,
  );
}

/** Returns the candidate to open next: the one below, or the one above if this is the last. */
export function nextAfter(list: readonly Shown[], id: string): string {
  const at = list.findIndex((one) => one.id === id);
  return list[at + 1]?.id ?? list[at - 1]?.id ?? "";
}
