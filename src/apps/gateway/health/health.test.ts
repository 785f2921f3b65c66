import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeClock } from "../../../edge/host/node/node-clock.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import { memoryGatewayStores } from "../test/test-gateway-stores.ts";
import { httpWorld } from "../test/test-http.ts";
import { type Health, openHealth } from "./health.ts";

const never = new Promise<never>(() => undefined);

describe("health checks", () => {
  it("HLT-1 health checks run concurrently with a timeout each, and one that hangs or fails is degraded", async () => {
    const look = openHealth(
      [
        { name: "fine", look: async () => ({ kind: "ok" }) },
        { name: "hangs", look: () => never },
        { name: "hangs too", look: () => never },
        {
          name: "throws",
          look: () => {
            throw new Error("with a secret in it");
          },
        },
      ],
      nodeClock(),
      50,
    );
    const found = await look();
    expect(found.map(({ name, ...health }) => [name, health.kind === "ok" ? "ok" : health.code])).toEqual([
      ["fine", "ok"],
      ["hangs", "TIMEOUT"],
      ["hangs too", "TIMEOUT"],
      ["throws", "CHECK_FAILED"],
    ]);
    expect(JSON.stringify(found)).not.toContain("secret");
  });

  it("HLT-2 a hanging check is started once for any number of requests, and again after it settles", async () => {
    const time = { now: 0 };
    const asked: PromiseWithResolvers<Health>[] = [];
    const check = {
      name: "store",
      look: () => {
        const answer = Promise.withResolvers<Health>();
        asked.push(answer);
        return answer.promise;
      },
    };
    const look = openHealth([check], { monotonic: () => time.now }, 20);
    const first = await Promise.all(Array.from({ length: 50 }, look));
    expect(first.flat().every(({ kind }) => kind === "degraded")).toBe(true);
    expect(asked).toHaveLength(1);
    asked[0]?.resolve({ kind: "ok" });
    await expect.poll(async () => (await look())[0]?.kind).toBe("ok");
    expect(asked).toHaveLength(1);
    // An old answer is not given again.
    time.now += 1_000;
    expect((await look())[0]?.kind).toBe("degraded");
    expect(asked).toHaveLength(2);
  });
});

describe("health over HTTP", () => {
  const stores = memoryGatewayStores();
  let claim: () => Promise<never> | undefined = () => undefined;
  let pending = 0;
  const replies = {
    ...stores.replies,
    claim: (...given: Parameters<typeof stores.replies.claim>) => {
      const broken = claim();
      if (broken === undefined) return stores.replies.claim(...given);
      pending += 1;
      return broken;
    },
  };
  let readKeys = false;
  const users = { ...stores.users, readKey: (hash: string) => (readKeys ? never : stores.users.readKey(hash)) };
  let world: Awaited<ReturnType<typeof httpWorld>>;
  beforeAll(async () => {
    world = await httpWorld({ stores: { ...stores, replies, users } });
  });
  afterAll(async () => {
    readKeys = false;
    await world.close();
  });
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${world.gateway.url}${path}`, { headers });

  it("HLT-3 health is ok while the store accepts writes", async () => {
    expect(await (await get("/api/health/live")).json()).toEqual({ status: "ok", version: expect.any(String) });
    const ready = await get("/api/health/ready");
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        status: "ok",
        version: expect.any(String),
        checks: ["store", "governance"].map((name) => ({ name, status: "ok" })),
      },
    ]);
    expect(await (await get("/api/health")).json()).toMatchObject({ status: "ok", store: "ok" });
  });

  it("HLT-4 a store that cannot be written is degraded, with a code and without its path", async () => {
    claim = () =>
      Promise.reject(new StoreError("STORE_FULL", "The disk of /srv/secret/conduct.db is full", "Make room."));
    await expect.poll(async () => (await get("/api/health/ready")).status).toBe(503);
    const text = await (await get("/api/health/ready")).text();
    expect(JSON.parse(text)).toMatchObject({
      status: "degraded",
      checks: [{ name: "store", status: "degraded", code: "STORE_FULL" }, { name: "governance" }],
    });
    expect(text).not.toContain("/srv");
    const old = await get("/api/health");
    expect([old.status, await old.json()]).toEqual([
      200,
      expect.objectContaining({ status: "degraded", store: "down" }),
    ]);
    expect((await get("/api/health/live")).status).toBe(200);
  });

  it("HLT-5 if the store hangs, every health probe is answered, signed in or not, and only one request waits in the store", async () => {
    await expect.poll(async () => (await get("/api/health/ready")).status).toBe(503);
    claim = () => never;
    await expect.poll(async () => (await get("/api/health/ready")).text()).toContain("TIMEOUT");
    readKeys = true;
    pending = 0;
    const signedIn = { cookie: "conduct_session=cc_x", authorization: "Bearer ct_x" };
    const probes = ["/api/health/live", "/api/health/ready", "/api/health"].flatMap((path) => [path, path, path]);
    const statuses = await Promise.all(
      probes.map(async (path, at) => (await get(path, at % 2 ? signedIn : {})).status),
    );
    expect(statuses).toEqual([200, 200, 200, 503, 503, 503, 200, 200, 200]);
    expect(pending).toBe(0);
    readKeys = false;
    claim = () => undefined;
  });

  it("HLT-6 health probes count against no rate limit, and are answered for any host name", async () => {
    for (let at = 0; at < 40; at++) {
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async () => (await get("/api/health/live")).status),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    // Without a token, from the same address: the limit for strangers is whole.
    const login = await fetch(`${world.gateway.url}/api/login`, { method: "POST", body: '{"code":"cl_none"}' });
    expect(login.status).toBe(401);
  });
});
