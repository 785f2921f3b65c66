import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundedGet, boundedMap, boundedSet } from "./bounded-map.ts";

describe("BoundedMap", () => {
  it("BM-1 a full map evicts the least recently written key and counts the eviction", () => {
    let map = boundedMap<number>(3);
    for (const [i, key] of ["a", "b", "c", "a", "d"].entries()) map = boundedSet(map, key, i);
    expect(["a", "b", "c", "d"].map((key) => boundedGet(map, key))).toEqual([3, undefined, 2, 4]);
    expect(map.forgotten).toBe(1);
  });

  it("BM-2 a bounded map behaves like a Map that drops its oldest key when it is full", () => {
    const write = fc.tuple(fc.nat(40), fc.nat());
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 25 }), fc.array(write, { maxLength: 300 }), (max, writes) => {
        let ours = boundedMap<number>(max);
        const theirs = new Map<string, number>();
        let gone = 0;
        for (const [key, value] of writes) {
          ours = boundedSet(ours, `k${key}`, value);
          theirs.delete(`k${key}`);
          theirs.set(`k${key}`, value);
          const [oldest] = theirs.keys();
          if (theirs.size > max && oldest !== undefined && theirs.delete(oldest)) gone += 1;
          expect(ours.entries.size).toBe(theirs.size);
        }
        for (let key = 0; key <= 40; key++) expect(boundedGet(ours, `k${key}`)).toBe(theirs.get(`k${key}`));
        expect(ours.forgotten).toBe(gone);
        expect(ours.leaving.length).toBeLessThanOrEqual(max);
      }),
    );
  });
});
