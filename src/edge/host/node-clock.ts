import { performance } from "node:perf_hooks";
import type { Clock } from "../../base/ports/clock.ts";

/** The machine's clock. */
export const nodeClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
