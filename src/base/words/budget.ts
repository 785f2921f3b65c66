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

/** A turn answers one message. A day is the user's calendar day, over all sessions with one agent. */
export type LimitScope = "turn" | "session" | "day";

/** An exceeded limit with its figures. Without a scope it is the session's. */
export type Exhausted = {
  readonly what: keyof Budget | "deadline";
  readonly limit: number;
  readonly used: number;
  readonly scope?: LimitScope;
};

/** What may be used in a scope, and what is used of it. */
export type ScopeUse = { readonly scope: LimitScope; readonly budget: Budget; readonly usage: Usage };
