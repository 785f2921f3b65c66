import { describe, expect, it } from "vitest";
import type { RepliesStore } from "../../../base/ports/stores/replies.ts";

/** What every store of replies does. */
export function repliesSuite(name: string, open: () => Promise<RepliesStore>): void {
  describe(`replies: ${name}`, () => {
    it("RPL-1 of concurrent claims of a reply one is new; the others wait and then get the reply", async () => {
      const store = await open();
      const claims = await Promise.all(Array.from({ length: 8 }, () => store.claim("k", "req", 10, 0)));
      expect(claims.map(({ kind }) => kind).toSorted()).toEqual(["new", ...Array(7).fill("under-way")].toSorted());
      await store.keep("k", 10, 201, '{"a":1}');
      expect(await store.claim("k", "req", 11, 0)).toEqual({ kind: "replied", status: 201, body: '{"a":1}' });
      expect(await store.claim("k", "another", 11, 0)).toEqual({ kind: "other" });
    });

    it("RPL-2 a dropped or stale claim may be claimed again", async () => {
      const store = await open();
      await store.claim("k", "req", 10, 0);
      await store.drop("k", 10);
      expect((await store.claim("k", "req", 20, 0)).kind).toBe("new");
      expect((await store.claim("k", "req", 30, 15)).kind).toBe("under-way");
      expect((await store.claim("k", "req", 30, 25)).kind).toBe("new");
      await store.keep("k", 30, 200, "x");
      expect((await store.claim("k", "req", 99, 98)).kind).toBe("replied");
    });

    it("RPL-4 a claim from a clock that was ahead does not block later claims", async () => {
      const store = await open();
      await store.claim("k", "req", 1_000_000, 999_000);
      expect((await store.claim("k", "req", 999_500, 998_500)).kind).toBe("under-way");
      expect((await store.claim("k", "req", 5_000, 4_000)).kind).toBe("new");
      await store.keep("k", 5_000, 200, "x");
      expect((await store.claim("k", "req", 10, 0)).kind).toBe("replied");
    });

    it("RPL-5 a caller that lost its claim can neither answer nor drop it", async () => {
      const store = await open();
      await store.claim("k", "first", 10, 0);
      expect((await store.claim("k", "second", 20, 15)).kind).toBe("new");
      await Promise.all([store.keep("k", 10, 200, "of the first"), store.drop("k", 10)]);
      expect(await store.claim("k", "second", 21, 0)).toEqual({ kind: "under-way" });
      await Promise.all([store.keep("k", 20, 200, "of the second"), store.keep("k", 10, 500, "of the first")]);
      await store.drop("k", 20);
      expect(await store.claim("k", "second", 22, 0)).toEqual({ kind: "replied", status: 200, body: "of the second" });
    });

    it("RPL-3 old replies expire", async () => {
      const store = await open();
      for (const [key, at] of [
        ["a", 1],
        ["b", 5],
      ] as const)
        await store.claim(key, "req", at, 0);
      expect(await store.expire(5)).toBe(1);
      expect((await store.claim("a", "req", 6, 0)).kind).toBe("new");
      expect((await store.claim("b", "req", 6, 0)).kind).toBe("under-way");
    });
  });
}
