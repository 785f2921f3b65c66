/** Minimum figures for a proposal. All can be configured. */
export type ReviewThresholds = {
  readonly confidence: number;
  /** Minimum sightings of a pattern, and in how many sessions. */
  readonly times: number;
  readonly sessions: number;
  /** Share of a tool's results that fail the same way. */
  readonly failing: number;
  /** Truncated results of one tool, and their share of its results. */
  readonly cuts: number;
  readonly cutting: number;
  /**
   * Minimum sessions per side to compare good and bad ones, maximum probability of chance, and minimum distance of the
   * medians.
   */
  readonly compared: number;
  readonly chance: number;
  readonly apart: number;
  /** Marks on a directive before its removal is proposed. */
  readonly marks: number;
  /** Decided candidates before confidence is calibrated with them. */
  readonly outcomes: number;
  /** Look-back period before the window; the first run looks back no further. */
  readonly lookBackMs: number;
};

export const REVIEW_THRESHOLDS: ReviewThresholds = {
  confidence: 0.6,
  times: 3,
  sessions: 2,
  failing: 0.5,
  cuts: 5,
  cutting: 0.3,
  compared: 10,
  chance: 0.01,
  apart: 0.25,
  marks: 3,
  outcomes: 20,
  lookBackMs: 7 * 86_400_000,
};
