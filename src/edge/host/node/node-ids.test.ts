import { expect, it } from "vitest";
import { nodeIds, sequentialIds } from "./node-ids.ts";

it("HO-2 ids have their prefix, use one letter case, and are unique", () => {
  const [one, other] = [nodeIds(), nodeIds()];
  const ids = Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? one : other).next("d"));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^d_[0-9a-hjkmnp-tv-z]{14}$/.test(id))).toEqual([]);
});

it("HO-3 sequential ids count from 1 for each prefix", () => {
  const ids = sequentialIds();
  expect(["a", "a", "b", "a"].map((prefix) => ids.next(prefix))).toEqual(["a_1", "a_2", "b_1", "a_3"]);
  expect(sequentialIds().next("a")).toBe("a_1");
});
