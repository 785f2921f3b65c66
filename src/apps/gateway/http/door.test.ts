import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { nodeClock } from "../../../edge/host/node/node-clock.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { sandboxTools } from "../runtimes/sandbox-tools.ts";
import { HostedCommands, plainEnvironment } from "../sandbox/hosted-commands.ts";
import { httpWorld } from "../test/test-http.ts";
import { openAccess } from "./access.ts";

type World = Awaited<ReturnType<typeof httpWorld>>;
let world: World;
/** A console of its own: the real one would have to be built. */
let page: string;
const people: Record<string, Awaited<ReturnType<World["person"]>>> = {};
beforeAll(async () => {
  page = mkdtempSync(join(tmpdir(), "conduct-page-"));
  writeFileSync(join(page, "index.html"), "<!doctype html>");
  world = await httpWorld({ heartbeatMs: 20, console: async () => ({ folder: page }) });
  for (const [id, role] of [
    ["olga", "operator"],
    ["uma", "user"],
    ["ulf", "user"],
    ["vic", "viewer"],
  ] as const)
    people[id] = await world.person(id, role);
});
afterAll(async () => {
  await world.close();
  rmSync(page, { recursive: true, force: true });
});

function who(id: string) {
  const found = people[id];
  if (found === undefined) throw new Error(`nobody is called ${id}`);
  return found;
}

type Asked = { readonly headers?: Record<string, string>; readonly body?: string; readonly as?: string };
type Answered = { readonly status: number; readonly text: string; readonly headers: Record<string, unknown> };

/** As it is written: nothing is made tidy on the way, as `fetch` does. */
function raw(method: string, path: string, { headers = {}, body, as }: Asked = {}): Promise<Answered> {
  const { hostname, port } = new URL(world.gateway.url);
  const own = as === undefined ? {} : { authorization: `Bearer ${who(as).secret}` };
  const sent = { ...own, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers };
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers: sent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

describe("who knocks", () => {
  it.each([
    ["HEAD", "/api/agents", 401],
    ["HEAD", "/api/stream", 401],
    ["GET", "/%61pi/agents", 401],
    ["GET", "/api/x/../agents", 401],
    ["GET", "/api/agents/", 404],
    ["GET", "/api//agents", 404],
    ["GET", "/api/agents%2f", 404],
    ["GET", "/api/agents;v=1", 404],
    ["TRACE", "/api/agents", 404],
    ["OPTIONS", "/api/agents", 404],
    ["GET", "/assets/%2e%2e/%2e%2e/package.json", 404],
    ["GET", "/assets/..%2f..%2fpackage.json", 404],
    ["GET", "/..%5c..%5cpackage.json", 404],
  ])("DOOR-1 %s %s without a token is answered %i", async (method, path, status) => {
    expect((await raw(method, path)).status).toBe(status);
  });

  it("DOOR-2 a token is accepted only in the Authorization header", async () => {
    const { secret } = who("olga");
    for (const path of [`/api/agents?token=${secret}`, `/api/agents?access_token=${secret}`])
      expect((await raw("GET", path)).status).toBe(401);
    const elsewhere: readonly Record<string, string>[] = [
      { cookie: `conduct_session=${secret}` },
      { authorization: `Basic ${secret}` },
      { authorization: secret },
      { "x-api-key": secret },
    ];
    for (const headers of elsewhere) expect((await raw("GET", "/api/agents", { headers })).status).toBe(401);
    expect((await raw("GET", "/api/agents", { headers: { authorization: `bearer ${secret}` } })).status).toBe(200);
  });

  it("DOOR-3 only the gateway's own host names are accepted", async () => {
    const { port } = new URL(world.gateway.url);
    for (const [host, status] of [
      [`localhost:${port}`, 200],
      [`LOCALHOST:${port}`, 200],
      [`[::1]:${port}`, 200],
      ["127.0.0.1", 421],
      ["127.0.0.1:1", 421],
      [`localhost.:${port}`, 421],
      [`127.1:${port}`, 421],
      [`0.0.0.0:${port}`, 421],
      [`evil.example:${port}`, 421],
      [`[::ffff:127.0.0.1]:${port}`, 400],
    ] as const)
      expect([host, (await raw("GET", "/api/health", { headers: { host } })).status]).toEqual([host, status]);
  });

  it("DOOR-4 a page of another origin gets nothing, even from another port of this machine", async () => {
    const { port } = new URL(world.gateway.url);
    for (const origin of ["null", "http://127.0.0.1:1", `http://127.0.0.1:${port}/`, `http://evil.example:${port}`])
      expect((await raw("POST", "/api/login", { headers: { origin }, body: "{}" })).status).toBe(403);
    const { headers } = await raw("GET", "/api/health");
    expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
  });

  it.each(["0.0.0.0", "::"])("DOOR-5 on %s the gateway accepts its addresses as host, and no name", async (host) => {
    const open = await httpWorld({ host });
    const { port } = new URL(open.gateway.url);
    const status = (name: string) =>
      new Promise<number>((resolve, reject) => {
        const asked = request(
          { hostname: "127.0.0.1", port, path: "/api/health", headers: { host: `${name}:${port}` } },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        asked.on("error", reject);
        asked.end();
      });
    expect([await status("127.0.0.1"), await status("localhost"), await status("evil.example")]).toEqual([
      200, 200, 421,
    ]);
    await open.close();
  });
});

describe("what is sent", () => {
  it.each([
    ["a prototype", '{"definition":{"__proto__":{"soul":"x"}},"after":0,"reason":"x"}'],
    ["a prototype in other letters", '{"definition":{"__pr\\u006fto__":{"soul":"x"}},"after":0,"reason":"x"}'],
    ["what is too deep", `{"definition":{"soul":${"[".repeat(100_000)}${"]".repeat(100_000)}},"after":0,"reason":"x"}`],
  ])("DOOR-10 a body with %s is rejected with a clear message", async (_what, body) => {
    const { status, text } = await raw("PUT", "/api/agents/demo", { as: "olga", body });
    expect([status, JSON.parse(text).code]).toEqual([400, "BAD_JSON"]);
    expect(world.reported).toEqual([]);
  });

  it("DOOR-11 brackets inside strings do not count as nesting", async () => {
    const body = JSON.stringify({ text: `rules: "${'\\\\"[{'.repeat(500)}"` });
    expect((await raw("POST", "/api/rules/check", { as: "olga", body })).status).toBe(200);
  });

  it.each(["defaults", "x".repeat(101), "a%2Fb", "%20", "__proto__"])(
    "DOOR-12 '%s' is not a valid agent name",
    async (name) => {
      const body = JSON.stringify({ definition: {}, after: 0, reason: "x" });
      const { status } = await raw("PUT", `/api/agents/${name}`, { as: "olga", body });
      expect(status).toBe(422);
      expect((await who("olga").client.call("GET /api/agents")).agents.map((agent) => agent.name)).toEqual(["demo"]);
    },
  );
});

describe("secrets", () => {
  it("DOOR-20 a response with a secret is not stored, and a retry with the same key says that it was shown once", async () => {
    const keep = vi.spyOn(world.stores.replies, "keep");
    const { client } = who("olga");
    const params = { id: "uma" };
    const make = () =>
      client.call("POST /api/users/{id}/tokens", { params, body: { label: "ci" } }, { idempotencyKey: "k-20" });
    const { token } = await make();
    await expect(make()).rejects.toMatchObject({ status: 409, code: "SHOWN_ONCE" });
    const link = () => client.call("POST /api/users/{id}/login", { params }, { idempotencyKey: "k-21" });
    const { code } = await link();
    await expect(link()).rejects.toMatchObject({ code: "SHOWN_ONCE" });
    expect(JSON.stringify(keep.mock.calls)).not.toContain(token);
    expect(JSON.stringify(keep.mock.calls)).not.toContain(code);
    keep.mockRestore();
  });

  it("DOOR-21 keys are listed without secrets and revoked by their owner or an operator", async () => {
    const { secret, client } = await world.person("nora", "user");
    const params = { id: "nora" };
    const { keys } = await client.call("GET /api/users/{id}/keys", { params });
    expect(keys).toMatchObject([{ kind: "token", label: "test" }]);
    expect(JSON.stringify(keys)).not.toContain(secret.slice(3));
    const key = { id: "nora", key: keys[0]?.id ?? "" };
    await expect(who("ulf").client.call("GET /api/users/{id}/keys", { params })).rejects.toMatchObject({ status: 404 });
    await expect(who("vic").client.call("DELETE /api/users/{id}/keys/{key}", { params: key })).rejects.toMatchObject({
      status: 404,
    });
    expect(await who("olga").client.call("DELETE /api/users/{id}/keys/{key}", { params: key })).toEqual({
      deleted: true,
    });
    await expect(client.call("GET /api/me")).rejects.toMatchObject({ status: 401 });
  });

  it("DOOR-24 expired unused login links are deleted when a new one is created; valid ones stay", async () => {
    const users = memoryStores().users;
    const time = { now: 1_000 };
    const access = openAccess(users, { now: () => time.now, monotonic: () => time.now });
    await users.add({ id: "ann", name: "Ann", role: "user", at: 0 });
    await access.newToken("ann", "mine");
    await access.loginCode("ann");
    const code = await access.loginCode("ann");
    expect(await users.keysOf("ann")).toHaveLength(3);
    time.now += 16 * 60_000;
    expect(await access.signIn(code)).toBeUndefined();
    await access.loginCode("ann");
    expect((await users.keysOf("ann")).map(({ kind }) => kind).sort()).toEqual(["login", "token"]);
  });

  it("DOOR-25 the same idempotency key of two users means two writes, and neither gets the other's response", async () => {
    const make = (id: string) =>
      who(id).client.call("POST /api/sessions", { body: { agent: "demo" } }, { idempotencyKey: "shared" });
    const [uma, ulf, again] = [await make("uma"), await make("ulf"), await make("uma")];
    expect([uma.user, ulf.user, again.id]).toEqual(["uma", "ulf", uma.id]);
    expect(ulf.id).not.toBe(uma.id);
  });

  it("DOOR-22 only the newest value of CONDUCT_TOKEN is a valid token", async () => {
    const users = memoryStores().users;
    const access = openAccess(users, nodeClock());
    await users.add({ id: "operator", name: "Operator", role: "operator", at: 0 });
    const { secret } = await access.newToken("operator", "mine");
    const good = async (...secrets: readonly string[]) =>
      Promise.all(secrets.map(async (one) => (await access.caller(one, "token")) !== undefined));
    await access.adoptToken("operator", "first-secret-of-the-operator");
    await access.adoptToken("operator", "second-secret-of-the-operator");
    expect(await good("first-secret-of-the-operator", "second-secret-of-the-operator", secret)).toEqual([
      false,
      true,
      true,
    ]);
    await access.adoptToken("operator", undefined);
    expect(await good("second-secret-of-the-operator", secret)).toEqual([false, true]);
  });

  it("DOOR-23 an agent's command sees none of the gateway's environment, and can detect that an agent runs it", async () => {
    const env = { PATH: process.env.PATH, LANG: "C", ANTHROPIC_API_KEY: "k", CONDUCT_TOKEN: "t", DATABASE_URL: "u" };
    expect(plainEnvironment(env)).toEqual({ PATH: process.env.PATH, LANG: "C", CONDUCT_SESSION: "gateway" });
    const agent = defineAgent({ name: "a", tools: [{ name: "shell" }] });
    const hosted = new HostedCommands({
      sandbox: { kind: "none", why: "it is a test", fix: "nothing to do" },
      env: { ...process.env, SOME_PROVIDER_KEY: "not-for-agents" },
      useOf: () => "sandboxed",
      networkOf: () => [],
      roleOf: async () => "operator",
    });
    const commands = hosted.of("a", "olga", world.root);
    const [shell] = sandboxTools(agent, { workspace: world.root, commands }).tools;
    const { content } = (await shell?.execute("c", { command: "env" } as never, undefined as never)) ?? { content: [] };
    expect(JSON.stringify(content)).toContain("CONDUCT_SESSION=gateway");
    expect(JSON.stringify(content)).not.toContain("not-for-agents");
  });
});

describe("streams", () => {
  it("DOOR-30 a HEAD request of a stream subscribes to nothing", async () => {
    const subscribe = vi.spyOn(world.gateway.conversations.updates, "subscribe");
    const { status, headers } = await raw("HEAD", "/api/stream", { as: "vic" });
    expect([status, headers["content-type"]]).toEqual([200, "text/event-stream"]);
    expect(subscribe).not.toHaveBeenCalled();
    subscribe.mockRestore();
  });

  it.each(["key", "role"] as const)("DOOR-31 a stream ends when its %s is revoked", async (what) => {
    const id = `sam-${what}`;
    const { client } = await world.person(id, "viewer");
    const subscribe = vi.spyOn(world.gateway.conversations.updates, "subscribe");
    const end = new AbortController();
    const over = (async () => {
      for await (const _ of client.stream("GET /api/stream", {}, end.signal)) void _;
      return "over";
    })().catch((error: unknown) => (end.signal.aborted ? "aborted" : `over: ${error}`));
    await vi.waitFor(() => expect(subscribe).toHaveBeenCalled(), 20_000);
    subscribe.mockRestore();
    if (what === "role") await world.stores.users.change(id, { role: "user", by: "operator" });
    else for (const { hash } of await world.stores.users.keysOf(id)) await world.stores.users.takeKey(hash);
    const late = setTimeout(() => end.abort(), 20_000);
    expect(await over).toMatch(/^over/);
    clearTimeout(late);
  });
});

describe("schedules", () => {
  const one = { agent: "demo", cron: "0 0 1 1 *", zone: "UTC", say: "hello" };

  it.each([
    ["uma", { channel: "telegram", address: "1" }, 422],
    ["uma", { channel: "telegram" }, 422],
    ["uma", { channel: "mail", address: "x@example.org" }, 422],
    ["olga", { channel: "telegram", address: "1" }, 201],
    ["tess", { channel: "telegram", address: "77" }, 201],
    ["tess", { channel: "telegram", address: "78" }, 422],
  ])("DOOR-40 a schedule of %s with delivery to %j is answered with %i", async (id, deliver, status) => {
    if (people[id] === undefined) people[id] = await world.person(id, "user");
    if (id === "tess") await world.stores.users.change(id, { telegram: 77, by: "operator" });
    const answered = await raw("POST", "/api/schedules", { as: id, body: JSON.stringify({ ...one, deliver }) });
    expect(answered.status).toBe(status);
  });

  it("DOOR-41 the number of schedules per user is limited, and a user cannot take over another user's schedule", async () => {
    const { client } = who("ulf");
    const made = [];
    for (let at = 0; at < 50; at++) made.push(await client.call("POST /api/schedules", { body: one }));
    await expect(client.call("POST /api/schedules", { body: one })).rejects.toMatchObject({ code: "TOO_MANY" });
    const params = { id: made[0]?.id ?? "" };
    await expect(
      who("uma").client.call("PATCH /api/schedules/{id}", { params, body: { say: "mine" } }),
    ).rejects.toMatchObject({ status: 404 });
    await expect(
      client.call("PATCH /api/schedules/{id}", { params, body: { deliver: { channel: "telegram", address: "5" } } }),
    ).rejects.toMatchObject({ status: 422 });
  });
});
