import type { PostgresPool, PostgresPoolClient } from "kysely";
import { describe, expect, it } from "vitest";
import { queuedPool } from "./postgres-dialect.ts";

/** A pool that counts what it has given out; `fails` says which of its connections cannot be had. */
function counting(fails: (nth: number) => boolean = () => false) {
  const seen = { out: 0, most: 0, asked: 0 };
  const pool: PostgresPool = {
    options: {},
    end: async () => undefined,
    async connect() {
      seen.asked += 1;
      if (fails(seen.asked)) throw new Error("refused");
      seen.out += 1;
      seen.most = Math.max(seen.most, seen.out);
      const client: Partial<PostgresPoolClient> = {
        release: () => {
          seen.out -= 1;
        },
      };
      return client as PostgresPoolClient;
    },
  };
  return { pool, seen };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe("waiting for a connection", () => {
  it("STO-30 the pool never exceeds its size, serves requests in order, and a failed connection frees its slot", async () => {
    const { pool, seen } = counting((nth) => nth % 5 === 0);
    const queued = queuedPool(pool, 3, 60_000);
    const order: number[] = [];
    const all = await Promise.allSettled(
      Array.from({ length: 50 }, async (_, at) => {
        const client = await queued.connect().finally(() => order.push(at));
        await tick();
        client.release();
      }),
    );
    expect(all.filter(({ status }) => status === "rejected")).toHaveLength(10);
    expect(order).toEqual(Array.from({ length: 50 }, (_, at) => at));
    expect(seen).toEqual({ out: 0, most: 3, asked: 50 });
  });

  it("STO-31 a connection request that times out gets the error of `pg`, and later ones still get a connection", async () => {
    const { pool, seen } = counting();
    const queued = queuedPool(pool, 1, 200);
    const held = await queued.connect();
    await expect(queued.connect()).rejects.toThrow("timeout exceeded when trying to connect");
    const next = queued.connect();
    held.release();
    (await next).release();
    expect(seen).toMatchObject({ out: 0, asked: 2 });
  });
});
