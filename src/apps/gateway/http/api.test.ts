import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpWorld } from "../test/test-http.ts";
import { type RouteSpec, specOf } from "./route.ts";
import { ROUTES } from "./routes/index.ts";
import { responseFaults } from "./test/responses.ts";

const entries = ROUTES.map((route): readonly [string, RouteSpec] => [route.key, specOf(route)]);
let world: Awaited<ReturnType<typeof httpWorld>>;
const people = new Map<string, Awaited<ReturnType<(typeof world)["person"]>>>();

beforeAll(async () => {
  world = await httpWorld();
  for (const [id, role] of [
    ["olga", "operator"],
    ["uma", "user"],
    ["ulf", "user"],
    ["vic", "viewer"],
  ] as const)
    people.set(id, await world.person(id, role));
});
afterAll(() => world.close());

function who(id: string) {
  const found = people.get(id);
  if (found === undefined) throw new Error(`nobody is called ${id}`);
  return found;
}

function ask(key: string, secret?: string, more: RequestInit & { readonly path?: string } = {}): Promise<Response> {
  const [method = "", path = ""] = key.split(" ");
  const { path: own, ...init } = more;
  return fetch(`${world.gateway.url}${own ?? path.replaceAll(/\{\w+\}/g, "nothing")}`, {
    method,
    ...init,
    headers: {
      authorization: secret === undefined ? undefined : `Bearer ${secret}`,
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
      ...init.headers,
    },
  });
}

/** Strangers share a limit, and these tests send more requests than it allows at once. */
async function askPatiently(key: string, secret?: string): Promise<Response> {
  const response = await ask(key, secret);
  if (response.status !== 429) return response;
  await response.body?.cancel();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return askPatiently(key, secret);
}

describe("every route", () => {
  it.each(entries.filter(([, { roles }]) => roles !== "public").map(([key]) => key))(
    "API-1 %s answers 401 without a token, with a wrong one, and with a login code",
    async (key) => {
      const code = await world.gateway.access.loginCode("olga");
      for (const secret of [undefined, "ct_wrong", code]) {
        const response = await askPatiently(key, secret);
        expect(response.status).toBe(401);
        expect(response.headers.get("content-type")).toContain("application/problem+json");
        await response.body?.cancel();
      }
    },
  );

  it("API-2 only health, the description and the login are public", () => {
    const open = entries.filter(([, { roles }]) => roles === "public").map(([key]) => key);
    const health = ["GET /api/health", "GET /api/health/live", "GET /api/health/ready"];
    expect(open.toSorted()).toEqual([...health, "GET /api/openapi.json", "POST /api/login"]);
  });

  it.each(entries.filter(([, { roles }]) => roles !== "public"))(
    "API-3 %s is forbidden to every role that the route does not list",
    async (key, { roles }) => {
      for (const [id, role] of [
        ["olga", "operator"],
        ["uma", "user"],
        ["vic", "viewer"],
      ] as const) {
        if (roles !== "public" && roles.includes(role)) continue;
        const response = await ask(key, who(id).secret, key.startsWith("GET") ? {} : { body: "{}" });
        expect(response.status).toBe(403);
        await response.body?.cancel();
      }
    },
  );

  it("API-4 no JSON body causes an internal error, whatever the sender's role", async () => {
    const writes = entries.filter(
      ([key, { body }]) => !key.startsWith("GET") && body !== undefined && !key.includes("/login"),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...writes), fc.jsonValue({ maxDepth: 3 }), async ([key], value) => {
        const response = await ask(key, who("olga").secret, { body: JSON.stringify(value) });
        expect(response.status).toBeLessThan(500);
        expect(response.headers.get("content-type")).toContain("json");
        await response.body?.cancel();
      }),
      { numRuns: 150 },
    );
    expect(world.reported).toEqual([]);
  });
});

describe("what is somebody's own", () => {
  it("API-10 a user sees no session, approval, instruction or memory of another; an operator sees them", async () => {
    const [uma, ulf, olga] = ["uma", "ulf", "olga"].map((id) => who(id).client);
    if (uma === undefined || ulf === undefined || olga === undefined) throw new Error("somebody is missing");
    const session = await uma.call("POST /api/sessions", { body: { agent: "demo" } });
    const params = { id: session.id };
    expect((await ulf.call("GET /api/sessions")).sessions).toEqual([]);
    for (const call of [
      () => ulf.call("GET /api/sessions/{id}", { params }),
      () => ulf.call("GET /api/sessions/{id}/events", { params }),
      () => ulf.call("POST /api/sessions/{id}/messages", { params, body: { text: "hi" } }),
      () => ulf.call("POST /api/sessions/{id}/cancel", { params }),
      () => ulf.call("DELETE /api/sessions/{id}", { params }),
    ])
      await expect(call()).rejects.toMatchObject({ status: 404 });
    expect((await olga.call("GET /api/sessions")).sessions.map(({ id }) => id)).toContain(session.id);
    // An operator may look, and does not speak in somebody's name.
    await expect(olga.call("POST /api/sessions/{id}/messages", { params, body: { text: "hi" } })).rejects.toMatchObject(
      { status: 403 },
    );
    await uma.call("PATCH /api/instructions", {
      query: { agent: "demo" },
      body: { after: 0, add: ["Answer in French."] },
    });
    expect((await uma.call("GET /api/instructions", { query: { agent: "demo" } })).items).toHaveLength(1);
    expect((await ulf.call("GET /api/instructions", { query: { agent: "demo" } })).items).toEqual([]);
    await expect(ulf.call("GET /api/instructions", { query: { agent: "demo", user: "uma" } })).rejects.toMatchObject({
      status: 403,
    });
    await expect(ulf.call("GET /api/memory", { query: { agent: "demo", user: "uma" } })).rejects.toMatchObject({
      status: 403,
    });
    await expect(ulf.call("GET /api/users/{id}", { params: { id: "uma" } })).rejects.toMatchObject({ status: 404 });
    await expect(
      ulf.call("PATCH /api/users/{id}", { params: { id: "ulf" }, body: { role: "operator" } }),
    ).rejects.toMatchObject({ status: 403 });
    expect(
      await ulf.call("PATCH /api/users/{id}", { params: { id: "ulf" }, body: { zone: "Asia/Kolkata" } }),
    ).toMatchObject({ zone: "Asia/Kolkata" });
  });

  it("API-11 only operators see and write an agent's soul and definition", async () => {
    await expect(
      who("uma").client.call("PUT /api/agents/{name}", {
        params: { name: "demo" },
        body: { definition: {}, after: 0, reason: "x" },
      }),
    ).rejects.toMatchObject({ status: 403 });
    expect(await who("uma").client.call("GET /api/agents/{name}", { params: { name: "demo" } })).not.toHaveProperty(
      "soul",
    );
    expect(await who("olga").client.call("GET /api/agents/{name}", { params: { name: "demo" } })).toHaveProperty(
      "soul",
    );
  });

  it("API-12 no response contains a secret except the one that creates it", async () => {
    const { client, secret } = who("olga");
    const answers = await Promise.all([
      client.call("GET /api/users"),
      client.call("GET /api/me"),
      client.call("GET /api/agents"),
      client.call("GET /api/metrics"),
      client.call("GET /api/events"),
    ]);
    expect(JSON.stringify(answers)).not.toContain(secret);
    expect(JSON.stringify(answers)).not.toMatch(/"hash":"[0-9a-f]{64}"/);
  });
});

describe("the door", () => {
  it("API-20 a request with another Host is rejected, to prevent DNS rebinding", async () => {
    const { hostname, port } = new URL(world.gateway.url);
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      request({ hostname, port, path: "/api/health", headers: { host: "evil.example" } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(421);
  });

  it("API-21 a request of another origin is rejected, including its preflight, and our own is accepted", async () => {
    for (const method of ["GET /api/health", "OPTIONS /api/agents"]) {
      const response = await ask(method, undefined, { headers: { origin: "https://evil.example" } });
      expect(response.status).toBe(403);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
    expect((await ask("GET /api/health", undefined, { headers: { origin: world.gateway.url } })).status).toBe(200);
  });

  it("API-22 a body that is too large or not JSON is rejected", async () => {
    const { secret } = who("olga");
    expect((await ask("POST /api/sessions", secret, { body: "x".repeat(2 ** 21) })).status).toBe(413);
    expect(await (await ask("POST /api/sessions", secret, { body: "{" })).json()).toMatchObject({ code: "BAD_JSON" });
    expect(await (await ask("POST /api/sessions", secret, { body: "{}" })).json()).toMatchObject({
      code: "BAD_INPUT",
      faults: [{ at: "agent" }],
    });
  });

  it("API-23 the same write with the same key runs once; another body with that key is rejected", async () => {
    const { client } = who("olga");
    const body = { id: "nina", name: "Nina", role: "user" } as const;
    const send = (name: string) =>
      client.call("POST /api/users", { body: { ...body, name } }, { idempotencyKey: "k-1" });
    const done = await Promise.allSettled([send("Nina"), send("Nina"), send("Nina")]);
    const kept = done.filter((one) => one.status === "fulfilled");
    expect(kept.length).toBeGreaterThan(0);
    expect(await send("Nina")).toEqual(kept[0]?.value);
    await expect(send("Other")).rejects.toMatchObject({ status: 422, code: "KEY_REUSED" });
    // Without a key the second is what it is.
    await expect(client.call("POST /api/users", { body })).rejects.toMatchObject({ status: 409 });
  });

  it("API-24 too many requests are rejected with the time to wait", async () => {
    const { secret } = await world.person("fast", "viewer");
    const statuses: number[] = [];
    // A machine that is slow today gives the limit time to fill again: then it takes more of them.
    for (let tries = 0; tries < 20 && !statuses.includes(429); tries++) {
      const answers = await Promise.all(Array.from({ length: 400 }, () => ask("GET /api/me", secret)));
      statuses.push(...answers.map(({ status }) => status));
      await Promise.all(answers.map(({ body }) => body?.cancel()));
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(200);
    expect(statuses).toContain(429);
  });
});

describe("the description", () => {
  it("API-30 the API description has every route with its parameters and roles", async () => {
    const document = (await (await ask("GET /api/openapi.json")).json()) as {
      readonly paths: {
        readonly [path: string]: {
          readonly [method: string]: {
            readonly parameters?: readonly { readonly name: string; readonly in: string }[];
            readonly responses: object;
          };
        };
      };
    };
    for (const [key] of entries) {
      const [method = "", path = ""] = key.split(" ");
      const operation = document.paths[path]?.[method.toLowerCase()];
      if (operation === undefined) throw new Error(`${key} is not described`);
      const named = (operation.parameters ?? []).filter((one) => one.in === "path").map(({ name }) => name);
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect(Object.keys(operation.responses)).toContain("default");
    }
  });

  it("API-31 the API description contains every schema of our own types that it refers to", async () => {
    const text = await (await ask("GET /api/openapi.json")).text();
    const { components, paths } = JSON.parse(text) as {
      readonly components: { readonly schemas: object };
      readonly paths: { readonly [path: string]: object };
    };
    const used = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(components.schemas)));
    // Only the description itself may contain anything.
    const untyped = Object.keys(paths).filter((path) =>
      /"(schema|additionalProperties)":\{\}/.test(JSON.stringify(paths[path])),
    );
    expect(untyped).toEqual(["/api/openapi.json"]);
  });

  const SESSION = { id: "s", agent: "a", user: "u", channel: "web", at: 1, lastAt: 2 };
  const EVENT = { v: 1, id: "e", seq: 1, at: 1, session: "s", agent: "a", run: "r", turn: 1, position: 1 };
  it.each([
    ["POST /api/sessions", 201, SESSION, true],
    ["POST /api/sessions", 200, SESSION, false],
    ["POST /api/sessions", 201, { ...SESSION, secret: "x" }, false],
    ["POST /api/sessions", 201, { ...SESSION, at: "1" }, false],
    ["GET /api/sessions/s", 200, { session: SESSION, turns: [{ id: "t" }] }, false],
    ["GET /api/events", 200, { events: [{ ...EVENT, type: "memory", note: "n" }] }, true],
    ["GET /api/events", 200, { events: [{ ...EVENT, type: "memory" }] }, false],
    ["GET /api/events", 200, { events: [{ ...EVENT, type: "unheard" }] }, false],
  ])(
    "API-32 the tests check the response of %s with status %i against its declaration",
    (key, status, body, isRight) => {
      const [method = "", path = ""] = key.split(" ");
      expect(responseFaults(method, path, status, body)).toHaveLength(isRight ? 0 : 1);
    },
  );
});
