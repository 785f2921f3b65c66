/**
 * Upper limits, exceeded only if strictly greater. `time` and `deadline` are milliseconds, `deadline` since the epoch.
 */
export type Budget = {
  readonly tokens?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly calls?: number;
  readonly cost?: number;
  readonly time?: number;
};

/** Tokens, calls and cost used so far. */
export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
  readonly cost: number;
};

/** An exceeded limit with its figures. */
export type Exhausted = { readonly what: keyof Budget | "deadline"; readonly limit: number; readonly used: number };
