/** `under-way`: the same request is in progress. `other`: the key was used for another request. */
export type Claim =
  | { readonly kind: "new" }
  | { readonly kind: "under-way" }
  | { readonly kind: "other" }
  | { readonly kind: "replied"; readonly status: number; readonly body: string };

/** Responses to writes by the client's idempotency key, so that a write sent twice runs once. */
export type RepliesStore = {
  /**
   * Only one caller gets `new`, and must then call `keep` or `drop`. An unfinished claim expires once it is older than
   * `staleBefore`, or as far in the future (wrong clock).
   */
  claim(key: string, request: string, at: number, staleBefore: number): Promise<Claim>;
  /** `claimedAt` is the `at` of the claim. Does nothing if another caller has claimed the key since. */
  keep(key: string, claimedAt: number, status: number, body: string): Promise<void>;
  /** The write failed and may be retried. Does nothing if another caller has claimed the key since. */
  drop(key: string, claimedAt: number): Promise<void>;
  expire(before: number): Promise<number>;
};
