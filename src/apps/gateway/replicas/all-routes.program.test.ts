import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolCall } from "../../../base/words/call.ts";
import type { EventBody } from "../../../base/words/event.ts";
import { ask } from "../../../behavior/policy/policy-decision.ts";
import { sampleEvent } from "../../../edge/stores/test/events-samples.ts";
import { findPostgres, startPostgres, type TestPostgres } from "../../../edge/stores/test/servers/postgres.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { type ConductClient, conductClient } from "../client.ts";
import { ROUTES } from "../http/routes/index.ts";
import { replicaWorld } from "./test/test-replicas.ts";
import { soon, twoClients, webhookReceiver } from "./test/two-clients.ts";

const PATIENT = 60_000;
const FAR = "2099-01-01T00:00:00Z";
const CASES = `cases:
  - { name: a poem is denied, calls: [{ call: { tool: poem }, expect: deny no-poems }] }
`;
const RULES = "rules:\n  - { id: no-poems, on: poem }\n";
const careful = {
  name: "careful",
  check: ({ tool }: ToolCall) => (tool === "deploy" ? ask("Deploy now?") : ({ kind: "allow" } as const)),
};
const AGENT = defineAgent({
  name: "demo",
  tools: [{ name: "deploy" }, { name: "look" }],
  policies: [careful],
  contributors: [
    {
      id: "vip",
      tags: [{ dimension: "custom", value: "vip" }],
      contribute: () => ({ content: "Be brief with them." }),
    },
  ],
  sessionLabels: { enabled: true, model: "local/rules", wait: 1_000 },
  limits: { window: 4_000, toolResultShare: 0.1 },
});

const programs = findPostgres();
describe.skipIf(programs === undefined)("every route on two gateways", () => {
  let server: TestPostgres;
  let world: Awaited<ReturnType<typeof replicaWorld>>;
  const clients: ConductClient[] = [];
  let hooked: Awaited<ReturnType<typeof webhookReceiver>>;
  /** Rows write on one gateway, and read on the other. */
  const { called, write, read, streamed } = twoClients(clients);
  /** Ids that earlier rows have made. */
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    server = await startPostgres(programs ?? "");
    hooked = await webhookReceiver();
    const given = { agents: [AGENT], webhooks: [hooked.webhook] };
    world = await replicaWorld(await server.createSchema(), ["a", "b"], given);
    const { secret = "" } = (await world.all[0]?.person("olga", "operator")) ?? {};
    for (const { gateway } of world.all) clients.push(conductClient({ url: gateway.url, token: secret }));
  }, PATIENT);
  afterAll(async () => {
    await world.close();
    await server.stop();
    hooked.close();
  }, PATIENT);

  const params = (name: string) => ({ params: { id: ids[name] ?? `no ${name}` } });
  const gone = (reading: Promise<unknown>) => expect(reading).rejects.toMatchObject({ status: 404 });

  const rows: { readonly [what: string]: () => Promise<unknown> } = {
    "logins and keys": async () => {
      const { code } = await write("POST /api/users/{id}/login", { params: { id: "olga" } });
      expect(await read("POST /api/login", { body: { code } })).toMatchObject({ id: "olga" });
      const { token } = await write("POST /api/users/{id}/tokens", {
        params: { id: "olga" },
        body: { label: "spare" },
      });
      const spare = conductClient({ url: world.all[1]?.gateway.url ?? "", token });
      called.add("GET /api/me");
      expect(await spare.call("GET /api/me")).toMatchObject({ id: "olga" });
      const { keys } = await read("GET /api/users/{id}/keys", { params: { id: "olga" } });
      const key = keys.find(({ label }) => label === "spare")?.id ?? "";
      await write("DELETE /api/users/{id}/keys/{key}", { params: { id: "olga", key } });
      await expect(spare.call("GET /api/me")).rejects.toMatchObject({ status: 401 });
      const { token: last } = await write("POST /api/users/{id}/tokens", {
        params: { id: "olga" },
        body: { label: "l" },
      });
      called.add("POST /api/logout");
      await conductClient({ url: world.all[0]?.gateway.url ?? "", token: last }).call("POST /api/logout");
      const out = conductClient({ url: world.all[1]?.gateway.url ?? "", token: last });
      await expect(out.call("GET /api/me")).rejects.toMatchObject({ status: 401 });
    },
    users: async () => {
      await write("POST /api/users", { body: { id: "bea", name: "Bea", role: "user" } });
      expect((await read("GET /api/users")).users.map(({ id }) => id)).toContain("bea");
      await write("PATCH /api/users/{id}", { params: { id: "bea" }, body: { name: "Beatrix" } });
      expect(await read("GET /api/users/{id}", { params: { id: "bea" } })).toMatchObject({ name: "Beatrix" });
    },
    "conversations, streams, steering and cancelling": async () => {
      ids.session = (await write("POST /api/sessions", { body: { agent: "demo" } })).id;
      expect((await read("GET /api/sessions")).sessions.map(({ id }) => id)).toContain(ids.session);
      const send = (at: typeof write, text: string, more: { wait?: "true"; steer?: true } = {}) =>
        at("POST /api/sessions/{id}/messages", {
          ...params("session"),
          query: { wait: more.wait ?? "false" },
          body: { text, steer: more.steer },
        });
      await streamed("GET /api/sessions/{id}/stream", params("session"), () => send(write, "hello"), /"did hello"/);
      await streamed("GET /api/stream", {}, () => send(write, "again"), /did again/);
      expect(await send(read, "third", { wait: "true" })).toMatchObject({ status: "complete", answer: "did third" });
      await send(write, "hold it");
      await soon(() => world.turns.held.some(({ text }) => text === "hold it")).toBe(true);
      const held = world.turns.held.find(({ text }) => text === "hold it");
      await send(read, "also this", { steer: true });
      expect(held?.steered).toEqual(["also this"]);
      const { elevated } = await read("POST /api/sessions/{id}/elevation", {
        ...params("session"),
        body: { time: "10m" },
      });
      expect([elevated, held?.session.modes.elevated]).toEqual([true, true]);
      await read("DELETE /api/sessions/{id}/elevation", params("session"));
      expect(held?.session.modes.elevated).toBe(false);
      await held?.session.onMessage({ text: "Please fix the failing test of the build" });
      await write("PUT /api/sessions/{id}/custom", { ...params("session"), body: { custom: ["vip"] } });
      const classified = { classification: { topic: "debugging" } };
      expect(await read("GET /api/sessions/{id}/classification", params("session"))).toMatchObject(classified);
      expect(await read("POST /api/sessions/{id}/classification", params("session"))).toMatchObject(classified);
      const said = { role: "assistant", timestamp: Date.now(), content: [{ type: "text", text: "I hold on" }] };
      await held?.keep([said], "now");
      const decided = held?.session.decide({ id: "c1", tool: "deploy", args: {} } as never);
      await soon(async () => (await read("GET /api/approvals")).approvals.length).toBe(1);
      const [question] = (await read("GET /api/approvals")).approvals;
      await read("POST /api/approvals/{id}", { params: { id: question?.approval ?? "" }, body: { answer: "yes" } });
      expect(await decided).toMatchObject({ kind: "allow" });
      await held?.session.onPrompt({ tools: [] } as never);
      ids.decision = (await decided)?.id ?? "";
      expect(await read("POST /api/sessions/{id}/cancel", params("session"))).toEqual({ cancelled: 1 });
      expect((await read("GET /api/sessions/{id}", params("session"))).turns[0]).toMatchObject({ status: "cancelled" });
      // Somebody should look at a conversation whose newest turn failed.
      ids.failed = (await write("POST /api/sessions", { body: { agent: "demo" } })).id;
      await write("POST /api/sessions/{id}/messages", { ...params("failed"), body: { text: "hold and fail" } });
      await soon(() => world.turns.held.some(({ text }) => text === "hold and fail")).toBe(true);
      world.turns.held.find(({ text }) => text === "hold and fail")?.end({ status: "failed", why: "a test" });
      const broken = async () => (await read("GET /api/attention")).turns.map(({ session }) => session);
      await soon(broken).toEqual([ids.failed]);
    },
    "the journal of a conversation": async () => {
      await soon(async () => (await read("GET /api/sessions/{id}/events", params("session"))).events.length).not.toBe(
        0,
      );
      await soon(
        async () => (await read("GET /api/events", { query: { session: ids.session } })).events.length,
      ).not.toBe(0);
      const { steps } = await read("GET /api/sessions/{id}/steps", params("session"));
      expect(steps.map(({ text }) => text)).toEqual(["I hold on"]);
      const decision = { params: { id: ids.decision ?? "" } };
      const decided = { call: { tool: "deploy" }, decision: { kind: "allow", id: ids.decision } };
      expect((await read("GET /api/decisions/{id}", decision)).events).toMatchObject([decided]);
      expect((await read("GET /api/decisions/{id}/why", decision)).event).toMatchObject(decided);
      const [prompt] = (await read("GET /api/sessions/{id}/prompts", params("session"))).prompts;
      const { event = "", turn = -1 } = prompt ?? {};
      const past = { event, session: ids.session, text: expect.stringContaining("Be brief with them.") };
      expect(await read("GET /api/prompts/{event}", { params: { event } })).toMatchObject(past);
      const ofTurn = { params: { id: ids.session ?? "", turn: String(turn) } };
      expect(await read("GET /api/sessions/{id}/turns/{turn}/prompt", ofTurn)).toMatchObject(past);
      await soon(async () => (await read("GET /api/journal/sessions")).sessions.length).not.toBe(0);
      const counted = { session: ids.session, user: "olga", prompts: 1, calls: 2 };
      expect(await read("GET /api/journal/sessions/{id}", params("session"))).toMatchObject(counted);
      const session = ids.session ?? "";
      const summary = "Still three files to go.";
      const texts = { providerName: "drift", summary, observations: [], suggestions: [], promptName: "demo" };
      const given = { ...texts, severity: "info", timestamp: Date.now(), callIndex: 1 } as const;
      const bodies: readonly EventBody[] = [
        { type: "notice", notice: { kind: "usage", inputTokens: 700, outputTokens: 20 } },
        { type: "result", call: "c1", tool: "deploy", outcome: "ok", truncation: [], feedback: [given] },
      ];
      const events = bodies.map((body, at) => sampleEvent(body, { id: `e_t${at}`, session, at: Date.now() }));
      await world.all[0]?.stores.events.append(events);
      const { feedback } = await read("GET /api/journal/sessions/{id}/feedback", params("session"));
      expect(feedback).toMatchObject([given]);
    },
    "moments over HTTP, their results and their approvals": async () => {
      ids.api = (await write("POST /api/v1/sessions", { body: { agent: "demo" } })).session;
      await read("POST /api/v1/sessions/{id}/message", { ...params("api"), body: { text: "hello" } });
      expect((await write("POST /api/v1/sessions/{id}/prompt", { ...params("api"), body: {} })).text).not.toBe("");
      const call = (at: typeof write, id: string, tool: string, waitMs?: number) =>
        at("POST /api/v1/sessions/{id}/call", { ...params("api"), body: { id, tool, input: {}, waitMs } });
      expect(await call(read, "c1", "look")).toMatchObject({ kind: "allow" });
      const text = "a line of the log\n".repeat(4_000);
      const parts = [{ kind: "text" as const, text }];
      await write("POST /api/v1/sessions/{id}/result", { ...params("api"), body: { id: "c1", outcome: "ok", parts } });
      const cut = async () => JSON.stringify((await read("GET /api/events", { query: { session: ids.api } })).events);
      await soon(async () => /"handle":"([^"]+)"/.test(await cut())).toBe(true);
      const handle = /"handle":"([^"]+)"/.exec(await cut())?.[1] ?? "";
      // The file of the first gateway is not needed: whole results are in the store.
      const whole = read("GET /api/sessions/{id}/results/{handle}", { params: { id: ids.api ?? "", handle } });
      expect((await whole).total).toBe(text.length);
      // While the call waits at one gateway, a person answers at the other.
      const waiting = call(write, "c2", "deploy", 30_000);
      await soon(async () => (await read("GET /api/approvals")).approvals.length).toBe(1);
      const [question] = (await read("GET /api/approvals")).approvals;
      await read("POST /api/approvals/{id}", { params: { id: question?.approval ?? "" }, body: { answer: "yes" } });
      expect(await waiting).toMatchObject({ kind: "allow" });
      // A late answer counts for the same call at any gateway.
      expect(await call(write, "c3", "deploy")).toMatchObject({ kind: "ask" });
      const [late] = (await read("GET /api/approvals")).approvals;
      await read("POST /api/approvals/{id}", { params: { id: late?.approval ?? "" }, body: { answer: "yes" } });
      expect(await call(write, "c3", "deploy")).toMatchObject({ kind: "allow" });
      const tool = { id: "c4", tool: "verify_context", input: {} };
      await read("POST /api/v1/sessions/{id}/call", { ...params("api"), body: tool });
      await write("POST /api/v1/sessions/{id}/tool", { ...params("api"), body: tool });
      expect(await read("POST /api/v1/sessions/{id}/stop", { ...params("api"), body: {} })).toMatchObject({
        done: true,
      });
      await write("DELETE /api/v1/sessions/{id}", params("api"));
      const after = read("POST /api/v1/sessions/{id}/message", { ...params("api"), body: { text: "more" } });
      await expect(after).rejects.toMatchObject({ status: 410 });
    },
    agents: async () => {
      const named = { params: { name: "demo" } };
      const change = (after: number, soul: string) =>
        write("PUT /api/agents/{name}", {
          ...named,
          body: { after, definition: { soul, rules: [{ id: "own-one", on: "poem" }] }, reason: "a test" },
        });
      await change(0, "You answer in rhymes.");
      const soul = async () => (await read("GET /api/agents/{name}", named)).soul;
      await soon(soul).toBe("You answer in rhymes.");
      await change(1, "You answer in prose.");
      expect((await read("GET /api/agents")).agents.map(({ name }) => name)).toContain("demo");
      expect((await read("GET /api/agents/{name}/versions", named)).versions).toHaveLength(2);
      const { lines } = await read("GET /api/agents/{name}/diff", { ...named, query: { from: 1, to: 2 } });
      expect(lines).toContainEqual({ kind: "new", text: expect.stringContaining("in prose") });
      await write("POST /api/agents/{name}/rollback", { ...named, body: { to: 1, after: 2, reason: "back" } });
      await soon(soul).toBe("You answer in rhymes.");
      const edit = { agent: "demo", rule: "own-one", edit: { kind: "shadow" }, reason: "a test" } as const;
      await write("POST /api/rules/edit", { body: edit });
      const own = async () => (await read("GET /api/rules/all")).rules.find(({ id }) => id === "own-one")?.status;
      await soon(own).toBe("shadow");
      const query = { rule: "no-force-push", file: "packs/coding/rules.yaml" };
      expect((await read("GET /api/rules/cases", { query })).cases).not.toEqual([]);
      const preview = await read("POST /api/prompt/preview", { body: { agent: "demo" } });
      expect(JSON.stringify(preview)).toContain("You answer in rhymes.");
    },
    "the contract": async () => {
      const body = { type: "keep", text: "answers in one paragraph" } as const;
      const texts = async () => JSON.stringify(await read("GET /api/contract"));
      await write("POST /api/contract/directives", { body });
      await soon(texts).toContain("one paragraph");
      const known = (await read("GET /api/contract")).all.find(({ text }) => text.includes("one paragraph"));
      ids.directive = known?.id ?? "";
      await write("POST /api/contract/directives/{id}/mark", { ...params("directive"), body: { mark: "helpful" } });
      const { tallies } = await read("GET /api/adherence");
      expect(tallies).toMatchObject([{ directive: ids.directive, helpful: 1 }]);
      const check = "length: at most 120 words";
      await write("PUT /api/contract/directives/{id}/check", { ...params("directive"), body: { check } });
      await soon(texts).toContain('"atMost":120');
      await write("PUT /api/contract/directives/{id}", {
        ...params("directive"),
        body: { ...body, text: "answers in two paragraphs" },
      });
      await soon(texts).toContain("two paragraphs");
      const replaced = (await read("GET /api/contract")).all.find(({ text }) => text.includes("two paragraphs"));
      await write("DELETE /api/contract/directives/{id}", { params: { id: replaced?.id ?? "" } });
      await soon(texts).not.toContain("two paragraphs");
      await write("POST /api/contract/undo", { body: {} });
      await soon(texts).toContain("two paragraphs");
      expect((await read("GET /api/contract/history")).events.length).toBeGreaterThan(3);
      const diff = await read("GET /api/contract/diff", { query: { from: 1, to: 2 } });
      expect(JSON.stringify(diff)).toContain("in two paragraphs");
      expect(await read("GET /api/governance")).toEqual({ status: "ok" });
    },
    candidates: async () => {
      const contracts = world.all[0]?.conduct.contracts;
      for (const text of ["jokes", "sighs"]) {
        const evidence = [`s_1/e_${text}: no more ${text}, please`];
        await contracts?.change({ kind: "propose", type: "less", text, confidence: 0.8, evidence }, "daily-review");
      }
      const find = async (text: string) =>
        (await read("GET /api/candidates")).candidates.find((one) => one.text.includes(text));
      await soon(async () => (await find("sighs")) !== undefined).toBe(true);
      ids.jokes = (await find("jokes"))?.id ?? "";
      ids.sighs = (await find("sighs"))?.id ?? "";
      expect((await read("GET /api/review/digest")).items).toHaveLength(2);
      await write("POST /api/candidates/{id}/edit", { ...params("jokes"), body: { type: "less", text: "long jokes" } });
      await soon(async () => (await find("jokes"))?.text).toContain("long jokes");
      await write("POST /api/candidates/{id}/snooze", { ...params("jokes"), body: { until: FAR } });
      await write("POST /api/candidates/{id}/promote", { ...params("jokes"), body: {} });
      await soon(async () => JSON.stringify(await read("GET /api/contract"))).toContain("long jokes");
      await write("POST /api/candidates/{id}/reject", { ...params("sighs"), body: {} });
      await soon(async () => (await find("sighs"))?.status).toBe("rejected");
    },
    "rules, replay and review": async () => {
      const standing = async () => JSON.stringify(await read("GET /api/rules/standing"));
      await write("POST /api/rules/standing", { body: { text: RULES } });
      await soon(standing).toContain("no-poems");
      const rule = { params: { id: "no-poems" } };
      await write("POST /api/rules/standing/{id}/enforce", rule);
      await soon(standing).toContain('"status":"enforced"');
      await write("POST /api/rules/standing/{id}/shadow", { ...rule, body: { until: FAR } });
      await soon(standing).toContain('"until":"2099');
      await write("DELETE /api/rules/standing/{id}", rule);
      await soon(standing).not.toContain('"no-poems"');
      const { agents } = await read("GET /api/rules");
      expect(agents).toMatchObject([{ agent: "demo", rules: [{ id: "own-one", effect: "shadow" }] }]);
      const checked = await read("POST /api/rules/check", { body: { text: RULES } });
      expect(checked).toMatchObject({ faults: [], rules: [{ id: "no-poems" }] });
      const tested = await read("POST /api/rules/test", { body: { text: RULES, cases: CASES } });
      expect(tested).toMatchObject({ faults: [], caseFaults: [], passed: 1, failures: [] });
      ids.replay = (await write("POST /api/replay", { body: { rules: RULES } })).id;
      await streamed("GET /api/replay/{id}/stream", params("replay"), () => undefined, /"done"/);
      expect(await read("GET /api/replay/{id}", params("replay"))).toMatchObject({ state: "done" });
      expect(await read("DELETE /api/replay/{id}", params("replay"))).toEqual({ calledOff: true });
      await gone(read("GET /api/replay/{id}", { params: { id: "rp_none" } }));
      expect(await write("POST /api/review/run")).toMatchObject({ outcome: "ran", record: { found: 1 } });
      expect((await read("GET /api/review/runs")).runs).toMatchObject([{ found: 1 }]);
      expect((await read("GET /api/adherence")).rows).toMatchObject([{ of: "rule", id: "careful", inForce: 1 }]);
    },
    "instructions and notes": async () => {
      const query = { agent: "demo" };
      await write("PATCH /api/instructions", { query, body: { after: 0, add: ["Use metric units."] } });
      const items = async () => JSON.stringify(await read("GET /api/instructions", { query }));
      expect(await items()).toContain("metric units");
      await write("POST /api/instructions/undo", { query, body: { after: 1 } });
      expect(await items()).not.toContain("metric units");
      const note = { id: "n-1", text: "tea, not coffee", at: 1 };
      await world.all[0]?.stores.memory.save({ user: "olga", agent: "demo" }, note);
      expect((await read("GET /api/memory", { query })).notes).toHaveLength(1);
      await write("DELETE /api/memory/{id}", { params: { id: "n-1" }, query });
      expect((await read("GET /api/memory", { query })).notes).toHaveLength(0);
    },
    schedules: async () => {
      const body = { agent: "demo", cron: "0 8 1 1 *", zone: "UTC", say: "hello" };
      ids.schedule = (await write("POST /api/schedules", { body })).id;
      await write("PATCH /api/schedules/{id}", { ...params("schedule"), body: { say: "bye" } });
      expect((await read("GET /api/schedules")).schedules).toMatchObject([{ say: "bye" }]);
      expect((await read("GET /api/schedules/{id}/runs", params("schedule"))).runs).toEqual([]);
      await write("DELETE /api/schedules/{id}", params("schedule"));
      expect((await read("GET /api/schedules")).schedules).toEqual([]);
    },
    "a pause": async () => {
      await write("POST /api/switches/pause", { body: { time: "10m" } });
      await soon(async () => (await read("GET /api/switches")).paused !== null).toBe(true);
      await write("DELETE /api/switches/pause");
      await soon(async () => (await read("GET /api/switches")).paused === null).toBe(true);
    },
    "figures, health and the console": async () => {
      expect((await read("GET /api/overview")).days.at(-1)).toMatchObject({ prompts: 2 });
      expect(await read("GET /api/figures")).toMatchObject({ total: { prompts: 2 } });
      const query = { since: Date.now() - 3_600_000, until: Date.now() };
      const { buckets } = await read("GET /api/measures", { query });
      expect(buckets.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(700);
      const same = await write("GET /api/health");
      expect(await read("GET /api/health")).toEqual(same);
      expect(same).toMatchObject({ status: "ok", store: "ok", governance: "ok" });
      expect(await read("GET /api/health/live")).toMatchObject({ status: "ok" });
      const { checks } = await read("GET /api/health/ready");
      expect(checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
        "store ok",
        "governance ok",
        "replica ok",
      ]);
      const { paths } = await read("GET /api/openapi.json");
      expect(Object.keys(paths)).toHaveLength(new Set(ROUTES.map(({ key }) => key.split(" ")[1])).size);
      expect((await read("GET /api/coverage")).columns).not.toEqual([]);
      expect(await read("GET /api/metrics")).toContain("conduct_replica_turns_running");
      const [here, there] = [await write("GET /api/system"), await read("GET /api/system")];
      expect(there.store).toMatchObject({ kind: "postgres", sessions: here.store.sessions, retentionDays: 30 });
      expect(there.receivers).toMatchObject([{ name: "ops", waiting: here.receivers[0]?.waiting }]);
      const { self: one, replicas } = await read("GET /api/replicas");
      const { self: other } = await write("GET /api/replicas");
      expect(replicas.map(({ id }) => id).toSorted()).toEqual([one, other].toSorted());
      const load = async ({ gateway }: { gateway: { url: string } }) => (await fetch(`${gateway.url}/`)).text();
      const [page = "", again] = await Promise.all(world.all.map(load));
      expect([page, page.includes("<html")]).toEqual([again, true]);
    },
    webhooks: async () => {
      const hooks = (await read("GET /api/webhooks")).webhooks;
      expect(hooks).toMatchObject([{ name: "ops" }]);
      const { id } = await write("POST /api/webhooks/{name}/test", { params: { name: "ops" } });
      const found = async () => {
        const { deliveries } = await read("GET /api/webhooks/deliveries", { query: { limit: 200 } });
        return deliveries.find((one) => one.id === id);
      };
      await soon(async () => (await found())?.state).toBe("failed");
      hooked.receiver.status = 200;
      await write("POST /api/webhooks/deliveries/{id}/retry", { params: { id } });
      await soon(async () => (await found())?.state).toBe("delivered");
      expect(hooked.receiver.ids.filter((one) => one === id)).toHaveLength(2);
    },
    "deleting a conversation": async () => {
      await write("DELETE /api/sessions/{id}", params("session"));
      await gone(read("GET /api/sessions/{id}", params("session")));
    },
  };

  it.each(Object.entries(rows))(
    "MNY-10 %s: written on one gateway, in force on the other",
    async (_, row) => void (await row()),
    PATIENT,
  );

  it("MNY-11 the table has a row for every route of the API", () => {
    expect(ROUTES.map(({ key }) => key).filter((key) => !called.has(key))).toEqual([]);
  });
});
