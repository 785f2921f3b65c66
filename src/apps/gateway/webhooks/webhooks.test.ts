import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import type { Delivery } from "../../../base/ports/stores/hosting/deliveries.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Webhook } from "../../../edge/host/opening/load-outgoing.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import type { Update } from "../conversations/updates.ts";
import { Listeners } from "../listeners.ts";
import { PAUSES } from "./attempts.ts";
import { sendWebhook } from "./send-webhook.ts";
import { signedHeaders } from "./sign-webhook.ts";
import { openWebhooks } from "./webhooks.ts";

const KEY = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
const START = Date.parse("2026-03-06T12:00:00Z");
const SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

type Got = { readonly headers: Record<string, unknown>; readonly body: string };

/** A receiver on loopback. `answer` chooses the status and headers of each response. */
async function receiver(answer: () => readonly [number, Record<string, string>?] = () => [200]) {
  const got: Got[] = [];
  const server = createServer(async (request, response) => {
    got.push({ headers: request.headers, body: await text(request) });
    const [status, headers = {}] = answer();
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

const hook = (url: string, given: Partial<Webhook> = {}): Webhook => ({
  ...{ kind: "webhook", name: "ops", url, key: KEY, allowPrivate: true },
  topics: ["questions", "denials", "failed-turns", "contract", "digests"],
  ...given,
});

function denied(id: string, at = START): ConductEvent {
  const call = { id: "c1", tool: "shell", args: { command: `deploy --token ${SECRET}` } };
  const decision = { kind: "deny", id: `d_${id}`, rule: "no-deploy", code: "RULE", reason: `not ${SECRET}` };
  const event = { v: 1, id, seq: 1, at, session: "s_1", agent: "ada", run: "r", turn: 1, type: "call", call, decision };
  return event as unknown as ConductEvent;
}

function world() {
  const stores = memoryStores();
  const time = { now: START };
  const clock = { now: () => time.now, monotonic: () => time.now };
  const lines: string[] = [];
  const updates = new Listeners<Update>();
  const open = (webhooks: readonly Webhook[], given: Partial<Parameters<typeof openWebhooks>[0]> = {}) => {
    const opened = openWebhooks({
      ...{ webhooks, stores, updates, clock, linkTo: (session) => `https://c.example/sessions/${session}` },
      report: (line) => lines.push(line),
      ...given,
    });
    onTestFinished(() => opened.close());
    opened.start();
    return opened;
  };
  const followed = () => expect.poll(() => stores.deliveries.position("events")).toBeDefined();
  const log = () => stores.deliveries.list({ limit: 50 });
  return { stores, time, lines, updates, open, followed, log };
}

it("WHK-1 the signature is that of the specification's example", () => {
  const headers = signedHeaders(KEY, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330_999, '{"test": 2432232314}');
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

it("WHK-2 a denial is sent once, signed and without secrets; what happened before the first start is not", async () => {
  const { stores, open, followed, log } = world();
  const { got, url } = await receiver();
  await stores.events.append([denied("e_old")]);
  open([hook(url)]);
  await followed();
  await stores.events.append([denied("e_1")]);
  await expect.poll(() => got.length).toBe(1);
  const [{ headers, body } = { headers: {}, body: "" }] = got;
  const id = String(headers["webhook-id"]);
  expect(signedHeaders(KEY, id, Number(headers["webhook-timestamp"]) * 1_000, body)).toMatchObject({
    "webhook-signature": headers["webhook-signature"],
  });
  expect(JSON.parse(body)).toMatchObject({
    ...{ type: "call.denied", timestamp: "2026-03-06T12:00:00.000Z" },
    data: { session: "s_1", agent: "ada", rule: "no-deploy", tool: "shell", link: "https://c.example/sessions/s_1" },
  });
  expect(body).not.toContain(SECRET);
  await expect.poll(log).toMatchObject([{ id, state: "delivered", attempts: 1, result: "200" }]);
});

it("WHK-3 a failed delivery is retried later with the same id, also after a restart", async () => {
  const { stores, time, lines, open, followed, log } = world();
  const status = { now: 500 };
  const { got, url } = await receiver(() => [status.now]);
  const first = open([hook(url)]);
  await followed();
  await stores.events.append([denied("e_1")]);
  await expect.poll(log).toMatchObject([{ state: "waiting", attempts: 1, result: "500" }]);
  expect(lines.join()).toContain("webhook ops: a delivery failed (500)");
  await first.close();
  const [waiting] = await log();
  expect(waiting?.nextAt).toBeGreaterThanOrEqual(START + 5_000);
  expect(waiting?.nextAt).toBeLessThanOrEqual(START + 5_500);
  status.now = 204;
  time.now = START + 5_500;
  open([hook(url)]);
  await expect.poll(log).toMatchObject([{ state: "delivered", attempts: 2 }]);
  expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

it("WHK-4 of two gateways on one store, one sends", async () => {
  const { stores, open, followed, log } = world();
  const { got, url } = await receiver();
  const holder: { id?: number } = {};
  const leader = (id: number) => ({
    async take() {
      holder.id ??= id;
      return holder.id === id;
    },
    give: async () => void (holder.id === id && delete holder.id),
    onLost: () => () => undefined,
  });
  const first = open([hook(url)], { leader: leader(1) });
  open([hook(url)], { leader: leader(2) });
  await followed();
  await stores.events.append([denied("e_1"), denied("e_2")]);
  await expect.poll(async () => (await log()).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  await first.close();
  await stores.events.append([denied("e_3")]);
  await expect.poll(() => got.length).toBe(3);
  expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
});

it("WHK-5 failed turns, digests and tests reach the webhooks that want them", async () => {
  const { updates, open, log } = world();
  const { got, url } = await receiver();
  const webhooks = open([hook(url, { topics: ["failed-turns"] }), hook(url, { name: "all" })]);
  const turn = { id: "t_1", conversation: "s_9", text: "hi", at: START, status: "failed", why: "529" } as const;
  updates.tell("s_9", { kind: "turn", turn });
  updates.tell("s_9", { kind: "turn", turn: { ...turn, id: "t_2", status: "complete" } });
  await webhooks.digest("7", { sessions: 3 });
  await webhooks.digest("7", { sessions: 3 });
  expect(await webhooks.test("nobody")).toBeUndefined();
  await webhooks.test("ops");
  await expect.poll(() => got.length).toBe(4);
  const sent = (await log()).map(({ webhook, type }) => `${webhook} ${type}`).toSorted();
  expect(sent).toEqual(["all digest.ready", "all turn.failed", "ops turn.failed", "ops webhook.test"]);
});

const waiting: Delivery = {
  ...{ id: "msg_0000", webhook: "ops", type: "x", body: "{}", at: START },
  ...{ state: "waiting", attempts: 0, nextAt: START },
};
const send = (webhook: Webhook, delivery = waiting) =>
  sendWebhook(webhook, delivery, { now: () => START, signal: new AbortController().signal });

it("WHK-6 no redirect is followed", async () => {
  const target = await receiver();
  const { url } = await receiver(() => [307, { location: target.url }]);
  expect(await send(hook(url))).toMatchObject({ state: "waiting", result: "307: redirects are not followed" });
  expect(target.got).toEqual([]);
});

it("WHK-7 a name that resolves to a private address is refused when it is connected to", async () => {
  const { url, got } = await receiver();
  const local = url.replace("127.0.0.1", "localhost");
  expect((await send(hook(local, { allowPrivate: false }))).result).toContain("private address");
  expect(got).toEqual([]);
});

it("WHK-8 Retry-After delays the next attempt, 410 ends the delivery, and so does the last attempt", async () => {
  const busy = await receiver(() => [429, { "retry-after": "600" }]);
  expect(await send(hook(busy.url))).toMatchObject({ state: "waiting", nextAt: START + 600_000 });
  const gone = await receiver(() => [410]);
  expect(await send(hook(gone.url))).toMatchObject({ state: "failed", attempts: 1 });
  const broken = await receiver(() => [503]);
  expect(await send(hook(broken.url), { ...waiting, attempts: PAUSES.length })).toMatchObject({ state: "failed" });
});
