import type { MemoryNote, UserAgent } from "../../words/hosting/instructions.ts";

export type MemoryQuery = {
  /** Words to look for; the newest notes when left out. */
  readonly text?: string;
  readonly limit: number;
  readonly offset?: number;
};

/** What agents were told to remember, by user and agent. Rejects when it cannot tell. */
export type MemoryStore = {
  /** A note with the same text is not kept twice: then its id is returned. */
  save(owner: UserAgent, note: MemoryNote): Promise<{ readonly id: string; readonly known: boolean }>;
  /** The best matches first; with no text the newest first. `total` counts all that match. */
  search(
    owner: UserAgent,
    query: MemoryQuery,
  ): Promise<{ readonly notes: readonly MemoryNote[]; readonly total: number }>;
};

/** The same with what its owner may do besides: an agent saves and looks, and forgets nothing by itself. */
export type NotesStore = MemoryStore & {
  /** Takes a note out; false when the owner has none of that id. */
  remove(owner: UserAgent, id: string): Promise<boolean>;
};
