import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConductEvent, EventBody } from "../../../../base/words/event.ts";
import { ALLOW, sampleCall, sampleEvent } from "../../../../edge/stores/test/events-samples.ts";
import { HOUR_MS } from "../../../../engine/journal/session-figures.ts";
import type { ConductClient } from "../../client.ts";
import { httpWorld } from "../../test/test-http.ts";

const USED = (cost: number): EventBody => ({
  type: "notice",
  notice: { kind: "usage", inputTokens: 100, outputTokens: 10, cost },
});
const RESULT = (call: string, outcome: "ok" | "failed"): EventBody => ({
  type: "result",
  call,
  tool: "shell",
  outcome,
  truncation: [],
  feedback: [],
});

let world: Awaited<ReturnType<typeof httpWorld>>;
let olga: ConductClient;
const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS;
beforeAll(async () => {
  world = await httpWorld();
  olga = (await world.person("olga", "operator")).client;
  const events: ConductEvent[] = [];
  const add = (at: number, body: EventBody) =>
    events.push(sampleEvent(body, { id: `m_${events.length}`, at, agent: "demo" }));
  add(hour, { type: "notice", notice: { kind: "started", model: "acme/large" } });
  for (let one = 0; one < 20; one += 1) {
    const at = hour + one * 60_000;
    add(at, { type: "prompt", hash: "h", prefixHash: "p", tokens: 1, prefixTokens: 1, sections: [], cuts: [] });
    add(at + 1_000 + one, USED(0.25));
    add(at + 2_000, sampleCall(ALLOW, "shell", {}, `c_${one}`));
    add(at + 2_000 + 10 * one, RESULT(`c_${one}`, one === 19 ? "failed" : "ok"));
  }
  await world.stores.events.append(events);
});
afterAll(() => world.close());

describe("figures of the home page", () => {
  it("NY-1 cost, tokens and errors are summed by hour, and models and tools have their median and 95th percentile", async () => {
    const found = await olga.call("GET /api/measures", {
      query: { by: "hour", since: hour, until: hour + HOUR_MS - 1 },
    });
    expect(found.buckets).toEqual([{ at: hour, cost: 5, inputTokens: 2_000, outputTokens: 200, errors: 1 }]);
    expect(found.models).toEqual([{ name: "acme/large", count: 20, p50: 1_009, p95: 1_018 }]);
    expect(found.tools).toEqual([{ name: "shell", count: 20, p50: 90, p95: 180 }]);
    expect(found.from).toBeUndefined();
  });

  it("NY-2 a time that is the wrong way round is rejected", async () => {
    await expect(olga.call("GET /api/measures", { query: { since: 2, until: 1 } })).rejects.toMatchObject({
      status: 400,
    });
  });
});

describe("what needs an operator", () => {
  it("NY-3 a conversation whose newest turn failed is reported until a later turn works", async () => {
    const now = Date.now();
    const of = { agent: "demo", user: "olga", channel: "web", at: now, lastAt: now };
    await world.stores.conversations.create({ id: "s_bad", ...of });
    const turn = { conversation: "s_bad", text: "deploy", at: now };
    await world.stores.conversations.addTurn({ ...turn, id: "t_1", status: "failed", why: "529 overloaded" });
    expect((await olga.call("GET /api/attention", {})).turns).toMatchObject([
      { session: "s_bad", status: "failed", why: "529 overloaded", text: "deploy" },
    ]);
    await world.stores.conversations.addTurn({ ...turn, id: "t_2", at: now + 1, status: "complete" });
    expect((await olga.call("GET /api/attention", {})).turns).toEqual([]);
  });

  it("NY-4 directives that say nearly the same are reported as a pair", async () => {
    for (const text of ["long status reports", "long status reports in the chat", "answers without a source"])
      await olga.call("POST /api/contract/directives", { body: { type: "stop", text } });
    const { duplicates, health, budgets } = await olga.call("GET /api/attention", {});
    expect(duplicates.map(({ a, b }) => [a.text, b.text])).toEqual([
      ["long status reports", "long status reports in the chat"],
    ]);
    expect([health, budgets]).toEqual([[], []]);
  });
});
