import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../../../base/kernel/canonical-json.ts";
import { SEALED_COLUMNS, type Seal, type SealedColumn } from "../../seal/seal.ts";
import { sealExisting } from "../../seal/seal-existing.ts";
import { findInFiles } from "../../seal/test/secrets.ts";
import { openDatabase, type StorePlace } from "../open-database.ts";
import { openSqlStore } from "../open-sql-store.ts";
import type { SqlStore } from "../sql-store.ts";
import type { SqlDatabase } from "../tables.ts";

/** No redaction knows it for a secret: whatever holds it in clear has not sealed it. */
const WORD = "rumpelstiltskin";
const SAID = `the child's name is ${WORD}, tell nobody`;
const ANN = { user: "ann", agent: "helper" };
const TURN = { id: "t_1", conversation: "c_1", at: 1 };
const RUN = { id: "r_1", schedule: "d_1", due: 1, startedAt: 1 };

/** Not those that an index keeps for itself. */
const OWN_TABLE = /^conduct_(?!migration|\w+_words_)/;

/** Names, ids, times, counts, statuses, hashes under a key, and what operators decide. Events are redacted. */
const CLEAR: readonly string[] = [
  ...["users", "keys", "agents", "conversations", "governance", "events", "sessions", "figures"],
  ...["projections", "contract_uses", "hours", "adherence", "adherence_turns"],
  ...["section_uses", "seal", "governance_words", "event_words", "note_words", "day_usage"],
  ...["transcripts.conversation", "transcripts.seq"],
  ...["turns.turn", "turns.conversation", "turns.message", "turns.open", "turns.at"],
  ...["session", "version", "at", "changes", "holder", "held_until"].map((column) => `kept_sessions.${column}`),
  ...["kept_changes.session", "kept_changes.version"],
  ...["owner", "version", "owner_name", "at", "session", "change"].map((column) => `instructions.${column}`),
  ...["seq", "owner", "owner_name", "text_hash", "id", "at", "words"].map((column) => `notes.${column}`),
  ...["schedules.schedule", "schedules.user_id", "schedules.agent"],
  ...["run", "schedule", "due", "running", "started_at"].map((column) => `schedule_runs.${column}`),
  ...["replies.reply", "replies.request", "replies.at", "replies.status"],
  ...["sections.section", "replicas", "leases", "turns.position", "turns.entered_at"],
  ...["workspaces.workspace", "workspaces.files"],
  ...["whole_results.session", "whole_results.handle", "whole_results.bytes", "whole_results.at"],
  ...["mail.position", "mail.mail", "mail.replica", "mail.at"],
  ...["answers", "posts"],
  ...["approval", "session", "at", "expires_at", "answer", "answered_by", "answered_at"].map(
    (column) => `questions.${column}`,
  ),
  ...["delivery", "webhook", "type", "at", "state", "attempts", "next_at", "result"].map(
    (column) => `deliveries.${column}`,
  ),
  // Damaged rows as they were found: sealed columns stay sealed in them.
  ...["damaged_sessions", "governance_damaged"],
].map((name) => `conduct_${name}`);

/** Writes content through every port that takes some. */
async function fill(store: SqlStore): Promise<void> {
  const { conversations, sessions, instructions, memory, schedules, replies, events } = store;
  await store.results.keep("s_1", "h_1", SAID);
  await store.deliveries.add([{ id: "d_1", webhook: "ops", type: "denial", body: SAID, at: 1 }]);
  await conversations.create({ id: "c_1", ...ANN, channel: "web", at: 1, lastAt: 1 });
  await conversations.append("c_1", 0, [
    { role: "user", content: SAID },
    { role: "tool", content: SAID },
  ]);
  await conversations.addTurn({ ...TURN, messageId: "m_1", text: SAID, status: "queued" });
  await conversations.addTurn({ ...TURN, id: "t_2", text: SAID, status: "running" });
  await conversations.updateTurn({ ...TURN, text: SAID, status: "failed", answer: SAID, why: SAID });
  const state = { snapshot: JSON.stringify({ heard: SAID }), beside: { note: SAID }, at: 1 };
  await sessions.save("s_1", { ...state, expectedVersion: 0 });
  await sessions.save("s_2", { ...state, expectedVersion: 0 });
  await sessions.append("s_2", { change: "[]", beside: { note: SAID }, expectedVersion: 1, at: 2 }).catch(() => false);
  await instructions.write(ANN, 0, { items: [{ id: "i", text: SAID }], at: 1, by: "s", change: "add" });
  await memory.save(ANN, { id: "n_1", text: SAID, at: 1 });
  await memory.save(ANN, { id: "n_2", text: "likes tea", at: 2 });
  await schedules.add({ id: "d_1", ...ANN, cron: "* * * * *", zone: "UTC", say: SAID, enabled: true, at: 1 });
  await schedules.begin({ ...RUN, status: "running" });
  await schedules.end({ ...RUN, status: "done", result: SAID, why: SAID });
  await replies.claim("k_1", SAID, 1, 0);
  await replies.keep("k_1", 1, 200, JSON.stringify({ answer: SAID }));
  await events.keepSections([{ session: "s_1", at: 1, hash: "h_1", text: SAID }]);
}

/** All of it, as its owners read it. */
async function readBack(store: SqlStore) {
  const { conversations, sessions, instructions, memory, schedules, replies, events } = store;
  return {
    transcript: await conversations.transcript("c_1"),
    turns: await conversations.turns({ conversation: "c_1", limit: 9 }),
    open: await conversations.openTurns(),
    again: await conversations.addTurn({ ...TURN, id: "t_9", messageId: "m_1", text: "again", status: "queued" }),
    session: await sessions.load("s_1"),
    instructions: await instructions.read(ANN),
    found: await memory.search(ANN, { text: WORD.slice(0, 5), limit: 9 }),
    notes: await memory.search(ANN, { limit: 9 }),
    known: await memory.save(ANN, { id: "n_9", text: SAID, at: 9 }),
    schedules: await schedules.list(),
    runs: await schedules.runs({ schedule: "d_1", limit: 9 }),
    reply: await replies.claim("k_1", SAID, 2, 0),
    sections: [...(await events.readSections(["h_1"]))],
  };
}

async function tablesOf(db: SqlDatabase, kind: StorePlace["kind"]): Promise<readonly string[]> {
  const all =
    kind === "sqlite"
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`;
  return (await all.execute(db)).rows.map(({ name }) => name);
}

/** Everything that lies in the store, byte for byte, in which the word is found. */
async function inClear(at: StorePlace): Promise<readonly string[]> {
  const { db } = await openDatabase(at);
  const found: string[] = [];
  for (const table of await tablesOf(db, at.kind)) {
    // Some tables of an index can only be read as bytes of the file.
    const rows = await sql`select * from ${sql.table(table)}`.execute(db).then(
      (done) => done.rows,
      () => [],
    );
    const text = JSON.stringify(rows, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    );
    if (text.includes(WORD)) found.push(table);
  }
  await db.destroy();
  return [...found, ...(at.kind === "sqlite" ? findInFiles(dirname(at.file), [WORD]) : [])];
}

/** As a Conduct of before sealing has left it: the same content in clear, an index of words, and no table of the seal. */
async function unsealAll(at: StorePlace, seal: Seal): Promise<void> {
  const { db } = await openDatabase(at);
  for (const of of Object.keys(SEALED_COLUMNS) as SealedColumn[]) {
    const [table = "", column = ""] = of.split(".");
    const keys: readonly string[] = SEALED_COLUMNS[of];
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db);
    for (const row of rows) {
      const id = keys.map((key) => row[key] as string | number);
      const stored = row[column];
      const plain = stored && seal.open(of, id, String(stored));
      const same = sql.join(
        keys.map((key, one) => sql`${sql.ref(key)} = ${id[one]}`),
        sql` and `,
      );
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${plain} where ${same}`.execute(db);
    }
  }
  for (const { seq, text } of await db.selectFrom("conduct_notes").select(["seq", "text"]).execute()) {
    await db
      .updateTable("conduct_notes")
      .set({ text_hash: sha256(text) })
      .where("seq", "=", seq)
      .execute();
    if (at.kind === "sqlite")
      await sql`update conduct_note_words set words = ${WORD} where rowid = ${seq}`.execute(db).catch(() => undefined);
    else await sql`update conduct_notes set words = array_to_tsvector(array[${WORD}])`.execute(db);
  }
  // What was deleted before stays in the pages that it leaves.
  const big = { conversation: "c_0", at: 1, message: null, open: 0, body: SAID.repeat(1_000) };
  for (let one = 0; one < 50; one++)
    await db
      .insertInto("conduct_turns")
      .values({ ...big, turn: `gone_${one}` })
      .execute();
  await db.deleteFrom("conduct_turns").where("conversation", "=", "c_0").execute();
  for (const name of [
    "seal",
    "day_usage",
    "questions",
    "replicas",
    "leases",
    "mail",
    "whole_results",
    "workspaces",
    "deliveries",
    "answers",
    "posts",
  ])
    await db.schema.dropTable(`conduct_${name}`).execute();
  await db.schema.dropIndex("conduct_users_slack").execute();
  await db.schema.alterTable("conduct_users").dropColumn("slack").execute();
  if (at.kind === "postgres")
    for (const column of ["position", "entered_at"])
      await db.schema.alterTable("conduct_turns").dropColumn(column).execute();
  await db.schema.dropIndex("conduct_sessions_agent").execute();
  for (const name of ["projections", "contract_uses", "hours", "adherence", "adherence_turns"])
    await db.schema.dropTable(`conduct_${name}`).execute();
  for (const name of ["sessions_newest", "sessions_user", "sessions_channel", "sessions_denied", "events_denied_of"])
    await db.schema.dropIndex(`conduct_${name}`).execute();
  for (const name of ["contracts", "first_at"])
    await db.schema.alterTable("conduct_sessions").dropColumn(name).execute();
  await db.deleteFrom("conduct_migration").where("name", ">=", "0013").execute();
  await db.destroy();
}

/** Seals so many values, and then the process is killed. */
function failing(seal: Seal, most: number): Seal {
  let left = most;
  const close: Seal["close"] = (...value) => {
    left -= 1;
    if (left < 0) throw new Error("cut off");
    return seal.close(...value);
  };
  return { ...seal, close };
}

/** What people said lies nowhere in clear, now and after an upgrade; it opens for its owners only with the key. */
export function sqlSealedSuite(
  name: string,
  place: () => Promise<StorePlace>,
  open: (at: StorePlace) => Promise<SqlStore>,
): void {
  describe(`${name} store: sealed content`, () => {
    it("SEA-20 content written through any port can be read back and is nowhere stored in clear text", async () => {
      const at = await place();
      const store = await open(at);
      await fill(store);
      const back = await readBack(store);
      expect(back.transcript.map(({ entry }) => entry.content)).toEqual([SAID, SAID]);
      expect(back.turns.map(({ text }) => text)).toEqual([SAID, SAID]);
      expect([back.open.length, back.again.id, back.known]).toEqual([1, "t_1", { id: "n_1", known: true }]);
      expect([back.found.total, back.notes.total]).toEqual([1, 2]);
      expect(back.reply).toEqual({ kind: "replied", status: 200, body: JSON.stringify({ answer: SAID }) });
      expect(back.sections).toEqual([["h_1", SAID]]);
      expect([back.runs[0]?.result, back.schedules[0]?.say, back.instructions.items[0]?.text]).toEqual([
        SAID,
        SAID,
        SAID,
      ]);
      expect(await inClear(at)).toEqual([]);
    });

    it("SEA-21 an older store, including its freed pages, is sealed when its content is first read", async () => {
      const at = await place();
      const first = await openSqlStore(at);
      await fill(first);
      const before = await readBack(first);
      const seal = await first.keys.seal();
      await first.close();
      await unsealAll(at, seal);
      expect((await inClear(at)).length).toBeGreaterThan(at.kind === "sqlite" ? 9 : 7);
      const store = await open(at);
      // The hash of a request of before had no key; it is kept for a day.
      expect({ ...(await readBack(store)), reply: before.reply }).toEqual(before);
      expect(await inClear(at)).toEqual([]);
      expect((await store.keys.status()).state).toBe(at.kind === "sqlite" ? "clean" : "sealed");
    });

    it("SEA-22 interrupted sealing is resumed and loses nothing", async () => {
      const at = await place();
      const first = await openSqlStore(at);
      await fill(first);
      const seal = await first.keys.seal();
      await first.close();
      await unsealAll(at, seal);
      const { db } = await openDatabase(at);
      for (const most of [0, 1, 2, 3, 3])
        await expect(sealExisting(db, at.kind, failing(seal, most))).rejects.toThrow("cut off");
      await sealExisting(db, at.kind, seal);
      const turns = await db.selectFrom("conduct_turns").select(["turn", "body"]).execute();
      const texts = turns.map(({ turn, body }) => JSON.parse(seal.open("conduct_turns.body", [turn], body)).text);
      await db.destroy();
      expect(texts).toEqual([SAID, SAID]);
      expect(await inClear(at)).toEqual([]);
    });

    it("SEA-23 a row moved to another place counts as damaged and reveals nothing", async () => {
      const at = await place();
      const store = await open(at);
      await fill(store);
      const { db } = await openDatabase(at);
      await sql`update conduct_kept_sessions set snapshot = (select snapshot from conduct_kept_sessions where session = 's_2')
        where session = 's_1'`.execute(db);
      await db.destroy();
      await expect(store.sessions.load("s_1")).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
    });

    it("SEA-24 every column is either sealed or listed as clear", async () => {
      const { db } = await openDatabase(await place());
      const tables = (await db.introspection.getTables()).filter(({ name: table }) => OWN_TABLE.test(table));
      const columns = tables.flatMap((table) => table.columns.map((column) => `${table.name}.${column.name}`));
      await db.destroy();
      const isClear = (column: string) => CLEAR.some((one) => column === one || column.startsWith(`${one}.`));
      expect(columns.filter((column) => !(column in SEALED_COLUMNS) && !isClear(column))).toEqual([]);
      const document = readFileSync(join(import.meta.dirname, "../../../../../docs/concepts/data.md"), "utf8");
      expect(tables.filter((table) => !document.includes(table.name)).map((table) => table.name)).toEqual([]);
    });
  });
}
