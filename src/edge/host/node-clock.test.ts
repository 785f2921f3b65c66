import { expect, it } from "vitest";
import { nodeClock } from "./node-clock.ts";

it("HO-1 tells wall time, and a time that only grows", () => {
  const before = Date.now();
  expect(nodeClock.now()).toBeGreaterThanOrEqual(before);
  const first = nodeClock.monotonic();
  expect(nodeClock.monotonic()).toBeGreaterThanOrEqual(first);
});
