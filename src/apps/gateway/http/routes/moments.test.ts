import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../base/words/json.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import { parseConfig } from "../../../../engine/agent/config/parse-config.ts";
import { httpWorld } from "../../test/test-http.ts";

const CONFIG = `
agents:
  shop:
    actions:
      check: { tool: check_stock }
      order: { tool: order }
      refund: { tool: refund }
    rules:
      - { id: stock-first, on: order, require: check }
      - { id: one-order, on: order, atMost: { count: 1 } }
      - { id: ask-refund, on: refund, effect: ask }
    completion: { evidence: [check] }
`;

type World = Awaited<ReturnType<typeof httpWorld>>;
type Answer = { readonly status: number; readonly body: JsonObject };
let world: World;
let token: string;

/** A request as any program would send it. */
async function post(
  path: string,
  body: unknown,
  more: { as?: string; headers?: Record<string, string>; method?: string } = {},
): Promise<Answer> {
  const { as = token, headers = {}, method = "POST" } = more;
  const response = await fetch(`${world.gateway.url}/api/v1/sessions${path}`, {
    method,
    headers: { authorization: `Bearer ${as}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

const open = async (more: JsonObject = {}, as = token) =>
  String((await post("", { agent: "shop", ...more }, { as })).body.session);
const call = (session: string, id: string, tool: string, input: JsonObject = {}, more: JsonObject = {}) =>
  post(`/${session}/call`, { id, tool, input, ...more });
const result = (session: string, id: string, text = "done") =>
  post(`/${session}/result`, { id, outcome: "ok", parts: [{ kind: "text", text }] });

function agents(text: string) {
  const parsed = parseConfig(text, "conduct.yaml");
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  return parsed.agents;
}

beforeEach(async () => {
  world = await httpWorld({ agents: agents(CONFIG), approvalMs: 50 });
  token = (await world.person("ann", "user")).secret;
});
afterEach(() => world.close());

describe("the HTTP moments of the gateway", () => {
  it("HTM-1 rules decide on calls, and results are evidence for the next call", async () => {
    const session = await open();
    const denied = await call(session, "c1", "order");
    expect(denied.body).toMatchObject({ kind: "deny", rule: "stock-first", endTurn: false });
    expect(denied.body.text).toContain("stock-first");
    expect((await call(session, "c2", "check_stock")).body).toMatchObject({ kind: "allow" });
    expect((await result(session, "c2")).body).toEqual({ changed: false });
    expect((await call(session, "c3", "order")).body).toMatchObject({ kind: "allow" });
  });

  it("HTM-2 the same call gets the same answer and counts once, also after a restart", async () => {
    const session = await open();
    await call(session, "c1", "check_stock");
    const first = await result(session, "c1");
    const order = await call(session, "c2", "order");
    expect(order.body.kind).toBe("allow");
    const denied = await call(session, "c3", "order");
    expect(denied.body).toMatchObject({ kind: "deny", rule: "one-order" });
    expect(await call(session, "c2", "order")).toEqual(order);
    await world.restart();
    expect(await call(session, "c2", "order")).toEqual(order);
    expect(await call(session, "c3", "order")).toEqual(denied);
    expect(await result(session, "c1")).toEqual(first);
    expect((await result(session, "c2")).status).toBe(200);
    const [events = []] = await world.stores.events.histories([session]);
    expect(events.filter(({ type }) => type === "call")).toHaveLength(3);
    expect(events.filter(({ type }) => type === "result")).toHaveLength(2);
  });

  it("HTM-3 two identical requests at once are decided once", async () => {
    const session = await open();
    await call(session, "c1", "check_stock");
    await result(session, "c1");
    const answers = await Promise.all(Array.from({ length: 5 }, () => call(session, "c2", "order")));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers[0]?.body.kind).toBe("allow");
  });

  it("HTM-4 a call id with another input, tool or step is rejected and recorded", async () => {
    const session = await open();
    await call(session, "c1", "check_stock", { item: "cup" });
    for (const [tool, input, more] of [
      ["check_stock", { item: "pot" }, {}],
      ["order", { item: "cup" }, {}],
      ["check_stock", { item: "cup" }, { step: "s2" }],
    ] as const) {
      expect(await call(session, "c1", tool, input, more)).toMatchObject({ status: 409, body: { code: "ID_REUSED" } });
    }
    // The journal is written after the answer.
    const faults = async () => {
      const [events = []] = await world.stores.events.histories([session]);
      return events.filter((one) => one.type === "fault").length;
    };
    await expect.poll(faults, { timeout: 20_000 }).toBe(3);
  });

  it("HTM-5 a result without an allowed call is rejected, and proves nothing", async () => {
    const session = await open();
    expect(await result(session, "never")).toMatchObject({ status: 409, body: { code: "NO_CALL" } });
    await call(session, "c1", "order");
    expect(await result(session, "c1")).toMatchObject({ status: 409, body: { code: "NO_CALL" } });
    const asked = await call(session, "c2", "refund");
    expect(asked.body).toMatchObject({ kind: "ask", rule: "ask-refund" });
    expect(await result(session, "c2")).toMatchObject({ status: 409, body: { code: "NOT_ALLOWED" } });
    const cancelled = { id: "c2", outcome: "cancelled", parts: [] };
    expect((await post(`/${session}/result`, cancelled)).status).toBe(200);
  });

  it("HTM-6 a session belongs to the user whose token opened it", async () => {
    const session = await open();
    const bob = (await world.person("bob", "user")).secret;
    const operator = (await world.person("olga", "operator")).secret;
    const viewer = (await world.person("vera", "viewer")).secret;
    for (const as of [bob, operator]) {
      expect((await post(`/${session}/call`, { id: "c", tool: "x", input: {} }, { as })).status).toBe(404);
      expect((await post(`/${session}`, undefined, { as, method: "DELETE" })).status).toBe(404);
      expect((await post("", { agent: "shop", parent: session }, { as })).status).toBe(404);
    }
    await world.restart();
    expect((await post(`/${session}/call`, { id: "c", tool: "x", input: {} }, { as: bob })).status).toBe(404);
    expect((await post("", { agent: "shop" }, { as: viewer })).status).toBe(403);
    expect((await post("", { agent: "shop" }, { as: "ct_wrong" })).status).toBe(401);
    // The same name is another session for another user.
    expect(await open({ id: "mine" })).not.toBe(await open({ id: "mine" }, bob));
    expect(await open({ id: "mine" })).toBe(await open({ id: "mine" }));
  });

  it("HTM-7 a conversation of the gateway cannot be used as a session of another program", async () => {
    const { client } = await world.person("carl", "user");
    const { id } = await client.call("POST /api/sessions", { body: { agent: "shop" } });
    expect((await post(`/${id}/call`, { id: "c", tool: "x", input: {} })).status).toBe(404);
  });

  it("HTM-8 malformed, oversized and unknown input is rejected with its place", async () => {
    const session = await open();
    const valid = { id: "c1", tool: "order", input: {} };
    const deep = `${"[".repeat(200)}${"]".repeat(200)}`;
    for (const [path, body, status, detail] of [
      ["/call", { ...valid, sender: "operator" }, 400, "sender"],
      ["/call", { ...valid, input: "x" }, 400, "input"],
      ["/call", { ...valid, id: "a b" }, 400, "id"],
      ["/call", `{"id":"c","tool":"x","input":{"__proto__":{"a":1}}}`, 400, "__proto__"],
      ["/call", `{"id":"c","tool":"x","input":{"a":${deep}}}`, 400, "nested"],
      ["/call", "{", 400, "not JSON"],
      ["/message", { text: "x", sender: { role: "operator" } }, 400, "sender"],
      ["/message", { text: "x".repeat(100_001) }, 400, "text"],
      ["/result", { id: "c", outcome: "denied", parts: [] }, 400, "outcome"],
      ["/result", { id: "c", outcome: "ok", parts: [{ kind: "bytes", bytes: "" }] }, 400, "parts.0"],
      ["/result", `"${"x".repeat(9 * 1024 * 1024)}"`, 413, "at most"],
      ["/nothing", {}, 404, ""],
    ] as const) {
      const answer = await post(`/${session}${path}`, body);
      expect([path, answer.status]).toEqual([path, status]);
      expect(JSON.stringify(answer.body)).toContain(detail);
    }
    expect((await post("", { agent: "none" })).status).toBe(404);
    expect((await post("", {})).status).toBe(400);
    expect((await post("", { agent: "shop", user: "bob" })).status).toBe(400);
  });

  it("HTM-9 relayed text captures no directive and elevates nothing unless the token has that scope", async () => {
    await world.person("olga", "operator");
    const plain = (await world.gateway.access.newToken("olga", "agent")).secret;
    const scoped = (await world.gateway.access.newToken("olga", "mine", undefined, ["operator-messages"])).secret;
    const ann = (await world.gateway.access.newToken("ann", "x", undefined, ["operator-messages"])).secret;
    const say = async (as: string, text: string) =>
      (await post(`/${await open({}, as)}/message`, { text }, { as })).body as { modes?: JsonObject; reply?: string };
    for (const as of [plain, ann]) {
      await say(as, "STOP: long reports");
      expect((await say(as, "/elevated on go")).modes).toMatchObject({ elevated: false });
      expect((await say(as, "/contract")).reply).toContain("Only an operator");
    }
    const directives = async () => {
      const state = await world.conduct.contracts?.state();
      return state === undefined ? -1 : allDirectives(state).length;
    };
    expect(await directives()).toBe(0);
    await say(scoped, "STOP: long reports");
    expect(await directives()).toBe(1);
    expect((await say(scoped, "/elevated on go")).modes).toMatchObject({ elevated: true });
  });

  it("HTM-10 a person approves in the gateway, and the call sent again is allowed, also after a restart", async () => {
    const session = await open();
    const { client } = await world.person("olga", "operator");
    const asked = await call(session, "c1", "refund", { order: 7 });
    expect(asked.body).toMatchObject({ kind: "ask" });
    const { approvals } = await client.call("GET /api/approvals");
    expect(approvals).toMatchObject([{ session, user: "ann", agent: "shop", tool: "refund" }]);
    await client.call("POST /api/approvals/{id}", {
      params: { id: String(asked.body.approval) },
      body: { answer: "yes" },
    });
    expect((await call(session, "c1", "refund", { order: 7 })).body).toMatchObject({
      kind: "allow",
      because: "approved",
    });
    const later = await call(session, "c2", "refund", { order: 8 });
    await world.restart();
    const { again } = await world.person("oda", "operator");
    await again().call("POST /api/approvals/{id}", {
      params: { id: String(later.body.approval) },
      body: { answer: "no" },
    });
    expect((await call(session, "c2", "refund", { order: 8 })).body).toMatchObject({ kind: "deny" });
  });

  it("HTM-11 message, prompt and stop work, each once per id; a stop is refused until the work is done", async () => {
    const session = await open();
    const heard = await post(`/${session}/message`, { id: "m1", text: "/think sell a cup" });
    expect(heard.body).toMatchObject({ text: "sell a cup", modes: { think: true } });
    const prompt = await post(`/${session}/prompt`, { tools: ["order"] });
    expect(String(prompt.body.text).length).toBeGreaterThan(10);
    const refused = await post(`/${session}/stop`, { id: "e1", output: "sold" });
    expect(refused.body).toMatchObject({ done: false });
    expect(await post(`/${session}/stop`, { id: "e1", output: "sold" })).toEqual(refused);
    await call(session, "c1", "check_stock");
    await result(session, "c1");
    expect((await post(`/${session}/stop`, { id: "e2", output: "sold" })).body).toMatchObject({ done: true });
    expect(await post(`/${session}/message`, { id: "m1", text: "/think sell a cup" })).toEqual(heard);
    expect((await post(`/${session}/message`, { id: "m1", text: "other" })).status).toBe(409);
    const [events = []] = await world.stores.events.histories([session]);
    expect(events.filter(({ type }) => type === "stop")).toHaveLength(2);
    expect(events.filter(({ type }) => type === "message")).toHaveLength(1);
  });

  it("HTM-12 a closed session answers no more; closing it again is harmless", async () => {
    const session = await open();
    expect((await post(`/${session}`, undefined, { method: "DELETE" })).body).toEqual({ closed: true });
    expect((await post(`/${session}`, undefined, { method: "DELETE" })).body).toEqual({ closed: true });
    expect((await call(session, "c1", "check_stock")).status).toBe(410);
  });

  it("HTM-13 the session is in the journal, and its decision can be explained", async () => {
    const session = await open();
    const denied = await call(session, "c1", "order");
    const { client } = await world.person("olga", "operator");
    const { sessions } = await client.call("GET /api/journal/sessions");
    expect(sessions.find((one) => one.session === session)).toMatchObject({ agent: "shop" });
    const why = await client.call("GET /api/decisions/{id}/why", { params: { id: String(denied.body.decision) } });
    expect(why).toMatchObject({ session: { session, channel: "api" } });
  });

  it("HTM-14 another Host or origin is rejected before anything is decided", async () => {
    const session = await open();
    const { request } = await import("node:http");
    const { port } = new URL(world.gateway.url);
    const status = await new Promise<number | undefined>((resolve) => {
      const headers = { host: "evil.example", authorization: `Bearer ${token}`, "content-type": "application/json" };
      const sent = request({ port, method: "POST", path: `/api/v1/sessions/${session}/call`, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.end(JSON.stringify({ id: "c1", tool: "check_stock", input: {} }));
    });
    expect(status).toBe(421);
    const headers = { origin: "https://evil.example" };
    expect((await post(`/${session}/call`, { id: "c1", tool: "check_stock", input: {} }, { headers })).status).toBe(
      403,
    );
    const [events = []] = await world.stores.events.histories([session]);
    expect(events.filter(({ type }) => type === "call")).toEqual([]);
  });

  it("HTM-15 files of the agent's machine are not read here, so a file counts as existing until it was read", async () => {
    await world.close();
    world = await httpWorld({ agents: agents("agents: { coder: { policies: [ { readBeforeWrite: {} } ] } }") });
    token = (await world.person("ann", "user")).secret;
    const session = await open({ agent: "coder", cwd: "/srv/work" });
    const write = (id: string, path: string) => call(session, id, "write_file", { path, content: "x" });
    expect((await write("c1", "/etc/passwd")).body).toMatchObject({ kind: "deny", code: "outside-workspace" });
    expect((await write("c2", "../other")).body).toMatchObject({ kind: "deny" });
    expect((await write("c3", "notes.txt")).body).toMatchObject({ kind: "deny", code: "not-read" });
    await call(session, "c4", "read_file", { path: "notes.txt" });
    await result(session, "c4");
    expect((await write("c5", "notes.txt")).body).toMatchObject({ kind: "allow" });
  });

  it("HTM-16 a call is rejected when its decision cannot be saved, and decided anew when the store is back", async () => {
    const session = await open();
    const { sessions } = world.stores;
    const append = sessions.append.bind(sessions);
    const save = sessions.save.bind(sessions);
    const broken = () => Promise.reject(new Error("disk full"));
    Object.assign(sessions, { append: broken, save: broken });
    expect((await call(session, "c1", "check_stock")).status).toBeGreaterThanOrEqual(500);
    Object.assign(sessions, { append, save });
    expect((await call(session, "c1", "check_stock")).body.kind).toBe("allow");
  });
});
