import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { liveWire } from "./live-wire.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Two gateways. `way` decides what becomes of the messages that the first one publishes. */
function twoGateways(way: (bodies: readonly JsonObject[]) => readonly JsonObject[]) {
  const got: unknown[] = [];
  const missed = vi.fn();
  const nobody = async () => undefined;
  const one: ReturnType<typeof liveWire> = liveWire({
    self: () => "one",
    publish: async (bodies) => way(bodies).forEach((body) => void other.hear(body)),
    tell: async (_to, news) => other.hear(news),
    deliver: nobody,
    onMissed: nobody,
  });
  const other: ReturnType<typeof liveWire> = liveWire({
    self: () => "other",
    publish: nobody,
    tell: async (_to, news) => one.hear(news),
    deliver: ({ at }) => got.push(at),
    onMissed: missed,
  });
  const beat = () => other.look([{ id: "one", sent: one.sent }]);
  beat();
  return { one, other, got, missed, beat };
}

const fates = fc.array(fc.constantFrom("arrives", "is lost", "arrives twice", "is late"), { maxLength: 60 });

describe("live messages between gateways", () => {
  it("MNY-20 every message arrives once and in order, whatever the way loses, doubles or reorders", async () => {
    await fc.assert(
      fc.asyncProperty(fates, async (given) => {
        const waiting: JsonObject[] = [];
        const fate = given.values();
        const { one, got, missed, beat } = twoGateways((bodies) =>
          bodies.flatMap((body) => {
            const what = fate.next().value;
            if (what === "is late") waiting.push(body);
            if (what === "is late" || what === "is lost") return [];
            return what === "arrives twice" ? [body, body] : [body, ...waiting.splice(0)];
          }),
        );
        for (const [at] of given.entries()) await one.send([{ at }]);
        // The second heartbeat asks for what has not arrived since the first.
        for (let times = 0; times < 2; times++) {
          beat();
          await vi.advanceTimersByTimeAsync(1_000);
        }
        expect(got).toEqual(given.map((_, at) => at));
        expect(missed).not.toHaveBeenCalled();
      }),
    );
  });

  it("MNY-21 a gap is closed without a heartbeat once a later message has arrived", async () => {
    const { one, got } = twoGateways((bodies) => bodies.filter(({ n }) => n !== 2));
    for (const at of [1, 2, 3]) await one.send([{ at }]);
    expect(got).toEqual([1]);
    await vi.advanceTimersByTimeAsync(250);
    expect(got).toEqual([1, 2, 3]);
  });

  it("MNY-22 messages that are no longer kept are reported, and the rest arrives", async () => {
    const { one, got, missed, beat } = twoGateways(() => []);
    for (let at = 0; at < 5_000; at++) await one.send([{ at }]);
    beat();
    beat();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(missed).toHaveBeenCalledOnce();
    expect(got).toEqual(Array.from({ length: 4_000 }, (_, at) => at + 1_000));
  });

  it("MNY-23 a gateway that starts later gets what is sent from then on, and one that numbers nothing asks nobody", async () => {
    const { one, other, got } = twoGateways(() => []);
    await one.send([{ at: 1 }]);
    other.look([{ id: "old" }]);
    other.look([{ id: "one", sent: one.sent }]);
    other.look([{ id: "one", sent: one.sent }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(got).toEqual([]);
  });
});
