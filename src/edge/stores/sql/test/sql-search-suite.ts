import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { sampleCall, sampleDenial, sampleEvent } from "../../test/events-samples.ts";
import { openDatabase, type StorePlace } from "../open-database.ts";
import { openSqlStore } from "../open-sql-store.ts";
import type { SqlStore } from "../sql-store.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";

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

/** The indexes of words: made for what was there before them, and made anew. */
export function sqlSearchSuite(
  name: string,
  place: () => Promise<StorePlace>,
  open: (at: StorePlace) => Promise<SqlStore>,
): void {
  describe(`${name} store: search`, () => {
    it("STO-5 a store without a search index is migrated, and its content is found", async () => {
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

    it("STO-7 a store without figures is migrated, and its figures are computed", async () => {
      const at = await place();
      const first = await openSqlStore(at);
      const call = sampleCall(sampleDenial("d_1"));
      await first.events.append([
        ...Array.from({ length: 600 }, (_, one) => sampleEvent(call, { id: `c_${one}`, at: one * 10_000 })),
        sampleEvent({ type: "stop", status: "incomplete", refusals: 5, bound: 5 }, { id: "s_1", session: "s_2" }),
      ]);
      const query = { by: "hour", since: 0, until: 10_000_000 } as const;
      const before = [await first.events.figures(query), await first.events.sessions({ limit: 9, denied: true })];
      await first.close();
      const { db } = await openDatabase(at);
      await db
        .updateTable("conduct_events")
        .set({ event: "{damaged" } as never)
        .where("id", "=", "s_1")
        .execute();
      await takeSearchOut(db, at.kind);
      await db.destroy();
      const { events } = await open(at);
      expect(await events.figures(query)).toEqual(before[0]);
      expect(before[0]).toMatchObject([{ calls: 360 }, { calls: 240 }]);
      expect(await events.sessions({ limit: 9, denied: true })).toEqual(before[1]);
      expect(before[1]).toMatchObject({ total: 1 });
    });

    it("STO-6 a damaged search index is rebuilt from the stored rows, and later rows are found too", async () => {
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
  });
}

/** What a hand, or a half-written page, does to the indexes of words. */
function damageTo(kind: SqlKind): readonly string[] {
  if (kind === "sqlite") {
    return [
      "drop table conduct_governance_words",
      "insert into conduct_event_words (conduct_event_words) values ('delete-all')",
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

/** As it was before the third migration: tables of later ones are gone, and their columns. */
async function takeSearchOut(db: SqlDatabase, kind: SqlKind): Promise<void> {
  const listed =
    kind === "sqlite"
      ? "select name from sqlite_master where type = 'table' and sql is not null"
      : "select tablename as name from pg_tables where schemaname = current_schema()";
  const { rows } = await sql.raw<{ name: string }>(listed).execute(db);
  const later = rows.map(({ name }) => name).filter((name) => /^conduct_/.test(name) && !FIRST.test(name));
  const statements = [
    ...(kind === "sqlite" ? ["drop trigger conduct_event_words_gone"] : []),
    ...later.map((name) => `drop table if exists ${name}${kind === "sqlite" ? "" : " cascade"}`),
    ...(kind === "sqlite"
      ? []
      : ["alter table conduct_governance drop column words", "alter table conduct_events drop column words"]),
    "drop index conduct_events_objected",
    "drop index conduct_sessions_agent",
    "drop index conduct_events_contract",
    ...["sessions_newest", "sessions_user", "sessions_channel", "sessions_denied", "events_denied_of"].map(
      (name) => `drop index conduct_${name}`,
    ),
    "alter table conduct_events drop column contract",
    ...["topic", "complexity", "denials", "incomplete", "contracts", "first_at"].map(
      (name) => `alter table conduct_sessions drop column ${name}`,
    ),
    "delete from conduct_migration where name >= '0003'",
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** The tables of the first two migrations, and those that SQLite keeps for the words of the others. */
const FIRST =
  /^conduct_(?:migration.*|instructions|notes|note_words.*|results|result_parts|governance|events|sessions|\w+_words_\w+)$/;
