import { connect, createServer, type Socket } from "node:net";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyChain } from "../../../engine/journal/governance-chain.ts";
import { readAll } from "../test/governance-suite.ts";
import { findPostgres, startPostgres, type TestPostgres } from "../test/servers/postgres.ts";
import { openDatabase, type StorePlace } from "./open-database.ts";
import { openSqlStore } from "./open-sql-store.ts";
import { sqlSuite } from "./test/sql-suite.ts";

const programs = findPostgres();
const DRAFT = { at: 1, by: "ann", kind: "test.made", body: 1 };

describe.skipIf(programs === undefined)("with a PostgreSQL of our own", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres(programs ?? "");
  });
  sqlSuite("postgres", async () => ({ kind: "postgres", url: await server.createSchema() }), {
    empty: async (place) => (place.kind === "postgres" ? server.emptySchema(place.url) : undefined),
    end: () => server.stop(),
  });
});

describe.skipIf(programs === undefined)("postgres", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres(programs ?? "", { durable: true });
  });
  afterAll(() => server.stop());

  it("STO-20 PostgreSQL commits are on disk when acknowledged, whatever the server's settings", async () => {
    const { db } = await openDatabase(await freshPlace(server));
    const { rows } = await sql`show synchronous_commit`.execute(db);
    expect(rows).toEqual([{ synchronous_commit: "on" }]);
    await db.destroy();
  });

  it("STO-21 two schemas of one database are separate stores", async () => {
    const { url } = await freshPlace(server);
    const { db } = await openDatabase({ kind: "postgres", url });
    await sql`create schema other`.execute(db);
    await db.destroy();
    const [one, other] = [
      await openSqlStore({ kind: "postgres", url }),
      await openSqlStore({ kind: "postgres", url: `${url}?options=-c%20search_path%3Dother` }),
    ];
    await one.governance.append(0, [DRAFT]);
    expect(await other.governance.head()).toEqual({ seq: 0, hash: "" });
    await Promise.all([one.close(), other.close()]);
  });

  it.each(["SIGINT", "SIGKILL"] as const)(
    "STO-22 after a server restart by %s no acknowledged write is lost, and the store reconnects by itself",
    async (how) => {
      const store = await openSqlStore(await freshPlace(server));
      const before: string[] = [];
      for (let seq = 0; seq < 20; seq++) {
        const done = await store.governance.append(seq, [DRAFT]);
        if (done !== "moved") before.push(...done.entries.map(({ hash }) => hash));
      }
      await server.restart(how);
      const entries = await readAll(store.governance);
      expect(entries.map(({ hash }) => hash)).toEqual(before);
      expect(verifyChain(entries)).toMatchObject({ kind: "whole" });
      expect(await store.governance.append(20, [DRAFT])).not.toBe("moved");
      await store.close();
    },
  );

  it("STO-32 connections that break before their first query are released: the store continues and can be closed", async () => {
    const place = await freshPlace(server);
    const door = await breakingDoor(place.url);
    const store = await openSqlStore({ kind: "postgres", url: door.url });
    await store.governance.append(0, [DRAFT]);
    // More than there are connections in all.
    door.breakNext(15);
    for (let tries = 0; door.left() > 0 && tries < 100; tries++) await store.governance.head().catch(() => undefined);
    expect(door.left()).toBe(0);
    expect((await store.governance.head()).seq).toBe(1);
    await store.close();
    await door.close();
  });

  it("STO-23 an unreachable server is reported without the password, and the process continues", async () => {
    const place = await freshPlace(server);
    const store = await openSqlStore(place);
    await store.governance.append(0, [DRAFT]);
    await server.restart("SIGINT", async () => {
      const error: unknown = await store.governance.append(1, [DRAFT]).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "STORE_UNAVAILABLE", message: expect.stringContaining("cannot be reached") });
      expect(String(error)).toContain("Start the server");
      await expect(openSqlStore(place)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
      expect(String(error)).not.toContain(new URL(place.url).password);
    });
    await store.close();
  });

  it.each<[string, (url: URL) => void, RegExp]>([
    [
      "a wrong password",
      (url) => Object.assign(url, { password: "wrong" }),
      /rejects the user or the password.*Correct/,
    ],
    ["a wrong user", (url) => Object.assign(url, { username: "nobody" }), /rejects the user or the password.*Correct/],
    ["no such database", (url) => Object.assign(url, { pathname: "/none" }), /does not exist.*Create it/],
    ["no such port", (url) => Object.assign(url, { port: "1" }), /cannot be reached.*Start/],
    ["no such schema", (url) => url.searchParams.set("options", "-c search_path=none"), /no schema.*search_path/],
  ])("STO-24 opening a PostgreSQL store reports %s", async (_, change, words) => {
    const url = new URL((await freshPlace(server)).url);
    change(url);
    const opening = openSqlStore({ kind: "postgres", url: url.href });
    await expect(opening).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", message: expect.stringMatching(words) });
  });

  it.each(["", "conduct.db", "http://localhost/x", "postgres//x"])(
    "STO-24 %j is rejected as the URL of a store",
    async (url) => {
      await expect(openSqlStore({ kind: "postgres", url })).rejects.toThrow("postgres://user:password@host");
    },
  );

  it("STO-26 a connection that breaks between two statements fails only its transaction", async () => {
    const place = await freshPlace(server);
    const [{ db, explain }, other] = [await openDatabase(place), await openDatabase(place)];
    const broken = db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 10000)`.execute(other.db);
      // Until then nobody asks that connection anything: it hears of its end by itself.
      await new Promise((resolve) => setTimeout(resolve, 500));
      await sql`select 1`.execute(trx);
    });
    expect(await broken.catch(explain)).toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    await Promise.all([db.destroy(), other.db.destroy()]);
  });

  it("STO-63 a process that freezes inside a transaction loses its locks after a few seconds", async () => {
    const place = await freshPlace(server);
    const [{ db }, other] = [await openDatabase(place), await openDatabase(place)];
    await sql`create table frozen (one int)`.execute(db);
    const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const frozen = db.transaction().execute(async (trx) => {
      await sql`lock table frozen`.execute(trx);
      locked();
      await isOver;
      await sql`select 1`.execute(trx);
    });
    const failed = frozen.then(
      () => false,
      () => true,
    );
    await isLocked;
    // Waits for the lock, which the server takes from the frozen transaction.
    await sql`insert into frozen values (1)`.execute(other.db);
    end();
    expect(await failed).toBe(true);
    await Promise.all([db.destroy(), other.db.destroy()]);
  }, 60_000);

  it("STO-25 a read-only PostgreSQL database is reported", async () => {
    const { url } = await freshPlace(server);
    const { db, explain } = await openDatabase({ kind: "postgres", url });
    await sql`create role reader login password 'reader'`.execute(db);
    const reader = Object.assign(new URL(url), { username: "reader", password: "reader" }).href;
    await expect(openSqlStore({ kind: "postgres", url: reader })).rejects.toMatchObject({ code: "STORE_READ_ONLY" });
    const frozen = await db
      .transaction()
      .setAccessMode("read only")
      .execute((trx) => trx.deleteFrom("conduct_notes").execute())
      .catch(explain);
    expect(frozen).toMatchObject({ code: "STORE_READ_ONLY", message: expect.stringContaining("primary") });
    await db.destroy();
  });
});

async function freshPlace(server: TestPostgres): Promise<Extract<StorePlace, { kind: "postgres" }>> {
  return { kind: "postgres", url: await server.createDatabase() };
}

/** A way to the server that breaks the next connections at their first query, and the one that stands at once. */
async function breakingDoor(url: string) {
  const target = new URL(url);
  const [host, port] = [target.hostname, Number(target.port)];
  const open = new Set<Socket>();
  let left = 0;
  const door = createServer((near) => {
    const far = connect(port, host);
    for (const one of [near, far]) one.on("error", () => undefined);
    open.add(near);
    const doomed = left > 0;
    far.on("data", (bytes) => near.write(bytes));
    near.on("data", (bytes) => {
      // `Q`, `P`: a query. What comes before has no such letter in front.
      if (!doomed || left === 0 || (bytes[0] !== 0x51 && bytes[0] !== 0x50)) far.write(bytes);
      else {
        left -= 1;
        near.destroy();
      }
    });
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const address = door.address();
  if (address === null || typeof address === "string") throw new Error("the door has no port");
  target.port = String(address.port);
  return {
    url: target.href,
    left: () => left,
    breakNext(count: number) {
      left = count;
      for (const one of open) one.destroy();
    },
    close: () => new Promise<void>((resolve) => door.close(() => resolve())),
  };
}
