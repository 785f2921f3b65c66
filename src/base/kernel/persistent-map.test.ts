import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PersistentMap } from "./persistent-map.ts";

// A few keys, so that they are overwritten and deleted; two that share one hash, so that buckets collide.
const key = fc.constantFrom(
  "a",
  "b",
  "c",
  "__proto__",
  "",
  "costarring",
  "liquid",
  ...Array.from({ length: 60 }, (_, i) => `k${i}`),
);
const step = fc.oneof(
  fc.record({ do: fc.constant("set" as const), key, value: fc.integer() }),
  fc.record({ do: fc.constant("delete" as const), key, value: fc.constant(0) }),
);

describe("PersistentMap", () => {
  it("PM-1 a persistent map behaves like a Map for any sequence of changes", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let ours = PersistentMap.empty<number>();
        const theirs = new Map<string, number>();
        for (const { do: what, key, value } of steps) {
          if (what === "set") {
            ours = ours.set(key, value);
            theirs.set(key, value);
          } else {
            ours = ours.delete(key);
            theirs.delete(key);
          }
          expect(ours.size).toBe(theirs.size);
        }
        expect(new Map(ours)).toEqual(theirs);
        for (const [key, value] of theirs) expect(ours.get(key)).toBe(value);
      }),
    );
  });

  it("PM-2 later changes of a persistent map do not affect an older version", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), fc.array(step, { maxLength: 100 }), (before, after) => {
        const apply = (map: PersistentMap<number>, steps: typeof before) =>
          steps.reduce((m, s) => (s.do === "set" ? m.set(s.key, s.value) : m.delete(s.key)), map);
        const old = apply(PersistentMap.empty<number>(), before);
        const seen = new Map(old);
        apply(old, after);
        expect(new Map(old)).toEqual(seen);
      }),
    );
  });

  it("PM-4 equal persistent maps iterate in the same order for any insertion order", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), fc.array(step, { maxLength: 100 }), (before, after) => {
        const ours = [...before, ...after].reduce(
          (map, { do: what, key, value }) => (what === "set" ? map.set(key, value) : map.delete(key)),
          PersistentMap.empty<number>(),
        );
        const again = PersistentMap.from([...ours].reverse());
        expect([...again]).toEqual([...ours]);
      }),
    );
  });

  it("PM-3 setting an identical value returns the same persistent map", () => {
    const map = PersistentMap.from([["a", 1]]);
    expect(map.set("a", 1)).toBe(map);
    expect(map.delete("b")).toBe(map);
    expect(map.delete("a")).toBe(PersistentMap.empty());
  });
});
