/** Tokens used by the results of one turn. */
export type TurnResultState = { readonly used: number };

export const NO_RESULTS: TurnResultState = { used: 0 };

/** For a model whose window is unknown. */
export const DEFAULT_WINDOW = 128_000;

/** One result may take this share of the window (seed 004). */
export const RESULT_SHARE = 0.3;

/** All results of a turn; 40 % stay for the prompt, the conversation and the answer. */
const TURN_SHARE = 0.6;

/** Tokens for the next result: an equal share for it and its pending siblings, and always enough for a few lines. */
export function resultBudget(
  turn: TurnResultState,
  options: { readonly window: number; readonly turnShare?: number | undefined; readonly parallel?: number | undefined },
): number {
  const { turnShare = TURN_SHARE, parallel = 1 } = options;
  const window = windowOr(options.window);
  const left = Math.floor(window * turnShare) - turn.used;
  // 0.2 % of the window, so that a hundred calls at once still leave room for an answer.
  const floor = Math.max(64, Math.min(256, Math.floor(window * 0.002)));
  return Math.max(floor, Math.floor(left / Math.max(1, parallel)));
}

export function windowOr(window: number): number {
  return Number.isFinite(window) && window > 0 ? window : DEFAULT_WINDOW;
}
