import type { Json } from "../../words/json.ts";

/** What happened, before it has its place. `by` is who did it, `kind` what it is, such as `directive.added`. */
export type GovernanceDraft = {
  readonly at: number;
  readonly by: string;
  readonly kind: string;
  readonly body: Json;
};

/** `seq` counts from 1 without gaps. `prev` is the hash of the entry before, empty for the first; `hash` covers all but itself. */
export type GovernanceEntry = GovernanceDraft & {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
};

/** The newest entry's place; `{ seq: 0, hash: "" }` when there is none. Kept elsewhere, it proves that nothing was cut off. */
export type GovernanceHead = { readonly seq: number; readonly hash: string };

export type GovernanceQuery = {
  /** First and last sequence, both included. */
  readonly from?: number;
  readonly to?: number;
  readonly kinds?: readonly string[];
  readonly limit: number;
};

/** `lost`: the store was made with a journal, and has none any more. */
export type GovernancePage = {
  readonly entries: readonly GovernanceEntry[];
  readonly next?: number;
  readonly lost?: true;
};

/** `before` is a sequence to go on from, not itself among what is found. */
export type GovernanceSearch = { readonly text: string; readonly before?: number; readonly limit: number };

/** Heads of a journal that are stored outside its store. They show whether entries were removed or rewritten. */
export type HeadWitness = {
  /** The newest stored head; `undefined` when none was ever stored. Rejects when the stored heads cannot be read. */
  newest(): Promise<GovernanceHead | undefined>;
  /** Stores further heads. Never rejects: a head that is missing only makes the proof weaker. */
  add(heads: readonly GovernanceHead[]): Promise<void>;
};

/** Who changed what, in a chain of hashes; entries are never changed. Rejects when it cannot tell. */
export type GovernanceJournal = {
  /** Absent for a journal whose heads are stored nowhere else. */
  readonly witness?: HeadWitness;
  /**
   * All drafts directly after entry `after`, durable before it resolves; `moved`, and nothing written, when that is not the newest.
   * When it rejects for lost contact they may have been written: read before trying again.
   */
  append(
    after: number,
    drafts: readonly GovernanceDraft[],
  ): Promise<{ readonly entries: readonly GovernanceEntry[] } | "moved">;
  head(): Promise<GovernanceHead>;
  /** The oldest first. `next` is where to go on from; absent when there is no more. */
  read(query: GovernanceQuery): Promise<GovernancePage>;
  /** Entries in which every word of the text is the beginning of a word, whatever its case and accents; the newest first. */
  search(query: GovernanceSearch): Promise<readonly GovernanceEntry[]>;
};
