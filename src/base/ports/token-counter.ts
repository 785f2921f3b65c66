/**
 * Counts tokens in time linear in what it has to look at. What it counts is our definition of a token count:
 * that of the encoding, except that a run of more than 256 units (128 beyond ASCII) without a certain boundary is encoded in pieces of that length.
 * Words, code and logs have no such runs and count as the encoding counts them; at each forced cut the count may be one higher or lower.
 */
export type TokenCounter = {
  readonly encoding: "o200k" | "cl100k" | "characters";
  count(text: string): number;
  /** Stops as soon as it is sure that there are more than `limit`; then `exact` is false and `tokens` a lower bound. */
  countUpTo(text: string, limit: number): { readonly tokens: number; readonly exact: boolean };
  /** A prefix of at most `max` tokens, about the longest, that splits no code point. */
  fit(text: string, max: number): { readonly end: number; readonly tokens: number };
};
