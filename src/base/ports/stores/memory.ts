import type { MemoryNote, UserAgent } from "../../words/hosting/instructions.ts";

/** A search in a user's notes. */
export type MemoryQuery = {
  /** Search words; without them the newest notes are returned. */
  readonly text?: string;
  readonly limit: number;
  readonly offset?: number;
};

/** Notes that agents saved, by user and agent. Rejects if the store fails. */
export type MemoryStore = {
  /** A note with the same text is not stored twice: the existing id is returned. */
  save(owner: UserAgent, note: MemoryNote): Promise<{ readonly id: string; readonly known: boolean }>;
  /** Best matches first; without a text newest first. `total` counts all matches. */
  search(
    owner: UserAgent,
    query: MemoryQuery,
  ): Promise<{ readonly notes: readonly MemoryNote[]; readonly total: number }>;
};

/** Adds the owner's operations: an agent can save and search, but not delete. */
export type NotesStore = MemoryStore & {
  /** Deletes a note; false if the owner has none with this id. */
  remove(owner: UserAgent, id: string): Promise<boolean>;
};
