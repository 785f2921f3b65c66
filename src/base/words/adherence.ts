import type { ContractScope } from "./contract.ts";

/**
 * Adherence to one directive or rule on one day (UTC), over the turns in which it was in force. A turn counts once:
 * violated if any check says so, else followed if one does, else unknown.
 */
export type AdherenceRow = {
  /** For example `2026-11-15`. */
  readonly day: string;
  readonly of: "directive" | "rule";
  readonly id: string;
  readonly scope?: ContractScope;
  readonly inForce: number;
  readonly followed: number;
  readonly violated: number;
  readonly cannotTell: number;
  /** The check, as a person writes it; absent if none was declared. */
  readonly by?: string;
  /** Up to five events as evidence for each, newest last. */
  readonly shown: { readonly followed: readonly string[]; readonly violated: readonly string[] };
};

/** How one turn counts for one directive or rule. */
export type CountedTurn = Pick<AdherenceRow, "day" | "of" | "id" | "scope" | "by"> & {
  readonly kind: "followed" | "violated" | "cannot-tell";
  /** The event that shows it. */
  readonly event?: string;
};
