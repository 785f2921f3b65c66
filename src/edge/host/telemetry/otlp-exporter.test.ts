import { afterEach, describe, expect, it } from "vitest";
import { otlpEnvelope } from "./otlp-encoding.ts";
import { type OtlpLimits, otlpExporter } from "./otlp-exporter.ts";
import { type CollectorAnswer, startCollector } from "./test/telemetry-test-collector.ts";

const LIMITS: OtlpLimits = {
  maxItems: 100,
  maxCharacters: 10_000,
  batchItems: 10,
  batchCharacters: 1_000,
  retryMs: 1,
  timeoutMs: 5_000,
};

let collector: Awaited<ReturnType<typeof startCollector>>;
afterEach(() => collector.close());

async function start(answers: readonly CollectorAnswer[], limits: Partial<OtlpLimits> = {}) {
  const left = [...answers];
  collector = await startCollector(() => left.shift() ?? { status: 200 });
  const envelope = otlpEnvelope("traces", {}, { name: "test", version: "1" });
  const target = { url: `${collector.url}/v1/traces`, headers: { authorization: "Bearer k" } };
  return otlpExporter(target, envelope, { ...LIMITS, ...limits });
}

const item = (name: number | string) => JSON.stringify({ name: String(name), attributes: [] });

describe("otlpExporter", () => {
  it("OT10: the exporter sends batches in order, with the headers", async () => {
    const exporter = await start([]);
    for (let i = 0; i < 25; i++) exporter.push(item(i));
    await exporter.send();
    expect(collector.spans().map(({ name }) => name)).toEqual(Array.from({ length: 25 }, (_, i) => String(i)));
    expect(collector.requests).toHaveLength(3);
    expect(collector.requests[0]?.headers).toMatchObject({
      authorization: "Bearer k",
      "content-type": "application/json",
    });
    expect([exporter.state.sent, exporter.state.dropped, exporter.state.trouble]).toEqual([25, 0, undefined]);
  });

  it.each<{ what: string; answers: CollectorAnswer[]; requests: number; dropped: number; trouble?: string }>([
    { what: "400", answers: [{ status: 400 }], requests: 1, dropped: 2, trouble: "it answered 400" },
    { what: "401", answers: [{ status: 401 }], requests: 1, dropped: 2, trouble: "it answered 401" },
    { what: "500", answers: [{ status: 500 }], requests: 1, dropped: 2, trouble: "it answered 500" },
    { what: "503, then taken", answers: [{ status: 503 }], requests: 2, dropped: 0 },
    {
      what: "429 that asks for a pause, then taken",
      answers: [{ status: 429, headers: { "retry-after": "0" } }],
      requests: 2,
      dropped: 0,
    },
    {
      what: "503 twice",
      answers: [{ status: 503 }, { status: 503 }],
      requests: 2,
      dropped: 2,
      trouble: "it answered 503",
    },
    { what: "a closed connection, then taken", answers: ["close"], requests: 2, dropped: 0 },
    {
      what: "a closed connection twice",
      answers: ["close", "close"],
      requests: 2,
      dropped: 2,
      trouble: "it cannot be reached",
    },
    {
      what: "a redirect, which would carry the key elsewhere",
      answers: [{ status: 307, headers: { location: "/elsewhere" } }],
      requests: 1,
      dropped: 2,
      trouble: "it answered 307",
    },
    {
      what: "taken but for one",
      answers: [{ status: 200, body: '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}' }],
      requests: 1,
      dropped: 1,
    },
    { what: "taken, with nonsense", answers: [{ status: 200, body: "null" }], requests: 1, dropped: 0 },
    { what: "taken, with too much", answers: [{ status: 200, body: "x".repeat(500_000) }], requests: 1, dropped: 0 },
  ])(
    "OT11: the exporter retries or drops by the collector's response, $what: $requests requests, $dropped dropped",
    async ({ answers, requests, dropped, trouble }) => {
      const exporter = await start(answers);
      exporter.push(item("a"));
      exporter.push(item("b"));
      await exporter.send();
      expect(collector.requests).toHaveLength(requests);
      expect(exporter.state.dropped).toBe(dropped);
      expect(exporter.state.sent).toBe(2 - dropped);
      expect(exporter.state.trouble).toBe(trouble);
      // It goes on as soon as the collector does.
      exporter.push(item("c"));
      await exporter.send();
      expect(collector.spans().at(-1)?.name).toBe("c");
      expect(exporter.state.trouble).toBeUndefined();
    },
  );

  it("OT12: a collector that does not answer costs one timeout and no more", async () => {
    const exporter = await start(["hang", "hang"], { timeoutMs: 30 });
    exporter.push(item("a"));
    await exporter.send();
    expect([exporter.state.dropped, exporter.state.trouble]).toEqual([1, "it did not answer within 30 ms"]);
  });

  it("OT12: an abort cancels the exporter's current request", async () => {
    const exporter = await start(["hang"]);
    exporter.push(item("a"));
    const sending = exporter.send();
    exporter.push(item("b"));
    exporter.abort();
    await sending;
    expect(exporter.state.dropped).toBe(2);
  });

  it.each<{ limits: Partial<OtlpLimits>; kept: string[] }>([
    { limits: { maxItems: 2 }, kept: ["3", "4"] },
    { limits: { maxCharacters: 3 * item(0).length + 1 }, kept: ["2", "3", "4"] },
  ])(
    "OT13: the export queue is bounded by $limits, and the oldest items are dropped and counted",
    async ({ limits, kept }) => {
      const exporter = await start([], limits);
      for (let i = 0; i < 5; i++) exporter.push(item(i));
      await exporter.send();
      expect(collector.spans().map(({ name }) => name)).toEqual(kept);
      expect(exporter.state.dropped).toBe(5 - kept.length);
    },
  );

  it("OT13: a request is limited in characters too, but one item always fits", async () => {
    const exporter = await start([], { batchCharacters: 60 });
    for (const name of ["a", "x".repeat(500), "b"]) exporter.push(item(name));
    await exporter.send();
    expect(collector.requests).toHaveLength(3);
    expect(exporter.state.sent).toBe(3);
  });
});
