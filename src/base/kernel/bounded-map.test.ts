import { describe, expect, it } from "vitest";
import { boundedGet, boundedMap, boundedSet } from "./bounded-map.ts";

describe("BoundedMap", () => {
  it("BM-1 forgets the key written longest ago, and counts it", () => {
    let map = boundedMap<number>(3);
    for (const [i, key] of ["a", "b", "c", "a", "d"].entries()) map = boundedSet(map, key, i);
    expect(["a", "b", "c", "d"].map((key) => boundedGet(map, key))).toEqual([3, undefined, 2, 4]);
    expect(map.forgotten).toBe(1);
  });

  it("BM-2 stays within its bound over many writes, the order book too", () => {
    let map = boundedMap<number>(100);
    for (let i = 0; i < 5_000; i++) map = boundedSet(map, `k${(i * 7) % 250}`, i);
    expect(map.entries.size).toBe(100);
    expect(map.order.size).toBe(100);
  });
});
