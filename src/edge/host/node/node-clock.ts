import type { Clock } from "../../../base/ports/clock.ts";

/** The machine's clock. */
export function nodeClock(): Clock {
  return { now: () => Date.now(), monotonic: () => performance.now() };
}
