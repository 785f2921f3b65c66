import { expect, it } from "vitest";
import { nodeIds, sequentialIds } from "./node-ids.ts";

it("HO-2 ids have their prefix, use one letter case, and are unique", () => {
  const [one, other] = [nodeIds(), nodeIds()];
  const ids = Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? one : other).next("d"));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^d_[0-9a-hjkmnp-tv-z]{14}$/.test(id))).toEqual([]);
});

it("FAST-62 the ids of events and turns sort by their time", () => {
  const start = Date.UTC(2026, 0, 1);
  for (const prefix of ["e", "t"]) {
    const ids = Array.from({ length: 5_000 }, (_, i) => nodeIds(() => start + i * 7_919_113).next(prefix));
    expect(ids.toSorted()).toEqual(ids);
    const sameTime = nodeIds(() => start);
    expect(new Set(Array.from({ length: 5_000 }, () => sameTime.next(prefix))).size).toBe(5_000);
  }
});

it("HO-3 sequential ids count from 1 for each prefix", () => {
  const ids = sequentialIds();
  expect(["a", "a", "b", "a"].map((prefix) => ids.next(prefix))).toEqual(["a_1", "a_2", "b_1", "a_3"]);
  expect(sequentialIds().next("a")).toBe("a_1");
});
