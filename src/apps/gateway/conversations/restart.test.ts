import { afterEach, describe, expect, it, vi } from "vitest";
import type { AnyPolicy } from "../../../base/words/hosting/agent.ts";
import { ask } from "../../../behavior/policy/policy-decision.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import type { HostedRuntime } from "../runtimes/hosted.ts";
import { memoryGatewayStores } from "../test/test-gateway-stores.ts";
import { httpWorld } from "../test/test-http.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const DEPLOY = { query: { wait: "true" }, body: { text: "deploy it" } };

const CAREFUL: AnyPolicy = { name: "careful", check: () => ask("Deploy now?") };

/** An agent that asks before it deploys, and a user whose question waits. */
async function asked(policy: AnyPolicy = CAREFUL) {
  const agents = [defineAgent({ name: "demo", tools: [{ name: "deploy" }], policies: [policy] })];
  const world = await httpWorld({ agents, approvalMs: 20 });
  closing.push(() => world.close());
  const ann = await world.person("ann", "user");
  const eve = await world.person("eve", "user");
  const session = await ann.client.call("POST /api/sessions", { body: { agent: "demo" } });
  const params = { id: session.id };
  await ann.client.call("POST /api/sessions/{id}/messages", { params, ...DEPLOY });
  return { world, ann, eve, params };
}

async function lastDecision({ world, ann, params }: Awaited<ReturnType<typeof asked>>): Promise<unknown> {
  await ann.again().call("POST /api/sessions/{id}/messages", { params, ...DEPLOY });
  const { events } = await world.stores.events.read({ session: params.id, types: ["call"], limit: 1 });
  return events.map(({ event }) => (event.type === "call" ? event.decision.kind : ""))[0];
}

describe("questions of an earlier process", () => {
  it("GW-40 questions of an earlier process are listed before their conversation opens; a yes is stored and allows the retry", async () => {
    const at = await asked();
    const { world, ann, eve } = at;
    const before = await ann.client.call("GET /api/approvals");
    expect(before.approvals).toMatchObject([{ tool: "deploy", question: expect.stringContaining("Deploy now?") }]);
    await world.restart();
    expect(world.gateway.conversations.live).toBe(0);
    expect(await ann.again().call("GET /api/approvals")).toEqual(before);
    expect(await eve.again().call("GET /api/approvals")).toEqual({ approvals: [] });
    const id = before.approvals[0]?.approval ?? "";
    const answer = { params: { id }, body: { answer: "yes" } } as const;
    await expect(eve.again().call("POST /api/approvals/{id}", answer)).rejects.toMatchObject({ status: 404 });
    expect(await ann.again().call("POST /api/approvals/{id}", answer)).toMatchObject({ answer: "yes", by: "ann" });
    await expect(ann.again().call("POST /api/approvals/{id}", answer)).rejects.toMatchObject({ status: 404 });
    // The word outlives the process that took it.
    await world.restart();
    expect(await ann.again().call("GET /api/approvals")).toEqual({ approvals: [] });
    expect(await lastDecision(at)).toBe("allow");
  });

  it("GW-41 a no to a question of an earlier process works, and expired and unknown questions are not listed", async () => {
    const at = await asked();
    const { world, ann } = at;
    const [open] = (await ann.client.call("GET /api/approvals")).approvals;
    const [call] = await world.stores.events.unanswered(0);
    if (call?.event.type !== "call" || call.event.decision.kind !== "ask") throw new Error("nothing was asked");
    const { event } = call;
    const made = (id: string, change: object) =>
      ({ ...event, id, decision: { ...event.decision, approval: `a_${id}`, ...change } }) as typeof event;
    await world.stores.events.append([made("lost", {}), made("old", { expiresAt: 1 })]);
    await world.restart();
    expect((await ann.again().call("GET /api/approvals")).approvals).toEqual([open]);
    const answer = { params: { id: open?.approval ?? "" }, body: { answer: "no" } } as const;
    await ann.again().call("POST /api/approvals/{id}", answer);
    expect(await lastDecision(at)).toBe("deny");
  });
});

it("ASK2-17 an always is listed and in force after a restart; only its user ends it, and a rule can refuse it", async () => {
  const rule = { id: "careful", on: ["deploy"], effect: "ask", say: "Deploy now?", remember: "session" } as const;
  const at = await asked(new RulesPolicy({ rules: [rule], actions: {} }));
  const { world, ann, eve } = at;
  const [open] = (await ann.client.call("GET /api/approvals")).approvals;
  expect(open).toMatchObject({ remember: true });
  const word = (answer: "always" | "no") => ({ params: { id: open?.approval ?? "" }, body: { answer } });
  expect(await ann.client.call("POST /api/approvals/{id}", word("always"))).toMatchObject({ answer: "always" });
  expect(await lastDecision(at)).toBe("allow");
  expect(await lastDecision(at)).toBe("allow");
  await world.restart();
  expect(await ann.again().call("GET /api/approvals")).toMatchObject({ approvals: [], always: [{ rule: "careful" }] });
  expect(await eve.again().call("GET /api/approvals")).toEqual({ approvals: [] });
  expect(await lastDecision(at)).toBe("allow");
  await expect(eve.again().call("POST /api/approvals/{id}", word("no"))).rejects.toMatchObject({ status: 404 });
  await ann.again().call("POST /api/approvals/{id}", word("no"));
  expect(await ann.again().call("GET /api/approvals")).toEqual({ approvals: [] });
  expect(await lastDecision(at)).toBe("ask");
  const once = await asked();
  const [single] = (await once.ann.client.call("GET /api/approvals")).approvals;
  const refused = { params: { id: single?.approval ?? "" }, body: { answer: "always" } } as const;
  await expect(once.ann.client.call("POST /api/approvals/{id}", refused)).rejects.toMatchObject({ code: "ONCE" });
});

it("GW-42 a scheduled turn that hangs does not block the shutdown: after the grace period it is recorded as cancelled", async () => {
  const stores = memoryGatewayStores();
  const schedule = { id: "s", agent: "demo", user: "ann", cron: "* * * * *", zone: "UTC", say: "hello" };
  await stores.schedules.add({ ...schedule, enabled: true, at: 0 });
  let isAsked = false;
  const hangs: HostedRuntime = {
    name: "hangs",
    open: async () => ({
      prompt: (_message, { signal }) =>
        new Promise((resolve) => {
          isAsked = true;
          signal.addEventListener("abort", () => resolve({ status: "cancelled", text: "", notes: [] }));
        }),
      steer: () => false,
      close: async () => undefined,
    }),
  };
  const world = await httpWorld({ stores, runtimeOf: () => hangs, graceMs: 20 });
  await vi.waitFor(() => expect(isAsked).toBe(true), 20_000);
  await world.close();
  expect(await stores.schedules.runs({ schedule: "s", limit: 1 })).toMatchObject([
    { status: "failed", why: "cancelled" },
  ]);
});
