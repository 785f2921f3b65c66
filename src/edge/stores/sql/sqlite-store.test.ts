import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, open, readdir, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { sampleEvent } from "../test/events-samples.ts";
import { isObjectedCall } from "./events/events.ts";
import { openDatabase, type StorePlace } from "./open-database.ts";
import { openSqlStore } from "./open-sql-store.ts";
import { sqliteGovernanceReader } from "./readers/sqlite-governance-reader.ts";
import { StoreError } from "./store-error.ts";
import type { SqlDatabase } from "./tables.ts";
import { sqlSuite } from "./test/sql-suite.ts";
import { WRITER } from "./test/writer.ts";
import { lightly } from "./transactions.ts";

const made: string[] = [];
async function place(): Promise<{ readonly kind: "sqlite"; readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), "conduct-sqlite-"));
  made.push(folder);
  return { kind: "sqlite", file: join(folder, "home", "conduct.db") };
}
async function removeAll(): Promise<void> {
  for (const folder of made) await rm(folder, { recursive: true, force: true });
}

sqlSuite("sqlite", place, { end: removeAll });

const DRAFT = { at: 1, by: "ann", kind: "test.made", body: "x".repeat(20_000) };

/** A store with some pages in it, closed. */
async function filled(): Promise<{ readonly kind: "sqlite"; readonly file: string }> {
  const at = await place();
  const store = await openSqlStore(at);
  for (let seq = 0; seq < 10; seq++) await store.governance.append(seq, [DRAFT]);
  await store.close();
  return at;
}

async function refusal(at: StorePlace): Promise<StoreError> {
  const error: unknown = await openSqlStore(at).then(
    (store) => store.close(),
    (thrown: unknown) => thrown,
  );
  if (error instanceof StoreError) return error;
  throw new Error(`not refused in words: ${error}`);
}

describe("sqlite file", () => {
  it("STO-19 two stores in one process take turns, so the process never waits for its own lock", async () => {
    const at = await place();
    const [one, two] = [await openSqlStore(at), await openSqlStore(at)];
    const writes = Array.from({ length: 3 }, (_, seq) => {
      const note = { id: `n${seq}`, text: `dock ${seq} is gate 9`, at: seq };
      return [one, two].map(({ memory }, from) => memory.save({ user: `u${from}`, agent: "a" }, note));
    });
    await Promise.all(writes.flat());
    const owner = { user: "u1", agent: "a" };
    expect((await one.memory.search(owner, { limit: 100 })).total).toBe(3);
    await Promise.all([one.close(), two.close()]);
  }, 60_000);

  it("STO-10 only this account can read the SQLite store: folder 0700, files 0600, even if readable before", async () => {
    const at = await place();
    for (let time = 0; time < 2; time++) {
      const store = await openSqlStore(at);
      await store.governance.append(time, [DRAFT]);
      const folder = dirname(at.file);
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      const names = await readdir(folder);
      expect(names.sort()).toEqual(["conduct.db", "conduct.db-shm", "conduct.db-wal", "conduct.db.heads"]);
      for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
      await store.close();
      await chmod(at.file, 0o644);
    }
  });

  it("STO-11 SQLite commits are on disk when acknowledged, transactions lock at once, and processes wait", async () => {
    const { db } = await openDatabase(await place());
    const ask = async (pragma: string) =>
      (await sql.raw<Record<string, unknown>>(`pragma ${pragma}`).execute(db)).rows[0];
    expect(await ask("journal_mode")).toEqual({ journal_mode: "wal" });
    expect(await ask("synchronous")).toEqual({ synchronous: 2 });
    expect(await ask("busy_timeout")).toEqual({ timeout: 50 });
    expect(await ask("foreign_keys")).toEqual({ foreign_keys: 1 });
    await db.destroy();
  });

  it("STO-44 only light transactions do not wait for the disk, also after one has failed", async () => {
    const { db } = await openDatabase(await place());
    const level = async (on: SqlDatabase) =>
      (await sql<{ synchronous: number }>`pragma synchronous`.execute(on)).rows[0]?.synchronous;
    expect(await lightly(db, level)).toBe(1);
    expect(await db.transaction().execute(level)).toBe(2);
    const failing = lightly(db, async () => Promise.reject(new Error("failed")));
    await expect(failing).rejects.toThrow("failed");
    expect(await level(db)).toBe(2);
    await db.destroy();
  });

  it("STO-45 the file shrinks after events have expired", async () => {
    const at = await place();
    const { events, close } = await openSqlStore(at);
    const text = "so many words ".repeat(200);
    for (let session = 0; session < 20; session++) {
      const some = Array.from({ length: 40 }, (_, one) =>
        sampleEvent({ type: "verbose", text }, { id: `e_${session}_${one}`, session: `s_${session}`, at: 1 }),
      );
      await events.append(some);
    }
    const pages = () => {
      const database = new DatabaseSync(at.file);
      const { page_count: count } = database.prepare("pragma page_count").get() ?? {};
      database.close();
      return Number(count);
    };
    const full = pages();
    expect(await events.expire(2)).toBe(800);
    expect(pages()).toBeLessThan(full / 2);
    await close();
  });

  it("STO-40 a write waits while another process has the lock, without blocking the thread", async () => {
    const at = await place();
    const store = await openSqlStore(at);
    const other = new DatabaseSync(at.file);
    other.exec("begin immediate");
    const writes = [
      store.users.add({ id: "ann", name: "Ann", role: "user", at: 1 }),
      store.users.change("ann", { name: "Anna" }),
      store.conversations.addTurn({ id: "t", conversation: "c", text: "hi", at: 1, status: "queued" }),
    ];
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 5);
    await expect.poll(() => ticks, { timeout: 20_000, interval: 20 }).toBeGreaterThan(10);
    other.exec("commit");
    other.close();
    await Promise.all(writes);
    clearInterval(ticking);
    expect(await store.users.read("ann")).toMatchObject({ name: "Anna" });
    await store.close();
  });

  it("STO-11 a transaction that has only read so far blocks other writers", async () => {
    const at = await place();
    const [{ db }, other] = [await openDatabase(at), new DatabaseSync(at.file)];
    await db.transaction().execute(async (trx) => {
      await trx.selectFrom("conduct_governance").select("seq").execute();
      expect(() => other.exec("begin immediate")).toThrow("locked");
    });
    other.exec("begin immediate");
    other.close();
    await db.destroy();
  });

  it.each<[string, (file: string) => Promise<unknown>, string, RegExp]>([
    ["an empty file", (file) => truncate(file, 0), "STORE_DAMAGED", /cut off at 0 bytes/],
    ["some bytes", (file) => truncate(file, 99), "STORE_DAMAGED", /cut off at 99 bytes/],
    ["a page", (file) => truncate(file, 4_096), "STORE_DAMAGED", /damaged/],
    ["half of it", async (file) => truncate(file, (await stat(file)).size / 2), "STORE_DAMAGED", /damaged/],
    ["a text", (file) => writeFile(file, "hello ".repeat(1_000)), "STORE_FOREIGN", /not a database/],
    ["zeros", (file) => writeFile(file, Buffer.alloc(8_192)), "STORE_FOREIGN", /database/],
    ["another program's database", makeForeign, "STORE_FOREIGN", /another program/],
    ["a folder", (file) => rm(file).then(() => mkdir(file)), "STORE_UNAVAILABLE", /cannot be opened/],
  ])("STO-12 %s in place of the store is rejected with a reason and not changed", async (_, spoil, code, words) => {
    const at = await filled();
    await spoil(at.file);
    const before = await stat(at.file);
    const error = await refusal(at);
    expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
    expect(error.message).toContain(at.file);
    expect(error.message).toContain(error.fix);
    expect((await stat(at.file)).size).toBe(before.size);
  });

  it("STO-12 an overwritten page is rejected when it is read, and other pages stay readable", async () => {
    const at = await filled();
    const file = await open(at.file, "r+");
    const { size } = await file.stat();
    // The tables and migrations come first in the file, the entries last.
    const from = Math.floor((size * 3) / 4 / 1_024) * 1_024;
    await file.write(Buffer.alloc(size - from, 0xff), 0, size - from, from);
    await file.close();
    const store = await openSqlStore(at);
    await expect(store.governance.read({ limit: 10 })).rejects.toMatchObject({ code: "STORE_DAMAGED" });
    await store.close();
  });

  it("STO-13 a folder that cannot be created is rejected with a reason", async () => {
    const { file } = await filled();
    expect(await refusal({ kind: "sqlite", file: join(file, "below", "x.db") })).toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
  });

  it("STO-14 a full disk is reported, no write is partial, and writes work again once there is space", async () => {
    const at = await filled();
    const { db, explain } = await openDatabase(at);
    await sql`pragma max_page_count = 120`.execute(db);
    const use = { session: "s", section: "h", at: 1 };
    const fill = db.transaction().execute(async (trx) => {
      await trx.insertInto("conduct_section_uses").values(use).execute();
      await trx
        .insertInto("conduct_sections")
        .values({ section: "h", text: "x".repeat(1_000_000) })
        .execute();
    });
    const error = explain(await fill.catch((thrown: unknown) => thrown));
    expect(error).toMatchObject({ code: "STORE_FULL", message: expect.stringContaining("Free some space") });
    expect(await db.selectFrom("conduct_section_uses").selectAll().execute()).toEqual([]);
    await sql`pragma max_page_count = 100000`.execute(db);
    await db.insertInto("conduct_section_uses").values(use).execute();
    await db.destroy();
  });

  it("STO-15 a read-only SQLite file is rejected with a reason", async () => {
    const at = await filled();
    const folder = dirname(at.file);
    await chmod(at.file, 0o444);
    await chmod(folder, 0o555);
    await chmod(dirname(folder), 0o755);
    // Root may write anything: then another account tries.
    const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const run = spawnSync(process.execPath, [WRITER, JSON.stringify(at), "open"], { ...account, encoding: "utf8" });
    await chmod(folder, 0o700);
    expect(run.stderr).toMatch(/^STORE_READ_ONLY .*conduct\.db cannot be written\. Give this account/);
    expect(run.status).toBe(1);
  });

  it.each<[string, (file: string) => Promise<unknown>]>([
    ["removed", (file) => rm(file)],
    ["moved away", (file) => rename(file, `${file}.away`)],
    ["replaced", replaceStore],
  ])("STO-16 no write is acknowledged into a file that was %s", async (_, change) => {
    const at = await place();
    const store = await openSqlStore(at);
    await store.governance.append(0, [DRAFT]);
    await change(at.file);
    await expect(store.governance.append(1, [DRAFT])).rejects.toMatchObject({ code: "STORE_GONE" });
    await store.close();
  });

  it.each([
    "update conduct_governance_words_data set block = x'ffffffffffff' where id = 10",
    "delete from conduct_governance_words_data",
    "delete from conduct_governance_words_data where id > 10",
  ])(
    "STO-19 a damaged word index does not block writes, is reported by a search, and can be rebuilt: %s",
    async (harm) => {
      const at = await place();
      const first = await openSqlStore(at);
      await first.governance.append(0, [{ ...DRAFT, body: "tea" }]);
      await first.close();
      const database = new DatabaseSync(at.file, { defensive: false });
      database.exec(harm);
      database.close();
      const { governance, rebuildSearch, close } = await openSqlStore(at);
      expect(await governance.append(1, [{ ...DRAFT, body: "more tea" }])).not.toBe("moved");
      const search = () => governance.search({ text: "tea", limit: 9 });
      await expect(search()).rejects.toMatchObject({
        code: "STORE_DAMAGED",
        fix: "Rebuild it with: conduct journal rebuild",
      });
      expect(await rebuildSearch()).toMatchObject({ governance: 2 });
      expect((await search()).map(({ seq }) => seq)).toEqual([2, 1]);
      await close();
    },
  );

  it("STO-18 the journal reader finds the same entries with the index and in a store without it", async () => {
    const at = await place();
    expect(await (await sqliteGovernanceReader(at.file)).journal.search({ text: "tea", limit: 9 })).toEqual([]);
    const { governance, close } = await openSqlStore(at);
    const drafts = ["tea", "coffee", "Teapots and tea"].map((body) => ({ ...DRAFT, body }));
    await governance.append(0, drafts);
    const queries = [
      { text: "tea", limit: 9 },
      { text: "tea", limit: 1 },
      { text: "tea", before: 3, limit: 9 },
      { text: "and teap", limit: 9 },
      { text: "-", limit: 9 },
    ];
    const expected = await Promise.all(queries.map((query) => governance.search(query)));
    expect(expected.map((found) => found.map(({ seq }) => seq))).toEqual([[3, 1], [3], [1], [3], []]);
    await close();
    for (const state of ["indexed", "before"] as const) {
      const database = new DatabaseSync(at.file);
      if (state === "before") database.exec("drop table conduct_governance_words");
      database.close();
      const reader = await sqliteGovernanceReader(at.file);
      for (const [one, query] of queries.entries())
        expect(await reader.journal.search(query), state).toEqual(expected[one]);
      reader.close();
    }
  });

  it("STO-27 calls that a rule objected to are found by an index, however many others there are", async () => {
    const { db } = await openDatabase(await place());
    const asked = sql`select event from conduct_events where ${isObjectedCall("sqlite")} and + at >= ${1}`;
    const plan = sql<{ detail: string }>`explain query plan ${asked} order by position desc limit 3`;
    const steps = (await plan.execute(db)).rows.map(({ detail }) => detail);
    await db.destroy();
    expect(steps).toEqual(["SCAN conduct_events USING INDEX conduct_events_objected"]);
  });

  it("STO-65 answers to questions are found by an index, however many other events there are", async () => {
    const { db } = await openDatabase(await place());
    const asked = sql`select event from conduct_events where type = 'approval' and at >= ${1}`;
    const plan = sql<{ detail: string }>`explain query plan ${asked} order by position desc limit 3`;
    const steps = (await plan.execute(db)).rows.map(({ detail }) => detail);
    await db.destroy();
    expect(steps).toEqual(["SCAN conduct_events USING INDEX conduct_events_answers"]);
  });

  it("STO-64 a search for a word in very many events answers from the newest ones and says so; a filter still finds the others", async () => {
    const { events, close } = await openSqlStore(await place());
    const message = { type: "message", text: "Ship it", modes: {} as never } as const;
    const one = (id: number, session: string, agent: string) =>
      sampleEvent(message, { id: `e_${id}`, session, agent, at: id });
    await events.append([one(0, "old", "rare")]);
    await events.append(Array.from({ length: 5_000 }, (_, at) => one(at + 1, `s_${at % 3}`, "ada")));
    const few = await events.sessions({ text: "ship", limit: 2 });
    expect([few.sessions.length, few.total, few.atLeast]).toEqual([2, 3, true]);
    const all = await events.sessions({ text: "ship", limit: 10 });
    expect([all.total, all.atLeast]).toEqual([4, undefined]);
    const { sessions, atLeast } = await events.sessions({ text: "ship", agent: "rare", limit: 2 });
    expect([sessions.map(({ session }) => session), atLeast]).toEqual([["old"], undefined]);
    await close();
  });

  it("STO-17 the SQL libraries are loaded when a store is opened, not before", async () => {
    const program = `
      import { registerHooks } from "node:module";
      const seen = new Set();
      const heavy = /^(kysely|pg|node:sqlite)$/;
      registerHooks({ resolve(name, context, next) { if (heavy.test(name)) seen.add(name); return next(name, context); } });
      const said = [];
      const say = (step) => said.push(step, ...[...seen].sort());
      await import(${JSON.stringify(join(import.meta.dirname, "../../../index.ts"))});
      say("package");
      const { openSqlStore } = await import(${JSON.stringify(join(import.meta.dirname, "open-sql-store.ts"))});
      say("store");
      await (await openSqlStore(${JSON.stringify(await place())})).close();
      say("open");
      console.log(said.join(" "));`;
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
    expect(said.trim()).toBe("package store open kysely node:sqlite");
  });
});

async function replaceStore(file: string): Promise<void> {
  await rm(file);
  await (await openSqlStore({ kind: "sqlite", file })).close();
}

async function makeForeign(file: string): Promise<void> {
  await rm(file);
  const other = new DatabaseSync(file);
  other.exec("create table notes (text)");
  other.close();
}
