/** From when on something is worth a proposal. Every figure can be set. */
export type ReviewThresholds = {
  /** What is less sure is not proposed. */
  readonly confidence: number;
  /** How often a pattern is seen, and in how many sessions. */
  readonly times: number;
  readonly sessions: number;
  /** Share of a tool's results that fail the same way. */
  readonly failing: number;
  /** Results cut of one tool, and their share of its results. */
  readonly cuts: number;
  readonly cutting: number;
  /** Sessions on either side before good and bad ones are compared, how unlikely chance must be, and how far the medians are apart. */
  readonly compared: number;
  readonly chance: number;
  readonly apart: number;
  /** Marks on a directive before it is proposed to take it away. */
  readonly marks: number;
  /** Decided candidates before confidence is set against them. */
  readonly outcomes: number;
  /** How far before the window counting looks back; the first run looks no further back either. */
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
