import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "./open-database.ts";
import type { SqlDatabase } from "./tables.ts";
import { groupWrites } from "./transactions.ts";

let folder: string;
let db: SqlDatabase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "conduct-group-"));
  ({ db } = await openDatabase({ kind: "sqlite", file: join(folder, "conduct.db") }));
  await sql`create table counted (n integer primary key)`.execute(db);
});
afterEach(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const add = (n: number) => (trx: SqlDatabase) => sql`insert into counted values (${n})`.execute(trx);
const all = async () => (await sql<{ n: number }>`select n from counted order by n`.execute(db)).rows.map(({ n }) => n);

describe("groupWrites", () => {
  it("STO-60 concurrent writes share a transaction in order, and each gets its own result", async () => {
    const write = groupWrites(db);
    const seen: number[] = [];
    const answers = await Promise.all(
      Array.from({ length: 250 }, (_, n) =>
        write(async (trx) => {
          seen.push(n);
          await add(n)(trx);
          return n * 2;
        }),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 250 }, (_, n) => n * 2));
    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => n));
    expect(await all()).toEqual(seen);
  });

  it("STO-61 a failed write is rolled back alone, and the others are committed", async () => {
    const write = groupWrites(db);
    const half = write(async (trx) => {
      await add(2)(trx);
      throw new Error("changed my mind");
    });
    const settled = await Promise.allSettled([write(add(1)), half, write(add(3)), write(add(3)), write(add(4))]);
    expect(settled.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(await all()).toEqual([1, 3, 4]);
  });

  it("STO-62 no write succeeds if the commit fails, and the next group of writes works", async () => {
    const write = groupWrites(db);
    const settled = await Promise.allSettled([
      write(add(1)),
      // The database gives up the whole transaction, as on a full disk.
      write(async (trx) => {
        await sql`rollback`.execute(trx);
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
});
