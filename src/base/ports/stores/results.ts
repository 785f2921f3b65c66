/** Stores the full text of truncated results. A handle is valid only in the session that created it. */
export interface Results {
  /** Rejects if it cannot be stored; the caller then says so in the notice. */
  keep(session: string, handle: string, text: string): Promise<void>;
  /** `undefined` if the handle is unknown or was deleted. */
  read(session: string, handle: string): Promise<string | undefined>;
}

/** Can also delete all results of a session. */
export interface KeptResults extends Results {
  forget(session: string): Promise<void>;
}
