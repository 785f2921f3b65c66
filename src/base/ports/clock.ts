/** `now` is wall time in ms since the epoch and may jump; `monotonic` never decreases. */
export interface Clock {
  /** Wall time in ms since the epoch. */
  now(): number;
  /** A time in ms that never decreases, for durations. */
  monotonic(): number;
}
