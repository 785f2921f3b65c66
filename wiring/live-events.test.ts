import { createClient } from "@redis/client";
import { describe, expect } from "vitest";
import { openTcpGate, throughGate } from "../bench/chaos/tcp-gate.ts";
import type { ConductEvent } from "../src/base/words/event.ts";
import { findRedis, startRedis } from "../src/edge/stores/test/servers/redis.ts";
import { converse, replicasWorld, TAKEOVER } from "./replicas-world.ts";
import type { Gateway } from "./shipped.ts";
import { wired } from "./wired.ts";

const { closing, twoMachines } = replicasWorld();
const STEPS = 9;
const SECRET = "a word that only people of this conversation may read";

/** What a client of the stream has got so far. */
function follow(gateway: Gateway, id: string) {
  const leaving = new AbortController();
  closing.push(() => leaving.abort());
  const got = { turns: [] as string[], text: "", events: [] as string[] };
  const stream = gateway.operator.stream("GET /api/sessions/{id}/stream", { params: { id } }, leaving.signal);
  void (async () => {
    for await (const { event, data } of stream) {
      if (event === "turn") got.turns.push(data.turn.status);
      if (event === "text") got.text += data.delta;
      if (event === "event") got.events.push(data.event.id);
    }
  })().catch(() => undefined);
  return got;
}

describe("live events of two shipped gateways", () => {
  wired(
    "CONDUCT_REDIS_URL",
    "WIR-940 a stream on one gateway misses nothing of a turn on the other, while Redis is cut off, loses connections, is killed and comes back",
    async () => {
      const program = findRedis();
      if (program === undefined) throw new Error("Redis is needed");
      const redis = await startRedis(program);
      closing.push(() => redis.stop());
      const gate = await openTcpGate(Number(new URL(redis.url).port));
      closing.push(() => gate.close());
      const { first, second, configure } = await twoMachines({ env: { CONDUCT_REDIS_URL: redis.url } });
      const gates = Array.from({ length: STEPS }, () => Promise.withResolvers<void>());
      let asked = 0;
      const model = await first.model(async () => {
        const step = asked++;
        await gates[step]?.promise;
        const text = `step ${step}: ${SECRET} `;
        return step === STEPS - 1 ? { text } : { text, calls: [{ name: "read_file", input: { path: "a.txt" } }] };
      });
      closing.push(() => gates.forEach(({ resolve }) => void resolve()));
      configure(model);
      for (const machine of [first, second]) machine.write({ ".conduct-work/reader/operator/a.txt": "hello" });
      const [a, b] = [
        await first.gateway(),
        await second.gateway([], { CONDUCT_REDIS_URL: throughGate(redis.url, gate) }),
      ];
      // Both say that they hear Redis, and one knows it of the other a heartbeat later.
      await expect
        .poll(async () => (await b.operator.call("GET /api/replicas")).replicas.map((one) => one.redis), TAKEOVER)
        .toEqual([true, true]);
      const talk = await converse(a);
      const got = follow(b, talk.id);
      const wire: string[] = [];
      const listener = createClient({ url: redis.url, socket: { reconnectStrategy: false } }).on(
        "error",
        () => undefined,
      );
      await listener.connect();
      await listener.pSubscribe("*", (message) => void wire.push(message));
      await talk.send(a, "begin");
      const soFar = (upTo: number) => Array.from({ length: upTo }, (_, step) => `step ${step}: ${SECRET} `).join("");
      const step = async (at: number) => {
        await expect.poll(() => asked, TAKEOVER).toBe(at + 1);
        gates[at]?.resolve();
      };
      await step(0);
      await step(1);
      await expect.poll(() => got.text, TAKEOVER).toBe(soFar(2));
      // The messages went over Redis, and sealed.
      expect(wire.length).toBeGreaterThan(2);
      expect(wire.join()).not.toContain("only people");
      // Nobody notices at first that nothing reaches the second gateway any more.
      gate.setCut(true);
      await step(2);
      await step(3);
      await expect.poll(() => got.text, TAKEOVER).toBe(soFar(4));
      gate.setCut(false);
      await redis.command("CLIENT", "KILL", "TYPE", "pubsub");
      await step(4);
      await redis.signal("SIGKILL");
      await step(5);
      await expect.poll(() => got.text, TAKEOVER).toBe(soFar(6));
      await redis.start();
      await step(6);
      await step(7);
      await step(8);
      await expect.poll(() => got.turns.at(-1), TAKEOVER).toBe("complete");
      expect(got.text).toBe(soFar(STEPS));
      expect(got.turns).toEqual(["queued", "running", "complete"]);
      const { events } = await b.operator.call("GET /api/sessions/{id}/events", { params: { id: talk.id } });
      const stored = (events as unknown as readonly ConductEvent[]).map(({ id }) => id).toReversed();
      await expect.poll(() => got.events, TAKEOVER).toEqual(stored);
    },
  );
});
