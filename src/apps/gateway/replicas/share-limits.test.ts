import { expect, it } from "vitest";
import type { Clock } from "../../../base/ports/clock.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { openLimits } from "../http/serve.ts";
import { shareLimits } from "./share-limits.ts";

const clock: Clock = { now: () => 0, monotonic: () => 0 };
const RATE = { burst: 10, perMinute: 60 };

/** Two gateways whose messages reach each other at once. */
function twoGateways() {
  const dead = new Set<string>();
  const sent: JsonObject[] = [];
  const limits = [
    openLimits(clock, { rate: RATE, streams: 3 }),
    openLimits(clock, { rate: RATE, streams: 3 }),
  ] as const;
  const shared = limits.map((own, at) =>
    shareLimits({
      limits: own,
      self: () => `g${at}`,
      isAlive: (id) => !dead.has(id),
      hasOthers: () => true,
      async publish(bodies) {
        sent.push(...bodies);
        for (const body of bodies) shared[1 - at]?.hear(body);
      },
    }),
  );
  const code = (attempt: () => unknown) => {
    try {
      attempt();
      return "taken";
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
  };
  return { limits, dead, sent, code, close: () => shared.forEach((one) => void one.close()) };
}

it("LIM-20 requests sent to one gateway are counted by the other, each once", async () => {
  const { limits, sent, code, close } = twoGateways();
  const [a, b] = limits;
  for (let at = 0; at < 6; at++) a.rate.take("uma");
  for (let at = 0; at < 3; at++) b.rate.take("uma");
  await expect.poll(() => sent.length).toBe(2);
  // Nine of ten are spent; what a gateway hears is not sent on.
  for (const own of [a, b]) {
    expect(code(() => own.rate.take("uma"))).toBe("taken");
    expect(code(() => own.rate.take("uma"))).toBe("TOO_MANY_REQUESTS");
    expect(code(() => own.rate.take("ulf"))).toBe("taken");
  }
  close();
});

it("LIM-21 open streams count at both gateways until they are closed, or their gateway is gone", async () => {
  const { limits, dead, sent, code, close } = twoGateways();
  const [a, b] = limits;
  const [end] = [a.streams.take("uma"), a.streams.take("uma")];
  await expect.poll(() => sent.length).toBe(1);
  b.streams.take("uma");
  expect(code(() => b.streams.take("uma"))).toBe("TOO_MANY_STREAMS");
  await expect.poll(() => sent.length).toBe(2);
  expect(code(() => a.streams.take("uma"))).toBe("TOO_MANY_STREAMS");
  end();
  await expect.poll(() => sent.length).toBe(3);
  b.streams.take("uma");
  expect(code(() => b.streams.take("uma"))).toBe("TOO_MANY_STREAMS");
  dead.add("g0");
  expect(code(() => b.streams.take("uma"))).toBe("taken");
  close();
});
