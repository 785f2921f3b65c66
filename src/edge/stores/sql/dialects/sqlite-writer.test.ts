import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../open-database.ts";
import type { SqlDatabase } from "../tables.ts";
import { type Prepare, type SqliteWriter, sqliteWriter } from "./sqlite-writer.ts";

let folder: string;
let db: SqlDatabase;
let write: SqliteWriter;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "conduct-group-"));
  const database = await openDatabase({ kind: "sqlite", file: join(folder, "conduct.db") });
  if (database.sqlite === undefined) throw new Error("the file is a SQLite file");
  db = database.db;
  write = sqliteWriter(database.sqlite);
  await sql`create table counted (n integer primary key)`.execute(db);
});
afterEach(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const add = (n: number) => (prepare: Prepare) => prepare("insert into counted values (?)").run(n);
const all = async () => (await sql<{ n: number }>`select n from counted order by n`.execute(db)).rows.map(({ n }) => n);
const statuses = (settled: readonly PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status);

describe("sqliteWriter", () => {
  it("STO-60 concurrent writes share a transaction in order, and each gets its own result", async () => {
    const seen: number[] = [];
    const answers = await Promise.all(
      Array.from({ length: 250 }, (_, n) =>
        write((prepare) => {
          seen.push(n);
          add(n)(prepare);
          return n * 2;
        }),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 250 }, (_, n) => n * 2));
    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => n));
    expect(await all()).toEqual(seen);
  });

  it("STO-61 a failed write is rolled back alone, and the others are committed", async () => {
    const half = write((prepare) => {
      add(2)(prepare);
      throw new Error("changed my mind");
    });
    const settled = await Promise.allSettled([write(add(1)), half, write(add(3)), write(add(3)), write(add(4))]);
    expect(statuses(settled)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"]);
    expect(await all()).toEqual([1, 3, 4]);
  });

  it("STO-62 no write succeeds if the commit fails, and the next group of writes works", async () => {
    const settled = await Promise.allSettled([
      write(add(1)),
      // The database gives up the whole transaction, as on a full disk.
      write((prepare) => {
        prepare("rollback").run();
        throw new Error("disk full");
      }),
      write(add(2)),
    ]);
    expect(settled.map((one) => (one.status === "rejected" ? String(one.reason) : one.status))).toEqual(
      Array.from({ length: 3 }, () => "Error: disk full"),
    );
    expect(await all()).toEqual([]);
    await write(add(5));
    expect(await all()).toEqual([5]);
  });

  it("FAST-60 a write that comes soon joins the next one, and comes first", async () => {
    const order: number[] = [];
    const noted = (n: number) => (prepare: Prepare) => {
      order.push(n);
      add(n)(prepare);
    };
    const soon = write(noted(1), "soon");
    await write(noted(2));
    expect(order).toEqual([1, 2]);
    expect(await all()).toEqual([1, 2]);
    await soon;
  });

  it("FAST-61 a write that comes soon is committed without another one", async () => {
    await write(add(1), "soon");
    expect(await all()).toEqual([1]);
  });
});
