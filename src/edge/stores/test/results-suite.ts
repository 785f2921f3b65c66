import { describe, expect, it } from "vitest";
import type { Results } from "../../../base/ports/stores/results.ts";

/** What every store of full results does. `open` takes the bytes that it may hold. */
export function resultsSuite(name: string, open: (maxBytes: number) => Promise<Results>): void {
  describe(`results: ${name}`, () => {
    it("RES-1 a stored result is returned in the same session only", async () => {
      const results = await open(1_000_000);
      await results.keep("s1", "h1", "text of one");
      await results.keep("s2", "h1", "text of two");
      expect(await results.read("s1", "h1")).toBe("text of one");
      expect(await results.read("s2", "h1")).toBe("text of two");
      expect(await results.read("s3", "h1")).toBeUndefined();
      expect(await results.read("s1", "h2")).toBeUndefined();
    });

    it("RES-2 storing a result under the same handle replaces its text; an empty text is valid", async () => {
      const results = await open(1_000_000);
      await results.keep("s", "h", "older");
      await results.keep("s", "h", "");
      expect(await results.read("s", "h")).toBe("");
    });

    it.each([
      ["../../etc/passwd", "x"],
      ["s", "../h"],
      ["s", "a/b\\c:d\0e"],
      ["s", "."],
      ["", ""],
      ["s\0h", "h".repeat(5_000)],
      ["S", "ä"],
    ])("RES-3 session %j and handle %j are treated as plain names", async (session, handle) => {
      const results = await open(1_000_000);
      await results.keep("S", "Ä", "other");
      await results.keep(session, handle, "mine");
      expect(await results.read(session, handle)).toBe("mine");
      expect(await results.read("S", "Ä")).toBe("other");
      expect(await results.read(`${session}${handle}`, "")).toBe(session === "" ? "mine" : undefined);
    });

    it("RES-4 lone surrogates in a result become U+FFFD, and offsets do not change", async () => {
      const results = await open(1_000_000);
      await results.keep("s", "h", "a\ud800b😀\udc00\ufeff");
      expect(await results.read("s", "h")).toBe("a\ufffdb😀\ufffd\ufeff");
      await results.keep("s", "bom", "\ufeffa");
      expect(await results.read("s", "bom")).toBe("\ufeffa");
    });

    it("RES-5 the oldest results are evicted first", async () => {
      const results = await open(4_000);
      for (const handle of ["a", "b", "c", "d", "e", "f"]) {
        await results.keep("s", handle, handle.repeat(1_000));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      expect(await results.read("s", "f")).toBe("f".repeat(1_000));
      expect(await results.read("s", "a")).toBeUndefined();
    });

    it("RES-6 a result larger than the store is rejected and evicts nothing", async () => {
      const results = await open(4_000);
      await results.keep("s", "h", "small");
      await expect(results.keep("s", "big", "x".repeat(5_000))).rejects.toThrow("exceeds");
      expect(await results.read("s", "h")).toBe("small");
      expect(await results.read("s", "big")).toBeUndefined();
    });

    it("RES-7 a result of 100 MB is stored and read back", async () => {
      const results = await open(300_000_000);
      const text = "0123456789".repeat(10_000_000);
      await results.keep("s", "h", text);
      expect((await results.read("s", "h")) === text).toBe(true);
    });

    it("RES-8 concurrent writes of results do not affect each other", async () => {
      const results = await open(1_000_000);
      const handles = Array.from({ length: 40 }, (_, i) => `h${i % 20}`);
      await Promise.all(handles.map((handle) => results.keep("s", handle, `text ${handle}`)));
      const read = await Promise.all(handles.map((handle) => results.read("s", handle)));
      expect(read).toEqual(handles.map((handle) => `text ${handle}`));
    });
  });
}
