/**
 * Counts tokens in linear time. Same count as the encoding, except that runs of more than 256 units (128 beyond ASCII)
 * without a certain boundary are encoded in pieces of that length. Words, code and logs have no such runs; each forced
 * cut may change the count by one.
 */
export type TokenCounter = {
  readonly encoding: "o200k" | "cl100k" | "characters";
  /** Returns the number of tokens of a text. */
  count(text: string): number;
  /** Stops once there are certainly more than `limit`; then `exact` is false and `tokens` is a lower bound. */
  countUpTo(text: string, limit: number): { readonly tokens: number; readonly exact: boolean };
  /** Roughly the longest prefix of at most `max` tokens that splits no code point. */
  fit(text: string, max: number): { readonly end: number; readonly tokens: number };
};
