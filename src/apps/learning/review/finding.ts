import type { ContractScope, DirectiveType } from "../../../base/words/contract.ts";

/**
 * The source of a finding. `correction` is a person's own sentence, `cadence` comes from session measures, all others
 * from decisions.
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

/** A verbatim quote from the journal, with its session and event. */
export type Evidence = { readonly session: string; readonly event: string; readonly quote: string };

/** A possible proposal, before it is checked. `good`: a pattern to keep rather than to correct. */
export type Finding = {
  readonly pattern: FindingPattern;
  readonly good: boolean;
  readonly type: DirectiveType;
  readonly text: string;
  readonly scope: ContractScope;
  /** The rule, tool or directive concerned. */
  readonly subject?: string;
  /** The reviewer's raw confidence, 0 to 1, before calibration with past promotions and rejections. */
  readonly confidence: number;
  /** At least one. */
  readonly evidence: readonly Evidence[];
  /** The figures behind it, as text, if it is based on counting. */
  readonly seen?: string;
  readonly demotes?: string;
};

/** Whether it is a person's own words. Journals of earlier versions also contain `request`. */
export function isPersons(pattern: string): boolean {
  return pattern === "correction" || pattern === "request";
}
