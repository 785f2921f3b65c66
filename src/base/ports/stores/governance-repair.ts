import type { GovernanceEntry, GovernanceHead } from "./governance.ts";

/** A journal as read from the store, damaged or not. */
export type FoundJournal = {
  readonly entries: readonly GovernanceEntry[];
  /** Heads stored outside the store, by sequence. */
  readonly heads: ReadonlyMap<number, string>;
  readonly headsFault?: string;
};

/** Replacement for the entries after `keep`. `repair` names the evidence. */
export type JournalReplacement = {
  readonly repair: string;
  readonly keep: GovernanceHead;
  /** The entries after `keep` as they were read; they must still be there unchanged. */
  readonly aside: readonly GovernanceEntry[];
  readonly entries: readonly GovernanceEntry[];
  /** All heads to store from now on. */
  readonly heads: readonly GovernanceHead[];
};

/** Where the replaced entries and heads were saved; `undefined` if there were none. */
export type RepairEvidence = { readonly table: string | undefined; readonly headsFile: string | undefined };

export type GovernanceRepair = {
  find(): Promise<FoundJournal>;
  /**
   * Moves the entries after `keep` aside and writes the replacement, atomically: a killed process leaves the journal
   * either damaged as before or repaired. Rejects and changes nothing if the journal has changed since.
   */
  replace(replacement: JournalReplacement): Promise<RepairEvidence>;
};
