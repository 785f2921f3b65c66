import type { ContractScope } from "../../../base/words/contract.ts";

/**
 * What was seen of one directive or rule on one day (UTC), in the turns in which it was in force. A turn counts once: as violated when
 * any check says so, else as followed when one does, else nobody can tell.
 */
export type AdherenceRow = {
  /** `2026-11-15`. */
  readonly day: string;
  readonly of: "directive" | "rule";
  /** The directive's or the rule's id. */
  readonly id: string;
  readonly scope?: ContractScope;
  readonly inForce: number;
  readonly followed: number;
  readonly violated: number;
  readonly cannotTell: number;
  /** The check that told, as a person writes it; absent where none was declared. */
  readonly by?: string;
  /** Some of the events that show it, the newest last; at most five of each. */
  readonly shown: { readonly followed: readonly string[]; readonly violated: readonly string[] };
};
