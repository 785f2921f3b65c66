/** `under-way`: the same request is being answered right now. `other`: the key was used for another request. */
export type Claim =
  | { readonly kind: "new" }
  | { readonly kind: "under-way" }
  | { readonly kind: "other" }
  | { readonly kind: "replied"; readonly status: number; readonly body: string };

/** Answers to writes, by the key that the client gave, so that a write that is sent twice is done once. */
export type RepliesStore = {
  /**
   * One caller is told `new`, and must then keep or drop. A claim that was never kept is given anew once it is older than
   * `staleBefore`, or if it lies as far in the future: then the clock was wrong.
   */
  claim(key: string, request: string, at: number, staleBefore: number): Promise<Claim>;
  /** `claimedAt` is the `at` of the claim. A claim that was given to somebody else since is left alone. */
  keep(key: string, claimedAt: number, status: number, body: string): Promise<void>;
  /** The write failed and may be tried again. A claim that was given to somebody else since is left alone. */
  drop(key: string, claimedAt: number): Promise<void>;
  expire(before: number): Promise<number>;
};
