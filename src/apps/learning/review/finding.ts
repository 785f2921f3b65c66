import type { ContractScope, DirectiveType } from "../../../base/words/contract.ts";

/**
 * What a finding is about. `correction` is a person's own sentence; the others are seen in decisions, and `cadence` in how
 * sessions went.
 */
export type FindingPattern =
  | "correction"
  | "denied-then-met"
  | "overridden"
  | "not-followed"
  | "tool-fails"
  | "stop-refused"
  | "truncated"
  | "cadence"
  | "demotion"
  | "model";

/** Words that stand in the journal, verbatim, and where: the session and the event. */
export type Evidence = { readonly session: string; readonly event: string; readonly quote: string };

/** What the review would propose, before it is known whether it may. `good`: a pattern to keep rather than one to mend. */
export type Finding = {
  readonly pattern: FindingPattern;
  readonly good: boolean;
  readonly type: DirectiveType;
  readonly text: string;
  readonly scope: ContractScope;
  /** The rule, tool or directive that it is about. */
  readonly subject?: string;
  /** How sure the reviewer is, 0 to 1, before it is set against past promotions and rejections. */
  readonly confidence: number;
  /** At least one. */
  readonly evidence: readonly Evidence[];
  /** The figures behind it, in words, where it rests on counting. */
  readonly seen?: string;
  /** The directive that it would take away. */
  readonly demotes?: string;
};

/** Whether it is a person's own words. Journals of earlier versions have `request` as well. */
export function isPersons(pattern: string): boolean {
  return pattern === "correction" || pattern === "request";
}
