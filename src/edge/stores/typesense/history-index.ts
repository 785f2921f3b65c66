import type { GovernanceHead } from "../../../base/ports/stores/governance.ts";

/** What a history is searched by. `audit` is all that is neither about directives nor about candidates. */
export type HistoryKind = "directive" | "candidate" | "audit";

/** An entry of the governance journal as it is found again. */
export type HistoryDocument = {
  readonly seq: number;
  readonly at: number;
  readonly by: string;
  readonly kind: HistoryKind;
  /** The entry's own kind, such as `directive-added`. */
  readonly change: string;
  /** Every text in the entry, a line each. */
  readonly text: string;
};

export type HistoryQuery = {
  /** Empty finds everything. */
  readonly text: string;
  readonly kind?: HistoryKind;
  readonly limit: number;
};

/** A searchable copy of the journal's entries, which knows how far it is. It is never the truth. Rejects when it cannot be reached. */
export type HistoryIndex = {
  /** The last entry in it; the start of the chain when there is none. */
  position(): Promise<GovernanceHead>;
  /** Takes in the entries, each in the place of what it had under that sequence, then notes the position. */
  put(documents: readonly HistoryDocument[], position: GovernanceHead): Promise<void>;
  /** Forgets all of it, its position too. */
  clear(): Promise<void>;
  /** The best match first, and of equals the newest. */
  search(query: HistoryQuery): Promise<{ readonly total: number; readonly found: readonly HistoryDocument[] }>;
};
