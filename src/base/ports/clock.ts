/** `now` is wall time in ms since the epoch and may jump; `monotonic` never decreases. */
export interface Clock {
  now(): number;
  monotonic(): number;
}
