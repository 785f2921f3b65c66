import type { GovernanceEntry, GovernanceHead } from "./governance.ts";

/** A journal as it was found, damaged or not. */
export type FoundJournal = {
  readonly entries: readonly GovernanceEntry[];
  /** The heads that are stored outside the store, by sequence. */
  readonly heads: ReadonlyMap<number, string>;
  /** Why the stored heads cannot be read. */
  readonly headsFault?: string;
};

/** What takes the place of the entries after `keep`. `repair` names the evidence. */
export type JournalReplacement = {
  readonly repair: string;
  readonly keep: GovernanceHead;
  /** The entries after `keep` as they were found: they must still be there, and be the same. */
  readonly aside: readonly GovernanceEntry[];
  readonly entries: readonly GovernanceEntry[];
  /** All heads that are to be stored from now on. */
  readonly heads: readonly GovernanceHead[];
};

/** Where the replaced entries and heads were put; `undefined` where there were none. */
export type RepairEvidence = { readonly table: string | undefined; readonly headsFile: string | undefined };

/** Repairs a governance journal in its store. */
export type GovernanceRepair = {
  find(): Promise<FoundJournal>;
  /**
   * Sets the entries after `keep` aside and writes others in their place, all or nothing. A process that is killed in the middle leaves
   * a journal that is damaged as before or one that is repaired. Rejects, and changes nothing, when the journal has changed since.
   */
  replace(replacement: JournalReplacement): Promise<RepairEvidence>;
};
