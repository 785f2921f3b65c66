import { describe, expect, it } from "vitest";
import { keyOf, QueryCache } from "./cache.ts";
import { GatewayError, type Outcome } from "./client.ts";

const ROUTE = "GET /api/agents" as const;

/** A gateway that answers when it is told to. */
function world() {
  const asked: { readonly route: string; readonly answer: (outcome: Outcome<unknown>) => void }[] = [];
  let signedOut = 0;
  const cache = new QueryCache(
    () => (signedOut += 1),
    (route) => new Promise((answer) => asked.push({ route, answer })),
  );
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  const answer = async (value: unknown) => {
    asked.shift()?.answer({ ok: true, value });
    await settle();
  };
  const fail = async (status: number) => {
    asked.shift()?.answer({ ok: false, error: new GatewayError(status, { code: "X", detail: "no" }) });
    await settle();
  };
  return { cache, asked, answer, fail, signedOut: () => signedOut };
}

describe("what is known", () => {
  it("QC-1 two watchers of the same query share one request, and both get the response", async () => {
    const { cache, asked, answer } = world();
    const heard: string[] = [];
    cache.watch(ROUTE, {}, () => heard.push("a"));
    cache.watch(ROUTE, undefined, () => heard.push("b"));
    expect(asked).toHaveLength(1);
    await answer({ agents: [] });
    expect(cache.peek(ROUTE, {})).toMatchObject({ data: { agents: [] }, loading: false, stale: false });
    expect(heard).toEqual(expect.arrayContaining(["a", "b"]));
  });

  it("QC-2 a stale response stays visible until the new one arrives, also for a watcher that comes back later", async () => {
    const { cache, asked, answer } = world();
    const leave = cache.watch(ROUTE, {}, () => undefined);
    await answer("old");
    leave();
    cache.invalidate(() => true);
    expect(asked).toHaveLength(0);
    cache.watch(ROUTE, {}, () => undefined);
    expect(cache.peek(ROUTE, {})).toMatchObject({ data: "old", loading: true, stale: true });
    await answer("new");
    expect(cache.peek(ROUTE, {})).toMatchObject({ data: "new", stale: false });
  });

  it("QC-3 a query that is invalidated during its request is requested once more", async () => {
    const { cache, asked, answer } = world();
    cache.watch(ROUTE, {}, () => undefined);
    cache.invalidate(() => true);
    cache.invalidate(() => true);
    await answer("before the write");
    expect(cache.peek(ROUTE, {})).toMatchObject({ data: "before the write", stale: true });
    expect(asked).toHaveLength(1);
    await answer("after it");
    expect(cache.peek(ROUTE, {})).toMatchObject({ data: "after it", stale: false });
    expect(asked).toHaveLength(0);
  });

  it("QC-4 a failed request keeps the old response next to the error, and 401 signs the user out", async () => {
    const { cache, answer, fail, signedOut } = world();
    cache.watch(ROUTE, {}, () => undefined);
    await answer("old");
    void cache.refresh(ROUTE, {});
    await fail(503);
    expect(cache.peek(ROUTE, {})).toMatchObject({ data: "old", error: { status: 503 }, loading: false, stale: true });
    expect(signedOut()).toBe(0);
    void cache.refresh(ROUTE, {});
    await fail(401);
    expect(signedOut()).toBe(1);
  });

  it("QC-5 only matching queries are invalidated", async () => {
    const { cache, asked, answer } = world();
    cache.watch(ROUTE, {}, () => undefined);
    await answer("agents");
    cache.watch("GET /api/contract", {}, () => undefined);
    await answer("contract");
    cache.invalidate((route) => route === ROUTE);
    expect(asked.map(({ route }) => route)).toEqual([ROUTE]);
  });

  it("QC-6 the order of arguments does not change the cache key, but their values do", () => {
    expect(keyOf("r", { query: { a: 1, b: 2 } })).toBe(keyOf("r", { query: { b: 2, a: 1 } }));
    expect(keyOf("r", { query: { a: 1 } })).not.toBe(keyOf("r", { query: { a: "1" } }));
    expect(keyOf("r", { list: [1, 2] })).not.toBe(keyOf("r", { list: [2, 1] }));
    expect(keyOf("r", undefined)).toBe(keyOf("r", {}));
  });
});
