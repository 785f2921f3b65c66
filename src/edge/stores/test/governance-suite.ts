import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  GovernanceDraft,
  GovernanceEntry,
  GovernanceJournal,
  GovernanceSearch,
} from "../../../base/ports/stores/governance.ts";
import type { Json } from "../../../base/words/json.ts";
import { verifyChain } from "../../../engine/journal/governance-chain.ts";
import { soughtWords } from "../search-words.ts";

function draft(body: Json, kind = "test.made"): GovernanceDraft {
  return { at: 1_700_000_000_000, by: "operator", kind, body };
}

/** All of it, page by page. */
export async function readAll(journal: GovernanceJournal, limit = 100): Promise<readonly GovernanceEntry[]> {
  const all: GovernanceEntry[] = [];
  for (let from: number | undefined = 1; from !== undefined; ) {
    const page: Awaited<ReturnType<GovernanceJournal["read"]>> = await journal.read({ from, limit });
    all.push(...page.entries);
    from = page.next;
  }
  return all;
}

/** Tries again until nobody else was faster. */
export async function appendAnyhow(
  journal: GovernanceJournal,
  drafts: readonly GovernanceDraft[],
): Promise<readonly GovernanceEntry[]> {
  for (;;) {
    const done = await journal.append((await journal.head()).seq, drafts);
    if (done !== "moved") return done.entries;
  }
}

/** What every store of the governance journal does. */
export function governanceSuite(name: string, open: () => Promise<GovernanceJournal>): void {
  describe(`governance: ${name}`, () => {
    it("GOV-1 the governance journal starts empty and returns entries as written, in a chain", async () => {
      const journal = await open();
      expect(await journal.head()).toEqual({ seq: 0, hash: "" });
      expect(await journal.read({ limit: 10 })).toEqual({ entries: [] });
      const first = await journal.append(0, [
        draft({ b: 1, a: [null, true, "x", 1.5e-7] }),
        draft("two", "test.other"),
      ]);
      const second = await journal.append(2, [{ ...draft(null), at: 1.5, by: "ann" }]);
      if (first === "moved" || second === "moved") throw new Error("moved");
      const entries = await readAll(journal);
      expect(entries).toEqual([...first.entries, ...second.entries]);
      expect(entries).toMatchObject([
        { seq: 1, ...draft({ b: 1, a: [null, true, "x", 1.5e-7] }), prev: "" },
        { seq: 2, ...draft("two", "test.other"), prev: entries[0]?.hash },
        { seq: 3, at: 1.5, by: "ann", body: null, prev: entries[1]?.hash },
      ]);
      const head = { seq: 3, hash: entries[2]?.hash };
      expect(await journal.head()).toEqual(head);
      expect(verifyChain(entries)).toEqual({ kind: "whole", head });
    });

    it.each([-1, 0, 2, 7, 0.5, Number.NaN, 2 ** 40])(
      "GOV-2 an append after entry %d, when 1 is the newest, writes nothing",
      async (after) => {
        const journal = await open();
        await journal.append(0, [draft("first")]);
        const before = await journal.head();
        expect(await journal.append(after, [draft("second"), draft("third")])).toBe("moved");
        expect(await journal.head()).toEqual(before);
        expect(await readAll(journal)).toHaveLength(1);
      },
    );

    it("GOV-3 of 20 concurrent writers one wins each position; retries lose nothing, and batches are contiguous", async () => {
      const journal = await open();
      const writers = Array.from({ length: 20 }, (_, at) => [draft({ at, part: 1 }), draft({ at, part: 2 })]);
      const written = await Promise.all(writers.map((drafts) => appendAnyhow(journal, drafts)));
      const entries = await readAll(journal);
      expect(entries).toHaveLength(40);
      expect(verifyChain(entries)).toMatchObject({ kind: "whole" });
      for (const [one, other] of written) expect(other?.seq).toBe((one?.seq ?? 0) + 1);
      expect(written.flat().sort((a, b) => a.seq - b.seq)).toEqual(entries);
    });

    it("GOV-4 of concurrent writers after the same entry exactly one wins", async () => {
      const journal = await open();
      const done = await Promise.all(Array.from({ length: 10 }, (_, at) => journal.append(0, [draft(at), draft(at)])));
      expect(done.filter((one) => one !== "moved")).toHaveLength(1);
      expect(await readAll(journal)).toHaveLength(2);
    });

    it.each([
      { query: { limit: 3 }, seqs: [1, 2, 3], next: 4 },
      { query: { from: 4, limit: 3 }, seqs: [4, 5, 6], next: 7 },
      { query: { from: 8, limit: 3 }, seqs: [8, 9, 10], next: undefined },
      { query: { from: 2, to: 4, limit: 3 }, seqs: [2, 3, 4], next: undefined },
      { query: { from: 2, to: 5, limit: 3 }, seqs: [2, 3, 4], next: 5 },
      { query: { from: 11, limit: 3 }, seqs: [], next: undefined },
      { query: { from: 5, to: 4, limit: 3 }, seqs: [], next: undefined },
      { query: { from: -9, to: 2 ** 40, limit: 100 }, seqs: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], next: undefined },
      { query: { kinds: ["k0"], limit: 2 }, seqs: [3, 6], next: 9 },
      { query: { kinds: ["k0", "k1"], from: 7, limit: 9 }, seqs: [7, 9, 10], next: undefined },
      { query: { kinds: [], limit: 9 }, seqs: [], next: undefined },
      { query: { kinds: ["K0", "' or 1=1 --"], limit: 9 }, seqs: [], next: undefined },
    ])("GOV-5 reading $query returns $seqs, and the next page starts at $next", async ({ query, seqs, next }) => {
      const journal = await open();
      await journal.append(
        0,
        Array.from({ length: 10 }, (_, at) => draft(at, `k${(at + 1) % 3}`)),
      );
      const page = await journal.read(query);
      expect(page.entries.map(({ seq }) => seq)).toEqual(seqs);
      expect(page.next).toBe(next);
    });

    it.each([0, -1, 1.5, Number.NaN])(
      "GOV-6 a governance read limit of %d is rejected with a reason",
      async (limit) => {
        await expect((await open()).read({ limit })).rejects.toThrow("limit");
      },
    );

    it.each([
      { ...draft(1), by: "" },
      { ...draft(1), by: "a\0b" },
      { ...draft(1), kind: " " },
      { ...draft(1), at: Number.NaN },
    ])("GOV-7 the entry %j is rejected with a reason, and nothing of its batch is written", async (bad) => {
      const journal = await open();
      await expect(journal.append(0, [draft("good"), bad])).rejects.toThrow(/entry/);
      expect(await journal.head()).toEqual({ seq: 0, hash: "" });
    });

    it("GOV-8 governance entries with any JSON are read back unchanged, and the chain verifies", async () => {
      const journal = await open();
      const odd: Json = { "a\0": "\0", "\ud800": "\udc00 'quoted' \\ 😀 \u2028", ["__proto__"]: { z: 1, 10: 2, 9: 3 } };
      await journal.append(0, [draft(odd)]);
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ stringUnit: "binary" }), async (value) => {
          const [entry] = await appendAnyhow(journal, [draft(value as Json)]);
          const { entries } = await journal.read({ from: entry?.seq ?? 0, limit: 1 });
          expect(entries).toEqual([entry]);
          expect(JSON.stringify(entries[0]?.body)).toHaveLength(JSON.stringify(value).length);
        }),
        { numRuns: 50 },
      );
      expect(verifyChain(await readAll(journal))).toMatchObject({ kind: "whole" });
    });

    it("GOV-9 later changes to the caller's objects do not affect the stored entries", async () => {
      const journal = await open();
      const body = { list: ["mine"] };
      const done = await journal.append(0, [draft(body)]);
      body.list.push("changed");
      if (done === "moved") throw new Error("moved");
      Object.assign(done.entries[0] ?? {}, { body: "changed" });
      expect((await journal.read({ limit: 1 })).entries[0]?.body).toEqual({ list: ["mine"] });
    });

    it("GOV-10 a reader sees whole appends in order and without gaps while others write", async () => {
      const journal = await open();
      let writing = true;
      const write = async () => {
        for (let batch = 0; batch < 15; batch++)
          await appendAnyhow(journal, [draft(batch), draft(batch), draft(batch)]);
      };
      const read = async () => {
        let looks = 0;
        for (; writing || looks < 3; looks++) {
          const { entries } = await journal.read({ limit: 1_000 });
          expect(entries.length % 3).toBe(0);
          expect(verifyChain(entries)).toMatchObject({ kind: "whole" });
          // Who reads without ever waiting would let nobody else have a turn.
          await new Promise((resolve) => setImmediate(resolve));
        }
        return looks;
      };
      const reading = read();
      await Promise.all([write(), write(), write()]);
      writing = false;
      expect(await reading).toBeGreaterThan(2);
      expect((await journal.head()).seq).toBe(135);
    });

    it("GOV-11 an append writes up to 1,000 entries at once, rejects more, and may be empty", async () => {
      const journal = await open();
      const many = Array.from({ length: 1_000 }, (_, at) => draft({ at, text: "ü".repeat(100) }));
      await expect(journal.append(0, [...many, draft(0)])).rejects.toThrow("1000");
      expect(await journal.append(0, [])).toEqual({ entries: [] });
      expect(await journal.append(1, [])).toBe("moved");
      await journal.append(0, many);
      expect(verifyChain(await readAll(journal))).toMatchObject({ kind: "whole", head: { seq: 1_000 } });
    });

    it.each<{ query: Omit<GovernanceSearch, "limit"> & { limit?: number }; seqs: readonly number[] }>([
      { query: { text: "handoffs" }, seqs: [4, 1] },
      { query: { text: "HANDOFF" }, seqs: [4, 1] },
      { query: { text: "andoffs" }, seqs: [] },
      { query: { text: "handoffs short" }, seqs: [1] },
      { query: { text: "short, handoffs!" }, seqs: [1] },
      { query: { text: "handoffs missing" }, seqs: [] },
      { query: { text: "uber cafe" }, seqs: [2] },
      { query: { text: "ÜBER CAFÉ" }, seqs: [2] },
      { query: { text: "operator" }, seqs: [5, 4, 2, 1] },
      { query: { text: "operator", limit: 2 }, seqs: [5, 4] },
      { query: { text: "operator", before: 4 }, seqs: [2, 1] },
      { query: { text: "operator", before: 4.5 }, seqs: [4, 2, 1] },
      { query: { text: "operator", before: 1 }, seqs: [] },
      { query: { text: "operator", before: Number.POSITIVE_INFINITY, limit: 1 }, seqs: [5] },
      { query: { text: "ann" }, seqs: [3] },
      { query: { text: "test other" }, seqs: [2] },
      { query: { text: "x".repeat(9_000) }, seqs: [5] },
      { query: { text: "東京" }, seqs: [5] },
      { query: { text: "½" }, seqs: [5] },
      { query: { text: "" }, seqs: [] },
      { query: { text: "\"' OR 1=1 -- * : & | ! ( )" }, seqs: [] },
      { query: { text: "!!!" }, seqs: [] },
    ])("GOV-18 a journal search for $query finds $seqs", async ({ query, seqs }) => {
      const journal = await open();
      await journal.append(0, [
        draft({ directive: { text: "keep handoffs short" } }),
        draft(["über dem Café"], "test.other"),
        { ...draft("nothing else"), by: "ann" },
        draft({ deep: [{ er: ["Handoffs, long"] }] }),
        draft(`${"x".repeat(9_000)} 東京都 ½`),
      ]);
      const found = await journal.search({ limit: 10, ...query });
      expect(found.map(({ seq }) => seq)).toEqual(seqs);
      const all = await readAll(journal);
      expect(found).toEqual(seqs.map((seq) => all[seq - 1]));
    });

    it("GOV-19 any entry with a word in it is found by its own text; a limit of 0 is rejected", async () => {
      const journal = await open();
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (text) => {
          const [entry] = await appendAnyhow(journal, [draft({ text })]);
          const found = await journal.search({ text, limit: 1 });
          expect(found).toEqual(soughtWords(text) === undefined ? [] : [entry]);
        }),
        { numRuns: 50 },
      );
      await expect(journal.search({ text: "a", limit: 0 })).rejects.toThrow("limit");
      await expect(journal.search({ text: "a", before: Number.NaN, limit: 1 })).rejects.toThrow("sequence");
    });
  });
}
