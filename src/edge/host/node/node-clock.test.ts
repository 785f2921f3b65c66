import { expect, it } from "vitest";
import { nodeClock } from "./node-clock.ts";

it("HO-1 the clock returns wall time and a monotonic time", () => {
  const clock = nodeClock();
  const before = Date.now();
  expect(clock.now()).toBeGreaterThanOrEqual(before);
  const first = clock.monotonic();
  expect(clock.monotonic()).toBeGreaterThanOrEqual(first);
});
