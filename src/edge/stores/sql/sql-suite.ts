import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { sql } from "kysely";
import { afterAll, describe, expect, it } from "vitest";
import type { GovernanceEntry } from "../../../base/ports/governance.ts";
import { verifyChain } from "../../../engine/journal/governance-chain.ts";
import { agentsSuite } from "../agents-suite.ts";
import { sampleEvent } from "../events-samples.ts";
import { eventsSuite } from "../events-suite.ts";
import { appendAnyhow, governanceSuite, readAll } from "../governance-suite.ts";
import { instructionsSuite } from "../instructions-suite.ts";
import { notesSuite } from "../notes-suite.ts";
import { resultsSuite } from "../results-suite.ts";
import { sessionsSuite } from "../sessions-suite.ts";
import { openDatabase, type StorePlace } from "./open-database.ts";
import { openSqlStore } from "./open-sql-store.ts";
import type { SqlStore } from "./sql-store.ts";
import type { SqlDatabase, SqlKind } from "./tables.ts";
import { type Acknowledged, WRITER, type Written } from "./test-writer.ts";

const WEEK = 7 * 24 * 3_600_000;
const KILLS = 10;
const DRAFT = { at: 1, by: "ann", kind: "test.made", body: "green tea" };
const PROMPT = {
  type: "prompt",
  hash: "h",
  prefixHash: "p",
  tokens: 1,
  prefixTokens: 1,
  sections: [],
  cuts: [],
} as const;

/** What every SQL store does. `place` gives one that nobody has used; all are closed before `end` runs. */
export function sqlSuite(name: string, place: () => Promise<StorePlace>, end?: () => Promise<void>): void {
  const opened: SqlStore[] = [];
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await end?.();
  });

  async function open(at?: StorePlace): Promise<SqlStore> {
    const store = await openSqlStore(at ?? (await place()));
    opened.push(store);
    return store;
  }

  instructionsSuite(name, async () => (await open()).instructions);
  notesSuite(name, async () => (await open()).memory);
  resultsSuite(name, async (maxBytes) => (await open()).results({ maxBytes }));
  governanceSuite(name, async () => (await open()).governance);
  agentsSuite(name, async () => (await open()).agents);
  eventsSuite(name, async () => (await open()).events);
  sessionsSuite(name, async () => (await open()).sessions);

  describe(`${name} store`, () => {
    it("STO-1 what was written is there when the store is opened again", async () => {
      const at = await place();
      const ann = { user: "ann", agent: "helper" };
      const first = await openSqlStore(at);
      await first.instructions.write(ann, 0, { items: [{ id: "i", text: "short" }], at: 1, by: "s", change: "add" });
      await first.memory.save(ann, { id: "m", text: "likes tea", at: 1 });
      await first.results().keep("s", "h", "whole");
      await appendAnyhow(first.governance, [{ at: 1, by: "ann", kind: "test.made", body: 1 }]);
      await first.close();
      const second = await open(at);
      expect((await second.instructions.read(ann)).items).toEqual([{ id: "i", text: "short" }]);
      expect((await second.memory.search(ann, { text: "tea", limit: 1 })).total).toBe(1);
      expect(await second.results().read("s", "h")).toBe("whole");
      expect((await second.governance.head()).seq).toBe(1);
      expect(await second.health()).toEqual({ kind: "ok" });
    });

    it("STO-2 after close everything is refused in words, and health says down", async () => {
      const store = await openSqlStore(await place());
      await store.close();
      await expect(store.governance.head()).rejects.toMatchObject({ code: "STORE_CLOSED" });
      expect(await store.health()).toMatchObject({ kind: "down", message: expect.stringContaining("closed") });
      await store.close();
    });

    it("STO-3 a store of a newer Conduct is refused, and stays as it is", async () => {
      const at = await place();
      const { db } = await openDatabase(at);
      await sql`insert into conduct_migration (name, timestamp) values ('9999-later', '')`.execute(db);
      await expect(openSqlStore(at)).rejects.toMatchObject({
        code: "STORE_NEWER",
        message: expect.stringContaining("9999"),
      });
      await db.destroy();
    });

    it("STO-4 two openings of one store see each other's writes at once, and neither writes over the other", async () => {
      const at = await place();
      const [one, other] = [await open(at), await open(at)];
      await one.governance.append(0, [{ at: 1, by: "ann", kind: "test.made", body: 1 }]);
      expect((await other.governance.head()).seq).toBe(1);
      expect(await other.governance.append(0, [{ at: 1, by: "bob", kind: "test.made", body: 2 }])).toBe("moved");
    });

    it("STO-5 a store of before there was search is opened, and what is in it is found", async () => {
      const at = await place();
      const first = await openSqlStore(at);
      const texts = Array.from({ length: 700 }, (_, one) => `about number${one}`);
      const drafts = texts.map((body) => ({ at: 1, by: "ann", kind: "test.made", body }));
      await first.governance.append(0, drafts);
      await first.events.append(texts.map((text, one) => sampleEvent({ type: "verbose", text }, { id: `e_${one}` })));
      await first.close();
      const { db } = await openDatabase(at);
      await db.updateTable("conduct_governance").set({ body: "{damaged" }).where("seq", "=", 3).execute();
      await takeSearchOut(db, at.kind);
      await db.destroy();
      const { governance, events } = await open(at);
      expect((await governance.search({ text: "number699", limit: 9 })).map(({ seq }) => seq)).toEqual([700]);
      expect((await governance.search({ text: "about", limit: 999, before: 3 })).map(({ seq }) => seq)).toEqual([2, 1]);
      expect(await events.count({ text: "about" })).toBe(700);
      expect(await events.deleteSession("s_1")).toBe(700);
      expect(await events.append([sampleEvent({ type: "verbose", text: "anew" })])).toBe(1);
      expect([await events.count({ text: "about" }), await events.count({ text: "anew" })]).toEqual([0, 1]);
    });

    it("STO-6 search that is damaged is made anew from what is kept, and what is written later is found too", async () => {
      const at = await place();
      const { governance, events, memory, rebuildSearch } = await open(at);
      const ann = { user: "ann", agent: "helper" };
      await governance.append(0, [DRAFT, { ...DRAFT, body: "coffee" }]);
      const prompt = sampleEvent({ ...PROMPT, contract: { version: 1, hash: "4f1c", directives: 1 } }, { id: "e_2" });
      await events.append([sampleEvent({ type: "verbose", text: "green tea" }), prompt]);
      await memory.save(ann, { id: "m", text: "likes tea", at: 1 });
      const found = async () => [
        (await governance.search({ text: "tea", limit: 9 })).length,
        await events.count({ text: "tea" }),
        await events.count({ contract: "4f1c" }),
        (await memory.search(ann, { text: "tea", limit: 9 })).total,
      ];
      expect(await found()).toEqual([1, 1, 1, 1]);
      const { db } = await openDatabase(at);
      for (const statement of damageTo(at.kind)) await sql.raw(statement).execute(db);
      await db.destroy();
      expect(await found().catch(() => "refused")).not.toEqual([1, 1, 1, 1]);
      expect(await rebuildSearch()).toEqual({ governance: 2, events: 2, notes: 1 });
      expect(await found()).toEqual([1, 1, 1, 1]);
      await governance.append(2, [DRAFT]);
      await events.append([sampleEvent({ type: "verbose", text: "black tea" }, { id: "e_3" })]);
      expect(await found()).toEqual([2, 2, 1, 1]);
      await events.deleteSession("s_1");
      expect(await found()).toEqual([2, 0, 0, 1]);
    });

    it("GOV-15 what was altered in the database is found at its place", async () => {
      const at = await place();
      const { governance } = await open(at);
      const drafts = Array.from({ length: 9 }, (_, body) => ({ at: 1, by: "ann", kind: "test.made", body }));
      await governance.append(0, drafts);
      const { db } = await openDatabase(at);
      await db.updateTable("conduct_governance").set({ body: "99" }).where("seq", "=", 5).execute();
      expect(verifyChain(await readAll(governance))).toEqual({ kind: "broken", seq: 5, fault: "altered" });
      await db.updateTable("conduct_governance").set({ body: "{" }).where("seq", "=", 6).execute();
      await expect(readAll(governance)).rejects.toMatchObject({
        code: "STORE_DAMAGED",
        message: expect.stringContaining("Entry 6"),
      });
      await db.deleteFrom("conduct_governance").where("seq", "in", [5, 6]).execute();
      expect(verifyChain(await readAll(governance))).toEqual({ kind: "broken", seq: 7, fault: "missing" });
      await db.destroy();
    });

    it("INS-11 instructions that are damaged are refused, never taken for none", async () => {
      const at = await place();
      const { instructions } = await open(at);
      const ann = { user: "ann", agent: "helper" };
      await instructions.write(ann, 0, { items: [], at: 1, by: "s", change: "add" });
      const { db } = await openDatabase(at);
      await db.updateTable("conduct_instructions").set({ items: "[{" }).execute();
      await expect(instructions.read(ann)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
      await db.destroy();
    });

    it("AGS-8 a definition that is damaged is refused, never taken for none", async () => {
      const at = await place();
      const { agents } = await open(at);
      await agents.put("ada", 0, { definition: {}, at: 1, by: "ann", reason: "begin" });
      const { db } = await openDatabase(at);
      await db.updateTable("conduct_agents").set({ body: "{" }).execute();
      await expect(agents.read("ada")).rejects.toMatchObject({ code: "STORE_DAMAGED" });
      await expect(agents.list()).rejects.toMatchObject({ code: "STORE_DAMAGED" });
      await db.destroy();
    });

    it("RES-9 what is older than a week is gone, and the sweep takes its bytes", async () => {
      const at = await place();
      const store = await open(at);
      let now = 1_000;
      const results = store.results({ now: () => now });
      await results.keep("s", "old", "x");
      now += WEEK;
      expect(await results.read("s", "old")).toBe("x");
      now += 1;
      expect(await results.read("s", "old")).toBeUndefined();
      await results.sweep();
      const { db } = await openDatabase(at);
      expect(await db.selectFrom("conduct_result_parts").select("part").execute()).toEqual([]);
      await db.destroy();
    });

    it("MEM-10 long words and long notes are found; of a very long query some words are looked for", async () => {
      const { memory } = await open();
      const ann = { user: "ann", agent: "helper" };
      const words = Array.from({ length: 4_000 }, (_, at) => `word${at}`).join(" ");
      await memory.save(ann, { id: "long", text: `${"x".repeat(10_000)} ${words} ⑴ ½`, at: 1 });
      for (const text of ["x".repeat(10_000), "word3999", "x", `none ${words}`, "⑴", "½"]) {
        expect((await memory.search(ann, { text, limit: 1 })).total).toBe(1);
      }
      expect((await memory.search(ann, { text: `${"x".repeat(40)}y`, limit: 1 })).total).toBe(0);
    });

    it("GOV-16 20 processes that begin at once on no store at all lose nothing", async () => {
      const at = await place();
      const writers = Array.from({ length: 20 }, (_, writer) => startWriter(at, "once", `w${writer}`));
      const acknowledged = (await Promise.all(writers.map(finish))).flat();
      const entries = await readAll((await open(at)).governance);
      expect(new Set(entries.map(({ by }) => by)).size).toBe(20);
      expectWhole(entries, acknowledged);
      expect(entries).toHaveLength(acknowledged.flat().length);
    });

    it(`GOV-17 a writer killed at any point, ${KILLS} times: what was acknowledged is there, nothing is half there`, async () => {
      const at = await place();
      const acknowledged: Acknowledged[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        acknowledged.push(...(await killAtRandom(startWriter(at, "forever", `k${kill}`))));
        expectWhole(await readAll((await open(at)).governance, 1_000), acknowledged);
      }
      expect(acknowledged.length).toBeGreaterThan(KILLS);
    });
  });
}

/** What a hand, or a half-written page, does to the indexes of words. */
function damageTo(kind: SqlKind): readonly string[] {
  if (kind === "sqlite") {
    return [
      "drop table conduct_governance_words",
      "update conduct_event_words_data set block = x'00'",
      "delete from conduct_note_words",
      "update conduct_events set contract = null",
    ];
  }
  return [
    "drop index conduct_governance_words",
    "update conduct_governance set words = null",
    "update conduct_events set words = array_to_tsvector(array['other']), contract = null",
    "update conduct_notes set words = ''::tsvector",
  ];
}

/** As it was before the third migration. */
async function takeSearchOut(db: SqlDatabase, kind: SqlKind): Promise<void> {
  const statements =
    kind === "sqlite"
      ? [
          "drop trigger conduct_event_words_gone",
          "drop table conduct_governance_words",
          "drop table conduct_event_words",
        ]
      : ["alter table conduct_governance drop column words", "alter table conduct_events drop column words"];
  for (const statement of [
    ...statements,
    "drop table conduct_agents",
    "drop table conduct_kept_sessions",
    "drop index conduct_events_contract",
    "alter table conduct_events drop column contract",
    "delete from conduct_migration where name >= '0003'",
  ])
    await sql.raw(statement).execute(db);
}

function startWriter(place: StorePlace, how: "once" | "forever", writer: string): ChildProcess {
  return spawn(process.execPath, [WRITER, JSON.stringify(place), how, writer], { stdio: ["ignore", "pipe", "pipe"] });
}

/** What it has acknowledged; only whole lines count. */
function listen(writer: ChildProcess): () => readonly Acknowledged[] {
  let said = "";
  writer.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return () =>
    said
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Acknowledged);
}

async function finish(writer: ChildProcess): Promise<readonly Acknowledged[]> {
  const acknowledged = listen(writer);
  let complaint = "";
  writer.stderr?.on("data", (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  await once(writer, "close");
  expect(complaint).toBe("");
  return acknowledged();
}

async function killAtRandom(writer: ChildProcess): Promise<readonly Acknowledged[]> {
  const acknowledged = listen(writer);
  await Promise.race([once(writer.stdout ?? writer, "data"), once(writer, "close")]);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
  writer.kill("SIGKILL");
  await once(writer, "close");
  return acknowledged();
}

function expectWhole(entries: readonly GovernanceEntry[], acknowledged: readonly Acknowledged[]): void {
  expect(verifyChain(entries)).toMatchObject({ kind: "whole" });
  for (const { seq, hash } of acknowledged.flat()) expect(entries[seq - 1]?.hash).toBe(hash);
  const parts = entries.map(({ body }) => body as Written);
  for (const [at, { writer, batch, part, of }] of parts.entries()) {
    const first = at - part + 1;
    expect(parts.slice(first, first + of)).toEqual(
      Array.from({ length: of }, (_, one) => ({ writer, batch, part: one + 1, of })),
    );
  }
}
