/** What the results of one turn have taken so far. Plain JSON: the session keeps it, and starts anew at each message. */
export type TurnResultState = { readonly used: number };

export const NO_RESULTS: TurnResultState = { used: 0 };

/** Where nobody tells the model's window. */
export const DEFAULT_WINDOW = 128_000;
/** One result may take this share of the window (seed 004). */
export const RESULT_SHARE = 0.3;
/** All results of a turn together: two full ones, so that the prompt, the conversation and the answer keep 40 %. */
const TURN_SHARE = 0.6;

/**
 * Tokens for the next result: an equal part of what the turn has left, for it and its siblings still to come.
 * Never nothing: a spent turn still shows a few lines and the handle to the rest.
 */
export function resultBudget(
  turn: TurnResultState,
  options: { readonly window: number; readonly turnShare?: number | undefined; readonly parallel?: number | undefined },
): number {
  const { turnShare = TURN_SHARE, parallel = 1 } = options;
  const window = windowOr(options.window);
  const left = Math.floor(window * turnShare) - turn.used;
  return Math.max(floorOf(window), Math.floor(left / Math.max(1, parallel)));
}

/** The window, or the default where what was told cannot be one. */
export function windowOr(window: number): number {
  return Number.isFinite(window) && window > 0 ? window : DEFAULT_WINDOW;
}

/** 0.2 % of the window, between 64 and 256 tokens: a hundred calls at once still leave room for an answer. */
function floorOf(window: number): number {
  return Math.max(64, Math.min(256, Math.floor(window * 0.002)));
}
