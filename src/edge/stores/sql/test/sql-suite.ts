import { sql } from "kysely";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { verifyChain } from "../../../../engine/journal/governance-chain.ts";
import { agentsSuite } from "../../test/agents-suite.ts";
import { conversationsSuite } from "../../test/conversations-suite.ts";
import { deliveriesSuite } from "../../test/deliveries-suite.ts";
import { sampleEvent } from "../../test/events-samples.ts";
import { eventsSuite } from "../../test/events-suite.ts";
import { appendAnyhow, governanceSuite, readAll } from "../../test/governance-suite.ts";
import { instructionsSuite } from "../../test/instructions-suite.ts";
import { notesSuite } from "../../test/notes-suite.ts";
import { postsSuite } from "../../test/posts-suite.ts";
import { repliesSuite } from "../../test/replies-suite.ts";
import { schedulesSuite } from "../../test/schedules-suite.ts";
import { sessionsSuite } from "../../test/sessions-suite.ts";
import { usersSuite } from "../../test/users-suite.ts";
import { openDatabase, type StorePlace } from "../open-database.ts";
import { openSqlStore } from "../open-sql-store.ts";
import { openHistories } from "../readers/open-histories.ts";
import type { SqlStore } from "../sql-store.ts";
import { crashSuite } from "./sql-crash-suite.ts";
import { sqlSealedSuite } from "./sql-sealed-suite.ts";
import { sqlSearchSuite } from "./sql-search-suite.ts";

/** `empty` makes a store like new, where that is faster than a new one; all stores are closed before `end` runs. */
type SuiteWorld = {
  readonly empty?: (place: StorePlace) => Promise<void>;
  readonly end?: () => Promise<void>;
};

/** What every SQL store does. `place` gives one that nobody has used. */
export function sqlSuite(name: string, place: () => Promise<StorePlace>, { empty, end }: SuiteWorld = {}): void {
  const opened: SqlStore[] = [];
  const used: { readonly at: StorePlace; readonly store: SqlStore }[] = [];
  const emptied: (typeof used)[number][] = [];
  afterEach(async () => {
    for (const one of used.splice(0)) {
      if (empty === undefined) continue;
      await empty(one.at);
      emptied.push(one);
    }
  });
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await end?.();
  });

  async function open(at?: StorePlace): Promise<SqlStore> {
    const again = at === undefined ? emptied.pop() : undefined;
    if (again !== undefined) {
      used.push(again);
      return again.store;
    }
    const where = at ?? (await place());
    const store = await openSqlStore(where);
    opened.push(store);
    if (at === undefined) used.push({ at: where, store });
    return store;
  }

  instructionsSuite(name, async () => (await open()).instructions);
  notesSuite(name, async () => (await open()).memory);
  governanceSuite(name, async () => (await open()).governance);
  agentsSuite(name, async () => (await open()).agents);
  usersSuite(name, async () => (await open()).users);
  conversationsSuite(name, async () => (await open()).conversations);
  schedulesSuite(name, async () => (await open()).schedules);
  deliveriesSuite(name, async () => (await open()).deliveries);
  postsSuite(name, async () => (await open()).posts);
  repliesSuite(name, async () => (await open()).replies);
  eventsSuite(name, async () => (await open()).events);
  sessionsSuite(name, async () => (await open()).sessions);

  sqlSearchSuite(name, place, open);
  crashSuite(name, place, open);
  sqlSealedSuite(name, place, open);

  describe(`${name} store`, () => {
    it("STO-1 written data can be read after the store is reopened", async () => {
      const at = await place();
      const ann = { user: "ann", agent: "helper" };
      const first = await openSqlStore(at);
      await first.instructions.write(ann, 0, { items: [{ id: "i", text: "short" }], at: 1, by: "s", change: "add" });
      await first.memory.save(ann, { id: "m", text: "likes tea", at: 1 });
      await appendAnyhow(first.governance, [{ at: 1, by: "ann", kind: "test.made", body: 1 }]);
      await first.close();
      const second = await open(at);
      expect((await second.instructions.read(ann)).items).toEqual([{ id: "i", text: "short" }]);
      expect((await second.memory.search(ann, { text: "tea", limit: 1 })).total).toBe(1);
      expect((await second.governance.head()).seq).toBe(1);
    });

    it("STO-2 a closed store rejects every access with STORE_CLOSED", async () => {
      const store = await openSqlStore(await place());
      await store.close();
      await expect(store.governance.head()).rejects.toMatchObject({ code: "STORE_CLOSED" });
      await store.close();
    });

    it("STO-3 a store of a newer Conduct is rejected and not changed", async () => {
      const at = await place();
      const { db } = await openDatabase(at);
      await sql`insert into conduct_migration (name, timestamp) values ('9999-later', '')`.execute(db);
      await expect(openSqlStore(at)).rejects.toMatchObject({
        code: "STORE_NEWER",
        message: expect.stringContaining("9999"),
      });
      await db.destroy();
    });

    it("STO-4 two openings of one store see each other's writes at once and do not overwrite each other", async () => {
      const at = await place();
      const [one, other] = [await open(at), await open(at)];
      await one.governance.append(0, [{ at: 1, by: "ann", kind: "test.made", body: 1 }]);
      expect((await other.governance.head()).seq).toBe(1);
      expect(await other.governance.append(0, [{ at: 1, by: "bob", kind: "test.made", body: 2 }])).toBe("moved");
    });

    it("GOV-15 verification finds a row that was altered in the database, with its position", async () => {
      const at = await place();
      const { governance } = await open(at);
      const drafts = Array.from({ length: 9 }, (_, body) => ({ at: 1, by: "ann", kind: "test.made", body }));
      await governance.append(0, drafts);
      const { db } = await openDatabase(at);
      await db.updateTable("conduct_governance").set({ body: "99" }).where("seq", "=", 5).execute();
      expect(verifyChain(await readAll(governance))).toEqual({ kind: "broken", seq: 5, fault: "altered" });
      await db.updateTable("conduct_governance").set({ body: "{" }).where("seq", "=", 4).execute();
      expect(verifyChain(await readAll(governance))).toEqual({ kind: "broken", seq: 4, fault: "altered" });
      expect(await readAll(governance)).toHaveLength(9);
      await db.deleteFrom("conduct_governance").where("seq", "in", [4, 5]).execute();
      expect(verifyChain(await readAll(governance))).toEqual({ kind: "broken", seq: 6, fault: "missing" });
      await db.destroy();
    });

    it("JNL-18 a damaged event or session does not prevent reading, writing or rebuilding others", async () => {
      const at = await place();
      const { events } = await open(at);
      const happened = [1, 2, 3].map((one) =>
        sampleEvent({ type: "verbose", text: `tea ${one}` }, { id: `e_${one}`, at: one }),
      );
      await events.append(happened);
      expect((await events.sessions({ limit: 1 })).total).toBe(1);
      const { db } = await openDatabase(at);
      await db.updateTable("conduct_events").set({ event: "{" }).where("id", "=", "e_2").execute();
      await db.updateTable("conduct_sessions").set({ summary: "{" }).execute();
      const read = await events.read({ limit: 9, session: "s_1" });
      expect(read.events.map(({ event }) => [event.id, event.type, event.session, event.at])).toEqual([
        ["e_3", "verbose", "s_1", 3],
        ["e_2", "fault", "s_1", 2],
        ["e_1", "verbose", "s_1", 1],
      ]);
      await expect(events.sessions({ limit: 1 })).rejects.toMatchObject({ fix: "Run: conduct journal rebuild" });
      await events.append([sampleEvent({ type: "verbose", text: "tea 4" }, { id: "e_4", at: Number.NaN })]);
      expect(await events.session("s_1")).toMatchObject({ turns: 1, calls: 0 });
      await db.updateTable("conduct_sessions").set({ summary: "{" }).execute();
      expect(await events.rebuild()).toBe(1);
      expect(await events.count({})).toBe(4);
      await db.destroy();
    });

    it("JNL-26 bulk reads of whole sessions return the same as single reads, damaged events included", async () => {
      const at = await place();
      const { events } = await open(at);
      const odd = "a name with / and 'quotes'";
      const happened = [1, 2, 3, 4, 5, 6].map((one) =>
        sampleEvent(
          { type: "verbose", text: `tea ${one} \u2028 "é"` },
          { id: `e_${one}`, at: one, session: one % 2 === 0 ? odd : "s_1" },
        ),
      );
      await events.append(happened);
      const { db } = await openDatabase(at);
      await db.updateTable("conduct_events").set({ event: '{"type":"call"},{' }).where("id", "=", "e_3").execute();
      await db.destroy();
      const reader = await openHistories(at);
      const asked = [odd, "nobody", "s_1", "s_1"];
      const read = await reader.histories(asked);
      await reader.close();
      expect(read).toEqual(await events.histories(asked));
      expect(read.map((session) => session.map(({ id, type }) => `${id} ${type}`))).toEqual([
        ["e_2 verbose", "e_4 verbose", "e_6 verbose"],
        [],
        ["e_1 verbose", "e_3 fault", "e_5 verbose"],
        ["e_1 verbose", "e_3 fault", "e_5 verbose"],
      ]);
    });

    it("INS-11 damaged instructions are rejected, never treated as missing", async () => {
      const at = await place();
      const { instructions } = await open(at);
      const ann = { user: "ann", agent: "helper" };
      await instructions.write(ann, 0, { items: [], at: 1, by: "s", change: "add" });
      const { db } = await openDatabase(at);
      await db.updateTable("conduct_instructions").set({ items: "[{" }).execute();
      await expect(instructions.read(ann)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
      await db.destroy();
    });

    it("AGS-8 a damaged definition is rejected, never treated as missing", async () => {
      const at = await place();
      const { agents } = await open(at);
      await agents.put("ada", 0, { definition: {}, at: 1, by: "ann", reason: "begin" });
      const { db } = await openDatabase(at);
      await db.updateTable("conduct_agents").set({ body: "{" }).execute();
      await expect(agents.read("ada")).rejects.toMatchObject({ code: "STORE_DAMAGED" });
      await expect(agents.list()).rejects.toMatchObject({ code: "STORE_DAMAGED" });
      await db.destroy();
    });

    it("MEM-10 long words and long notes are found; a very long query uses some of its words", async () => {
      const { memory } = await open();
      const ann = { user: "ann", agent: "helper" };
      const words = Array.from({ length: 4_000 }, (_, at) => `word${at}`).join(" ");
      await memory.save(ann, { id: "long", text: `${"x".repeat(10_000)} ${words} ⑴ ½`, at: 1 });
      for (const text of ["x".repeat(10_000), "word3999", "x", `none ${words}`, "⑴", "½"]) {
        expect((await memory.search(ann, { text, limit: 1 })).total).toBe(1);
      }
      expect((await memory.search(ann, { text: `${"x".repeat(40)}y`, limit: 1 })).total).toBe(0);
    });
  });
}
