import type { Clock } from "../../../base/ports/clock.ts";

export function nodeClock(): Clock {
  return { now: () => Date.now(), monotonic: () => performance.now() };
}
