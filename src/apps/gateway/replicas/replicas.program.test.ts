import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ToolCall } from "../../../base/words/call.ts";
import { ask } from "../../../behavior/policy/policy-decision.ts";
import { findPostgres, startPostgres, type TestPostgres } from "../../../edge/stores/test/servers/postgres.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { conductClient } from "../client.ts";
import { replicaWorld } from "./test/test-replicas.ts";

const PATIENT = 60_000;
const asks = {
  name: "careful",
  check: ({ tool }: ToolCall) => (tool === "deploy" ? ask("Deploy now?") : ({ kind: "allow" } as const)),
};
const AGENT = defineAgent({ name: "demo", tools: [{ name: "deploy" }, { name: "look" }], policies: [asks] });
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const programs = findPostgres();
describe.skipIf(programs === undefined)("gateways that share a PostgreSQL", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres(programs ?? "");
    return () => server.stop();
  }, PATIENT);

  /** Two gateways, with a client for the same operator on each. */
  async function twoReplicas() {
    const world = await replicaWorld(await server.createSchema(), ["a", "b"], { agents: [AGENT] });
    closing.push(() => world.close());
    const [a, b] = world.all;
    if (a === undefined || b === undefined) throw new Error("two replicas are expected");
    const { secret } = await a.person("olga", "operator");
    const at = ({ gateway }: typeof a) => conductClient({ url: gateway.url, token: secret });
    const clients = [at(a), at(b)] as const;
    const { id } = await clients[0].call("POST /api/sessions", { body: { agent: "demo" } });
    const send = (to: 0 | 1, text: string, wait = false) =>
      clients[to].call("POST /api/sessions/{id}/messages", {
        params: { id },
        query: { wait: String(wait) },
        body: { text },
      });
    const heldTurn = async (text: string) => {
      await expect.poll(() => world.turns.held.some((turn) => turn.text === text), { timeout: 20_000 }).toBe(true);
      const turn = world.turns.held.find((one) => one.text === text);
      if (turn === undefined) throw new Error(`no turn '${text}'`);
      return turn;
    };
    const statuses = async () =>
      (await clients[1].call("GET /api/sessions/{id}", { params: { id } })).turns.map(({ status }) => status);
    closing.push(() => pause(false));
    const pause = (isPaused: boolean) => {
      a.paused.now = isPaused;
    };
    return { ...world, a, b, clients, id, send, heldTurn, statuses, pause };
  }

  it(
    "MNY-1 messages sent to both gateways in turn run once each, in order, one at a time",
    async () => {
      const { send, turns, clients, id } = await twoReplicas();
      const texts = Array.from({ length: 12 }, (_, at) => `message ${at}`);
      for (const [at, text] of texts.entries()) await send(at % 2 === 0 ? 0 : 1, text);
      const last = await send(1, "the last", true);
      expect(last).toMatchObject({ status: "complete", answer: "did the last" });
      const expected = [...texts, "the last"].flatMap((text) => [`begins ${text}`, `ends ${text}`]);
      expect(turns.log.map((line) => line.slice(2))).toEqual(expected);
      const { turns: shown } = await clients[0].call("GET /api/sessions/{id}", { params: { id } });
      expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(["complete"]));
    },
    PATIENT,
  );

  it(
    "MNY-2 a message to the other gateway queues behind the running turn and runs at its owner",
    async () => {
      const { send, heldTurn, turns, statuses } = await twoReplicas();
      await send(0, "hold one");
      const first = await heldTurn("hold one");
      const second = send(1, "two", true);
      await expect.poll(statuses, { timeout: 10_000 }).toEqual(["queued", "running"]);
      first.end();
      expect(await second).toMatchObject({ status: "complete", answer: "did two" });
      expect(turns.log).toEqual(["a begins hold one", "a ends hold one", "a begins two", "a ends two"]);
    },
    PATIENT,
  );

  it(
    "MNY-3 cancel, steer and the stream reach a turn of the other gateway",
    async () => {
      const { send, heldTurn, clients, id, turns } = await twoReplicas();
      const seen: string[] = [];
      const leaving = new AbortController();
      closing.push(() => leaving.abort());
      const stream = clients[1].stream("GET /api/sessions/{id}/stream", { params: { id } }, leaving.signal);
      void (async () => {
        for await (const { event, data } of stream)
          seen.push("delta" in data ? `text ${data.delta}` : event === "turn" ? data.turn.status : event);
      })().catch(() => undefined);
      const running = await send(0, "hold one");
      const first = await heldTurn("hold one");
      const steered = await clients[1].call("POST /api/sessions/{id}/messages", {
        params: { id },
        body: { text: "also this", steer: true },
      });
      expect([steered.id, first.steered]).toEqual([running.id, ["also this"]]);
      const heard = () => {
        first.say("hello");
        return seen;
      };
      await expect.poll(heard, { timeout: 10_000, interval: 200 }).toContain("text hello");
      await send(1, "queued");
      expect(await clients[1].call("POST /api/sessions/{id}/cancel", { params: { id } })).toEqual({ cancelled: 2 });
      await expect.poll(() => seen.filter((one) => one === "cancelled").length, { timeout: 10_000 }).toBe(2);
      expect(turns.log).toEqual(["a begins hold one", "a ends hold one"]);
    },
    PATIENT,
  );

  it(
    "MNY-4 a paused owner's turn is interrupted, the next one runs elsewhere, and nothing the owner writes later counts",
    async () => {
      const { send, heldTurn, turns, statuses, pause, a, id, clients } = await twoReplicas();
      await send(0, "hold one");
      const first = await heldTurn("hold one");
      const second = send(1, "two", true);
      await expect.poll(statuses, { timeout: 10_000 }).toEqual(["queued", "running"]);
      pause(true);
      expect(await second).toMatchObject({ status: "complete" });
      expect(await statuses()).toEqual(["complete", "interrupted"]);
      // As after SIGCONT: the old owner goes on before it has noticed anything.
      await expect(first.keep([{ role: "assistant", text: "stale" }])).rejects.toMatchObject({ code: "LEASE_LOST" });
      expect((await first.session.onCall({ id: "c1", tool: "look", args: {} } as never)).kind).toBe("deny");
      first.end({ text: "stale" });
      pause(false);
      await expect.poll(() => a.reported.join(), { timeout: 20_000 }).toContain("have taken over its conversations");
      expect(await statuses()).toEqual(["complete", "interrupted"]);
      const { turns: shown } = await clients[0].call("GET /api/sessions/{id}", { params: { id } });
      expect(shown[1]?.answer).toBeUndefined();
      expect(turns.log.slice(0, 3)).toEqual(["a begins hold one", "b begins two", "b ends two"]);
      // The old owner has a new id and works again.
      expect(await send(0, "three", true)).toMatchObject({ status: "complete", answer: "did three" });
    },
    PATIENT,
  );

  it(
    "MNY-8 a lease whose owner never learned that it has it is free after a heartbeat",
    async () => {
      const { a, b, id } = await twoReplicas();
      // As if the answer of the database had been lost on the way.
      expect(await a.stores.replicas.take(id)).toMatchObject({ kind: "mine" });
      const taken = async () => (await b.stores.replicas.take(id)).kind;
      await expect.poll(taken, { timeout: PATIENT / 2 }).toBe("mine");
    },
    PATIENT,
  );

  it(
    "MNY-9 a gateway that was frozen interrupts its turns as soon as it wakes up",
    async () => {
      const { send, heldTurn, statuses } = await twoReplicas();
      await send(0, "hold one");
      await heldTurn("hold one");
      // Nothing of this process runs, as after SIGSTOP.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
      await expect.poll(statuses, { timeout: PATIENT / 2 }).toEqual(["interrupted"]);
    },
    PATIENT,
  );

  it(
    "MNY-5 a question asked by one gateway is listed and answered on the other, and the first answer wins",
    async () => {
      const { send, heldTurn, clients } = await twoReplicas();
      await send(0, "hold one");
      const { session, end } = await heldTurn("hold one");
      const decided = session.decide({ id: "c1", tool: "deploy", args: {} } as never);
      const asked = async () => (await clients[1].call("GET /api/approvals")).approvals;
      await expect.poll(async () => (await asked()).length, { timeout: 10_000 }).toBe(1);
      const [question] = await asked();
      const answer = (to: 0 | 1, word: "yes" | "no") =>
        clients[to].call("POST /api/approvals/{id}", {
          params: { id: question?.approval ?? "" },
          body: { answer: word },
        });
      expect(question).toMatchObject({
        user: "olga",
        tool: "deploy",
        question: expect.stringContaining("Deploy now?"),
      });
      expect(await answer(1, "yes")).toMatchObject({ answer: "yes", by: "olga" });
      expect((await decided).kind).toBe("allow");
      await expect(answer(0, "no")).rejects.toMatchObject({ code: "NOT_FOUND" });
      end();
    },
    PATIENT,
  );

  it(
    "MNY-6 every kind of write on one gateway is in force on the other",
    async () => {
      const { clients, id, send, a, b, heldTurn, statuses } = await twoReplicas();
      const [one, two] = clients;
      const soon = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 10_000 });

      const { agents } = await one.call("GET /api/agents");
      expect(agents.map(({ name }) => name)).toContain("demo");
      await one.call("PUT /api/agents/{name}", {
        params: { name: "demo" },
        body: { after: 0, definition: { soul: "You answer in rhymes." }, reason: "a test" },
      });
      await soon(async () => (await two.call("GET /api/agents/{name}", { params: { name: "demo" } })).soul).toBe(
        "You answer in rhymes.",
      );

      await two.call("POST /api/users", { body: { id: "bea", name: "Bea", role: "user" } });
      expect((await one.call("GET /api/users")).users.map(({ id: user }) => user)).toContain("bea");

      const schedule = { agent: "demo", cron: "0 8 1 1 *", zone: "UTC", say: "hello" };
      await one.call("POST /api/schedules", { body: schedule });
      expect((await two.call("GET /api/schedules")).schedules).toMatchObject([{ say: "hello" }]);

      await one.call("PUT /api/sessions/{id}/custom", { params: { id }, body: { custom: ["vip"] } });
      await send(0, "hold it");
      const held = await heldTurn("hold it");
      // The owner runs a turn, so these travel to it.
      const modes = await two.call("POST /api/sessions/{id}/elevation", { params: { id }, body: { time: "10m" } });
      expect([modes.elevated, held.session.modes.elevated]).toEqual([true, true]);
      expect((await two.call("DELETE /api/sessions/{id}/elevation", { params: { id } })).elevated).toBe(false);
      expect(await two.call("GET /api/sessions/{id}/classification", { params: { id } })).toBeDefined();

      const { self, replicas } = await two.call("GET /api/replicas");
      expect(replicas).toHaveLength(2);
      expect(replicas.find(({ id: replica }) => replica !== self)?.owns).toEqual([id]);
      expect(await two.call("GET /api/metrics")).toContain("conduct_replica_heartbeat_seconds");

      await two.call("DELETE /api/sessions/{id}", { params: { id } });
      await expect(one.call("GET /api/sessions/{id}", { params: { id } })).rejects.toMatchObject({ status: 404 });
      expect([a.gateway.conversations.live, b.gateway.conversations.live]).toEqual([0, 0]);
      await expect(statuses()).rejects.toMatchObject({ status: 404 });
    },
    PATIENT,
  );

  it(
    "MNY-7 a gateway that closes leaves its queued turns to the other, and is not ready while it drains",
    async () => {
      const { send, heldTurn, a, statuses, turns, clients } = await twoReplicas();
      await send(0, "hold one");
      const first = await heldTurn("hold one");
      const second = send(1, "two", true);
      await expect.poll(statuses, { timeout: 10_000 }).toEqual(["queued", "running"]);
      const closed = a.gateway.close(20_000);
      await expect
        .poll(
          async () => (await clients[1].call("GET /api/replicas")).replicas.filter(({ draining }) => draining).length,
        )
        .toBe(1);
      first.end();
      await closed;
      expect(await second).toMatchObject({ status: "complete" });
      expect(turns.log).toEqual(["a begins hold one", "a ends hold one", "b begins two", "b ends two"]);
      expect((await clients[1].call("GET /api/replicas")).replicas).toHaveLength(1);
    },
    PATIENT,
  );
});
