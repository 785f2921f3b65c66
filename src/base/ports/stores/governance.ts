import type { Json } from "../../words/json.ts";

/** A journal entry before it is appended. `by` is the author, `kind` the type of change, such as `directive.added`. */
export type GovernanceDraft = {
  readonly at: number;
  readonly by: string;
  readonly kind: string;
  readonly body: Json;
};

/**
 * `seq` counts from 1 without gaps. `prev` is the hash of the previous entry, empty for the first; `hash` covers all
 * other fields.
 */
export type GovernanceEntry = GovernanceDraft & {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
};

/**
 * Sequence and hash of the newest entry; `{ seq: 0, hash: "" }` if there is none. A copy stored elsewhere proves that
 * nothing was cut off.
 */
export type GovernanceHead = { readonly seq: number; readonly hash: string };

export type GovernanceQuery = {
  /** First and last sequence, inclusive. */
  readonly from?: number;
  readonly to?: number;
  readonly kinds?: readonly string[];
  readonly limit: number;
};

/** `lost`: the store was created with a journal that is missing now. */
export type GovernancePage = {
  readonly entries: readonly GovernanceEntry[];
  readonly next?: number;
  readonly lost?: true;
};

/** `before` is a sequence to continue from, exclusive. */
export type GovernanceSearch = { readonly text: string; readonly before?: number; readonly limit: number };

/** Heads of a journal, stored outside its store. They reveal removed or rewritten entries. */
export type HeadWitness = {
  /** The newest stored head; `undefined` if none was ever stored. Rejects if the stored heads cannot be read. */
  newest(): Promise<GovernanceHead | undefined>;
  /** Stores further heads. Never rejects: a missing head only weakens the proof. */
  add(heads: readonly GovernanceHead[]): Promise<void>;
};

/** Append-only hash chain of who changed what. Rejects if the store fails. */
export type GovernanceJournal = {
  /** Absent if the heads are not stored elsewhere. */
  readonly witness?: HeadWitness;
  /**
   * Appends all drafts directly after entry `after`, durable before it resolves. Returns `moved` and writes nothing if
   * that is not the newest. If it rejects for a lost connection the drafts may have been written: read before
   * retrying.
   */
  append(
    after: number,
    drafts: readonly GovernanceDraft[],
  ): Promise<{ readonly entries: readonly GovernanceEntry[] } | "moved">;
  head(): Promise<GovernanceHead>;
  /** Oldest first. `next` is the sequence to continue from; absent on the last page. */
  read(query: GovernanceQuery): Promise<GovernancePage>;
  /** Entries in which every word of the text is a prefix of a word, ignoring case and accents; newest first. */
  search(query: GovernanceSearch): Promise<readonly GovernanceEntry[]>;
};
