import type { Candidate } from "../../../../src/base/words/contract.ts";
import type { Quote } from "../contract/evidence-list.tsx";
import { lineOf } from "../contract/words.ts";

/** A candidate as the gateway tells it. */
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

/** Can still be decided on. */
export function isOpen({ status }: Shown): boolean {
  return status === "pending" || status === "snoozed";
}

/** `STOP: asking twice`; one that takes a directive away says so. */
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

/** What gave rise to it, in words. */
export function patternInWords(pattern: string): string {
  return PATTERNS[pattern] ?? pattern;
}

/** Every word has to stand in it somewhere. */
export function matches(candidate: Shown, wanted: string): boolean {
  const text = [titleOf(candidate), candidate.id, candidate.scope, ...candidate.quotes.map(({ quote }) => quote)]
    .join("\n")
    .toLowerCase();
  return wanted.split(/\s+/).every((word) => text.includes(word));
}

/** The surest first, what is new before that; decided ones by age, the newest first. */
export function inOrder(candidates: readonly Shown[], fresh: ReadonlySet<string>): readonly Shown[] {
  return candidates.toSorted((a, b) =>
    isOpen(a) && isOpen(b)
      ? Number(fresh.has(b.id)) - Number(fresh.has(a.id)) || b.confidence - a.confidence
      : a.createdAt < b.createdAt
        ? 1
        : -1,
  );
}

/** Which one comes next when this one is gone: the one below it, or above where it was the last. */
export function nextAfter(list: readonly Shown[], id: string): string {
  const at = list.findIndex((one) => one.id === id);
  return list[at + 1]?.id ?? list[at - 1]?.id ?? "";
}
