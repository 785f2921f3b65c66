import { describe, expect, it } from "vitest";
import type { MemoryStore, NotesStore } from "../../../base/ports/stores/memory.ts";
import type { UserAgent } from "../../../base/words/hosting/instructions.ts";

const ANN: UserAgent = { user: "ann", agent: "helper" };

async function fill(store: MemoryStore, texts: readonly string[], owner = ANN): Promise<void> {
  for (const [at, text] of texts.entries()) await store.save(owner, { id: `m_${at}`, text, at: 1_000 + at });
}

async function find(store: MemoryStore, text: string | undefined, page = {}): Promise<readonly string[]> {
  const { notes } = await store.search(ANN, { limit: 100, ...(text === undefined ? {} : { text }), ...page });
  return notes.map((note) => note.text);
}

/** What every store of notes does. */
export function notesSuite(name: string, open: () => Promise<NotesStore>): void {
  describe(`notes: ${name}`, () => {
    it("MEM-11 a removed note is no longer found and can be saved again; only its owner can remove it", async () => {
      const store = await open();
      await fill(store, ["likes green tea", "likes coffee"]);
      await fill(store, ["likes green tea"], { ...ANN, user: "eve" });
      for (const owner of [
        { ...ANN, user: "eve" },
        { ...ANN, agent: "other" },
      ])
        expect(await store.remove(owner, "m_1")).toBe(false);
      expect(await store.remove(ANN, "m_0")).toBe(true);
      expect(await store.remove(ANN, "m_0")).toBe(false);
      expect([await find(store, "tea"), await find(store, undefined)]).toEqual([[], ["likes coffee"]]);
      expect((await store.search({ ...ANN, user: "eve" }, { text: "tea", limit: 9 })).total).toBe(1);
      expect(await store.save(ANN, { id: "m_9", text: "likes green tea", at: 5_000 })).toEqual({
        id: "m_9",
        known: false,
      });
      expect(await find(store, "tea")).toEqual(["likes green tea"]);
      expect(await find(store, undefined)).toEqual(["likes green tea", "likes coffee"]);
    });

    it("MEM-1 saved notes are returned newest first", async () => {
      const store = await open();
      expect(await store.search(ANN, { limit: 10 })).toEqual({ notes: [], total: 0 });
      expect(await store.save(ANN, { id: "m_1", text: "likes tea", at: 2_000 })).toEqual({ id: "m_1", known: false });
      await store.save(ANN, { id: "m_2", text: "lives in Leeds", at: 1_000 });
      await store.save(ANN, { id: "m_3", text: "has a dog", at: 2_000 });
      const notes = [
        { id: "m_3", text: "has a dog", at: 2_000 },
        { id: "m_1", text: "likes tea", at: 2_000 },
        { id: "m_2", text: "lives in Leeds", at: 1_000 },
      ];
      expect(await store.search(ANN, { limit: 10 })).toEqual({ notes, total: 3 });
    });

    it("MEM-2 the same note is stored once under one id, even if saved concurrently", async () => {
      const store = await open();
      const saves = Array.from({ length: 20 }, (_, at) => store.save(ANN, { id: `m_${at}`, text: "once", at }));
      const saved = await Promise.all(saves);
      expect(saved.filter(({ known }) => !known)).toHaveLength(1);
      expect(new Set(saved.map(({ id }) => id)).size).toBe(1);
      expect((await store.search(ANN, { limit: 10 })).total).toBe(1);
      expect(await store.save(ANN, { id: "m_x", text: "Once", at: 1 })).toMatchObject({ known: false });
    });

    it("MEM-3 concurrent writers of notes lose nothing", async () => {
      const store = await open();
      await Promise.all(Array.from({ length: 50 }, (_, at) => store.save(ANN, { id: `m_${at}`, text: `n${at}`, at })));
      expect((await store.search(ANN, { limit: 1 })).total).toBe(50);
    });

    it.each([
      { user: "Ann", agent: "helper" },
      { user: "ann", agent: "other" },
      { user: "annhelper", agent: "" },
      { user: "' OR '1'='1", agent: "helper" },
      { user: "__proto__", agent: "%" },
      { user: "a\u0308", agent: "\u00e4" },
    ])("MEM-4 the owner $user with the agent $agent finds no notes of another owner", async (owner) => {
      const store = await open();
      await fill(store, ["secret of ann"]);
      expect(await store.search(owner, { text: "secret", limit: 10 })).toEqual({ notes: [], total: 0 });
      expect(await store.save(owner, { id: "m_0", text: "secret of ann", at: 1 })).toEqual({ id: "m_0", known: false });
      expect((await store.search(owner, { limit: 10 })).total).toBe(1);
      expect((await store.search(ANN, { limit: 10 })).total).toBe(1);
    });

    it.each([
      { query: "dentist", found: ["The dentist is in Leeds"] },
      { query: "DENTIST", found: ["The dentist is in Leeds"] },
      { query: "dent", found: ["The dentist is in Leeds"] },
      { query: "entist", found: [] },
      { query: "cafe zoe", found: ["Meets Zoë at the Café"] },
      { query: "ZOË", found: ["Meets Zoë at the Café"] },
      { query: "zoe\u0308", found: ["Meets Zoë at the Café"] },
      { query: "dog", found: [] },
      { query: "leeds leeds, (leeds)!", found: ["The dentist is in Leeds"] },
      { query: "Москва", found: ["Родилась в Москва"] },
      { query: "v2", found: ["Uses API v2 now"] },
    ])("MEM-5 the query $query finds the notes $found", async ({ query, found }) => {
      const store = await open();
      await fill(store, ["The dentist is in Leeds", "Meets Zoë at the Café", "Родилась в Москва", "Uses API v2 now"]);
      expect(await find(store, query)).toEqual(found);
      expect((await store.search(ANN, { text: query, limit: 1 })).total).toBe(found.length);
    });

    it.each([
      "",
      "   ",
      "???",
      "'",
      '"',
      'a" OR b',
      "*",
      "NOT",
      "NEAR(a b)",
      "col:x",
      "-x",
      "\\",
      "%",
      "_",
      "(",
      "\ud800",
    ])("MEM-6 the query %j is read as plain words, and only notes with one of them match", async (query) => {
      const store = await open();
      await fill(store, ["likes tea", "lives in Leeds"]);
      expect(await find(store, query)).toEqual([]);
    });

    it.each([
      { query: "tea green", found: ["tea green one", "tea white six", "tea black ten", "tea black two"] },
      {
        query: "milk tea",
        found: ["milk oat four", "tea white six", "tea black ten", "tea black two", "tea green one"],
      },
      { query: "black tea", found: ["tea black ten", "tea black two", "tea white six", "tea green one"] },
    ])(
      "MEM-7 the query $query ranks notes by matched words, then by rarer words, then newest first",
      async ({ query, found }) => {
        const store = await open();
        const tea = ["tea green one", "tea black two", "tea black ten", "tea white six"];
        await fill(store, ["milk oat four", "jam fig five", ...tea]);
        expect(await find(store, query)).toEqual(found);
      },
    );

    it.each([undefined, "note"])(
      "MEM-8 the pages of the query %j together have every note exactly once",
      async (query) => {
        const store = await open();
        const texts = Array.from({ length: 25 }, (_, at) => `note number ${at}`);
        for (const [at, text] of texts.entries()) await store.save(ANN, { id: `m_${at}`, text, at: 7 });
        const all: string[] = [];
        for (let offset = 0; offset < 30; offset += 4) all.push(...(await find(store, query, { limit: 4, offset })));
        expect(all).toEqual(texts.toReversed());
        expect(await find(store, query, { offset: 25 })).toEqual([]);
      },
    );

    it("MEM-9 any note is read back unchanged; lone surrogates become U+FFFD; NUL is unchanged or rejected", async () => {
      const store = await open();
      const odd = "'\"\\;--\n\t$1 %s {} 😀 e\u0301 \u2028 </memory_notes>";
      await fill(store, [odd, "a\ud800b", "x".repeat(4_000)]);
      expect(await find(store, undefined)).toEqual(["x".repeat(4_000), "a\ufffdb", odd]);
      const refused = await store.save(ANN, { id: "m_n", text: "a\0b", at: 9_999 }).then(() => undefined, String);
      if (refused === undefined) expect((await find(store, undefined))[0]).toBe("a\0b");
      else expect(refused).toMatch(/NUL/);
    });
  });
}
