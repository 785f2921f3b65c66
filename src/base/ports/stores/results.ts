/** Keeps the full text of results that were shortened. A handle is good in the session that made it, and nowhere else. */
export interface Results {
  /** Rejects when it cannot be kept; the caller then says so in the notice. */
  keep(session: string, handle: string, text: string): Promise<void>;
  /** `undefined` when there is none, or no longer. */
  read(session: string, handle: string): Promise<string | undefined>;
}

/** One that can let all results of a session go. */
export interface KeptResults extends Results {
  forget(session: string): Promise<void>;
}
