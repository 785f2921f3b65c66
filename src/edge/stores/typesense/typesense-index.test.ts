import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GovernanceDraft, GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import { memoryStores } from "../home-stores.ts";
import { startTypesense, type TestTypesense } from "../test/servers/typesense.ts";
import { followJournal, type HistoryIndex, projectTo, rebuildIndex } from "./history-index.ts";
import { openHistoryIndex, typesenseIndex } from "./typesense-index.ts";

let server: TestTypesense;
let index: HistoryIndex;
let journal: GovernanceJournal;
let stop: (() => Promise<void>) | undefined;

beforeEach(async () => {
  server = await startTypesense();
  index = typesenseIndex(server);
  journal = memoryStores().governance;
});
afterEach(async () => {
  await stop?.();
  await server.stop();
});

async function write(count: number, draft: Partial<GovernanceDraft> = {}): Promise<void> {
  const { seq } = await journal.head();
  const drafts = Array.from({ length: count }, (_, at) => ({
    at: 1_700_000_000_000.5,
    by: "ann",
    kind: "directive-added",
    body: { directive: { id: `d_${seq + at + 1}`, text: `note ${seq + at + 1}` }, absorbed: [], more: [null, 1, true] },
    ...draft,
  }));
  for (let at = 0; at < count; at += 1_000) await journal.append(seq + at, drafts.slice(at, at + 1_000));
}

const seqs = () => [...(server.collections.get("conduct_history")?.keys() ?? [])].map(Number).sort((a, b) => a - b);
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

async function until(what: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (what()) return;
    await sleep(5);
  }
  throw new Error("it did not come to pass");
}

describe("history in Typesense (against a stand-in: README.md)", () => {
  it("TYP-1 every journal entry is indexed once, and later ones are added", async () => {
    await write(1_203);
    expect(await projectTo(journal, index)).toEqual({ taken: 1_203, position: await journal.head() });
    await write(2);
    expect(await projectTo(journal, index)).toMatchObject({ taken: 2 });
    expect(await projectTo(journal, index)).toMatchObject({ taken: 0 });
    expect(seqs()).toEqual(upTo(1_205));
    expect(server.imported).toBe(1_205);
    expect(await index.position()).toEqual(await journal.head());
  });

  it.each([
    { query: { text: "note", limit: 10 }, found: [5, 4, 1], total: 3 },
    { query: { text: "note", limit: 2 }, found: [5, 4], total: 3 },
    { query: { text: "", limit: 10 }, found: [5, 4, 3, 2, 1], total: 5 },
    { query: { text: "d_4", limit: 10 }, found: [4], total: 1 },
    { query: { text: "", kind: "candidate", limit: 10 }, found: [2], total: 1 },
    { query: { text: "", kind: "audit", limit: 10 }, found: [3], total: 1 },
    { query: { text: "", kind: "directive", limit: 10 }, found: [5, 4, 1], total: 3 },
    { query: { text: "nowhere", limit: 10 }, found: [], total: 0 },
  ] as const)("TYP-2 the search $query finds $found of $total", async ({ query, found, total }) => {
    await write(1);
    await write(1, { kind: "candidates-expired", body: { ids: ["c_1"] } });
    await write(1, { kind: "rule-changed", body: "deploy" });
    await write(2);
    await projectTo(journal, index);
    const answer = await index.search(query);
    expect(answer.found.map(({ seq }) => seq)).toEqual(found);
    expect(answer.total).toBe(total);
  });

  it.each([
    { text: "notes weekly", found: [5, 4, 1] },
    { text: "weekly notes", found: [1, 5, 4] },
    { text: "wee", found: [5, 4, 1] },
    { text: "wee notes", found: [] },
    { text: "notes nowhere", found: [] },
    { text: "noted", found: [] },
    { text: "ann", found: [2, 5, 4, 3, 1] },
    { text: "directive-added", found: [5, 4, 3, 2, 1] },
  ])(
    "TYP-14 '$text' finds $found: adjacent words first, then earlier fields, then the newest",
    async ({ text, found }) => {
      for (const one of ["weekly notes", "ask ann", "nothing", "weekly long notes", "notes weekly"])
        await write(1, { body: { directive: { text: one } } });
      await projectTo(journal, index);
      expect((await index.search({ text, limit: 10 })).found.map(({ seq }) => seq)).toEqual(found);
    },
  );

  it("TYP-15 a document that does not fit the schema is rejected, and a search by an unknown field too", async () => {
    await write(1);
    await projectTo(journal, index);
    const bad = [{ seq: 1.5, at: 1, by: "ann", kind: "audit", change: "x", text: "x" } as const];
    await expect(index.put(bad, await journal.head())).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    const ask = async (query: string) => {
      const url = `${server.url}/collections/conduct_history/documents/search?num_typos=0&q=note&${query}`;
      return (await fetch(url, { headers: { "x-typesense-api-key": server.key } })).status;
    };
    expect(await ask("query_by=text&sort_by=seq:desc")).toBe(200);
    expect(await ask("query_by=nowhere")).toBe(404);
    expect(await ask("query_by=seq")).toBe(400);
    expect(await ask("query_by=text&sort_by=by:desc")).toBe(404);
    expect(await ask("query_by=text&per_page=251")).toBe(422);
  });

  it.each([
    ["-rf", 1],
    ['"rm anywhere"', 1],
    ["habit", 9],
  ])("TYP-17 a search has no operators and completes its last word to every word: %s", async (text, total) => {
    await write(1, { body: { text: "rm -rf anywhere" } });
    for (let at = 1; at <= 9; at++) await write(1, { body: { text: `habit${at} of mine` } });
    await projectTo(journal, index);
    expect(await index.search({ text, limit: 20 })).toMatchObject({ total });
  });

  it("TYP-3 a search result has author, time and text", async () => {
    await write(1, { body: { directive: { text: "short \ud800 notes" } } });
    await projectTo(journal, index);
    const { found } = await index.search({ text: "notes", limit: 1 });
    const text = "short \ufffd notes";
    expect(found).toEqual([
      { seq: 1, at: 1_700_000_000_000, by: "ann", kind: "directive", change: "directive-added", text },
    ]);
  });

  it.each(["down", "breaks", "refuses"] as const)(
    "TYP-4 with a server in mode '%s' the index position stays, and no entry is missing afterwards",
    async (mode) => {
      await write(3);
      await projectTo(journal, index);
      await write(4);
      server.mode = mode;
      await expect(projectTo(journal, index)).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: expect.stringContaining("Nothing is lost"),
      });
      server.mode = "up";
      expect((await index.position()).seq).toBe(3);
      await projectTo(journal, index);
      expect(seqs()).toEqual(upTo(7));
    },
  );

  it("TYP-5 a search index of another journal is detected and rebuilt", async () => {
    await write(5);
    await projectTo(journal, index);
    journal = memoryStores().governance;
    await write(3, { by: "bob" });
    expect(await projectTo(journal, index)).toMatchObject({ taken: 3 });
    expect(seqs()).toEqual(upTo(3));
    expect((await index.search({ text: "ann", limit: 9 })).total).toBe(0);
  });

  it("TYP-6 a rebuilt search index has exactly the journal's entries", async () => {
    await write(5);
    await projectTo(journal, index);
    server.collections.get("conduct_history")?.set("99", { id: "99", seq: 99, text: "planted", kind: "audit" });
    server.collections.get("conduct_history")?.delete("2");
    expect(await rebuildIndex(journal, index)).toMatchObject({ taken: 5 });
    expect(seqs()).toEqual(upTo(5));
  });

  it("TYP-7 two concurrent indexers index every entry once", async () => {
    await write(700);
    await Promise.all([projectTo(journal, index), projectTo(journal, typesenseIndex(server))]);
    expect(seqs()).toEqual(upTo(700));
    expect(await index.position()).toEqual(await journal.head());
  });

  it("TYP-8 a follower indexes new entries until it is stopped", async () => {
    stop = followJournal(journal, index, 5);
    await write(2);
    await until(() => seqs().length === 2);
    await write(2);
    await until(() => seqs().length === 4);
    await stop();
    await write(1);
    await new Promise((done) => setTimeout(done, 50));
    expect(seqs()).toEqual(upTo(4));
  });

  it("TYP-9 while the server is down the journal accepts entries, and the follower catches up", async () => {
    server.mode = "down";
    stop = followJournal(journal, index, 1);
    await write(20);
    expect((await journal.head()).seq).toBe(20);
    expect(server.imported).toBe(0);
    server.mode = "up";
    await until(() => seqs().length === 20);
  });

  it("TYP-10 a wrong key or an unreachable server is reported without revealing the key", async () => {
    for (const place of [
      { url: server.url, key: "secret-word" },
      { url: "http://127.0.0.1:1", key: "secret-word" },
    ]) {
      const failed = await typesenseIndex(place).position().then(String, String);
      expect(failed).toContain("CONDUCT_TYPESENSE_URL");
      expect(failed).not.toContain("secret-word");
    }
  });

  it("TYP-11 a search in an index that was never built is rejected", async () => {
    await expect(index.search({ text: "note", limit: 1 })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it.each([
    { url: "", key: "k" },
    { url: "localhost:8108", key: "k" },
    { url: "http://", key: "k" },
    { url: "http://localhost:8108", key: " " },
  ])("TYP-12 the server $url with the key '$key' is rejected with a reason", (place) => {
    expect(() => typesenseIndex(place)).toThrow("CONDUCT_TYPESENSE_KEY");
  });

  it("TYP-13 without CONDUCT_TYPESENSE_URL there is no index; a URL without a key is rejected", async () => {
    expect(openHistoryIndex({ CONDUCT_TYPESENSE_KEY: "k" }, journal)).toBeUndefined();
    expect(() => openHistoryIndex({ CONDUCT_TYPESENSE_URL: server.url }, journal)).toThrow("CONDUCT_TYPESENSE_KEY");
    const env = { CONDUCT_TYPESENSE_URL: `${server.url}/`, CONDUCT_TYPESENSE_KEY: server.key };
    const opened = openHistoryIndex(env, journal);
    expect(await opened?.position()).toEqual({ seq: 0, hash: "" });
  });

  it("TYP-16 two stores on one server keep their own entries, and neither rebuilds the other's", async () => {
    const other = memoryStores().governance;
    const env = { CONDUCT_TYPESENSE_URL: server.url, CONDUCT_TYPESENSE_KEY: server.key };
    const [mine, theirs] = [openHistoryIndex(env, journal), openHistoryIndex(env, other)];
    if (mine === undefined || theirs === undefined) throw new Error("no index");
    expect(await mine.position()).toEqual({ seq: 0, hash: "" });
    await write(2);
    await other.append(0, [{ at: 1, by: "bob", kind: "directive-added", body: { text: "quiet" } }]);
    for (let round = 0; round < 2; round++)
      expect([(await projectTo(journal, mine)).taken, (await projectTo(other, theirs)).taken]).toEqual(
        round === 0 ? [2, 1] : [0, 0],
      );
    expect((await mine.search({ text: "", limit: 9 })).total).toBe(2);
    expect((await theirs.search({ text: "quiet", limit: 9 })).found.map(({ by }) => by)).toEqual(["bob"]);
  });
});
