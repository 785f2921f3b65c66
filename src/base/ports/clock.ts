/** `now` is wall time in ms since the epoch and may jump; `monotonic` only ever grows. */
export interface Clock {
  now(): number;
  monotonic(): number;
}
