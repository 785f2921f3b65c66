import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import type { EventBody } from "../../../base/words/event.ts";
import { startTelemetry } from "./telemetry.ts";
import type { CollectorAnswer } from "./test/telemetry-test-collector.ts";
import { bus, collect, named, promptOf, start } from "./test/telemetry-test-start.ts";

describe("startTelemetry: a collector is never in the way", () => {
  it.each([{}, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "true" }])(
    "OT50: with %j telemetry subscribes to nothing and loads nothing",
    (env) => {
      const source = bus();
      expect(startTelemetry(source, env)).toBeUndefined();
      expect(source.listeners.size).toBe(0);
      expect(source.faults).toEqual([]);
    },
  );

  it("OT51: invalid telemetry settings are reported in one fault, and nothing is exported", () => {
    const source = bus();
    expect(startTelemetry(source, { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" })).toBeUndefined();
    expect(source.faults).toMatchObject([{ where: "telemetry", code: "telemetry-settings" }]);
    expect(source.faults[0]?.message).toContain("OTEL_EXPORTER_OTLP_ENDPOINT must be an address");
  });

  it.each<{ what: string; answer: CollectorAnswer }>([
    { what: "down", answer: "close" },
    { what: "slow", answer: "hang" },
    { what: "answering 400", answer: { status: 400 } },
    { what: "answering 500", answer: { status: 500 } },
  ])(
    "OT52: with a collector that is $what the turn continues; the drop is counted, logged once and exported later",
    async ({ answer }) => {
      let bad = true;
      const source = bus();
      const { telemetry, collector } = await start(source, {
        // For one that hangs: long enough for the good answer at the end, on a machine that others use too.
        env: answer === "hang" ? { OTEL_EXPORTER_OTLP_TIMEOUT: "400" } : {},
        answer: () => (bad ? answer : { status: 200 }),
      });
      for (let i = 0; i < 3; i++) {
        source.emit(promptOf(0));
        source.emit({ type: "stop", status: "complete", refusals: 0, bound: 5 });
        await telemetry.flush();
      }
      expect(telemetry.counts).toEqual({
        sent: { spans: 0, logs: 0 },
        dropped: { spans: 3, logs: 3, events: 0 },
      });
      expect(source.faults.map(({ code }) => code)).toEqual(["telemetry-dropped"]);
      bad = false;
      source.emit(promptOf(0));
      await telemetry.close();
      expect(telemetry.counts.sent).toEqual({ spans: 1, logs: 2 });
      expect(named(collector.logs(), "conduct.telemetry.dropped")[0]?.attributes).toEqual({
        "conduct.telemetry.dropped.spans": 3,
        "conduct.telemetry.dropped.logs": 3,
        "conduct.telemetry.dropped.events": 0,
      });
    },
  );

  it("OT53: waiting telemetry events are bounded, and an unreadable event loses only itself", async () => {
    const source = bus();
    const { telemetry, collector } = await start(source, { limits: { maxEvents: 3 } });
    for (let i = 0; i < 5; i++) source.emit({ type: "memory", note: `n${i}` });
    await telemetry.flush();
    source.emit({ type: "memory", note: "n5" });
    source.emit({ type: "call" } as EventBody);
    source.emit({ type: "memory", note: "n6" });
    await telemetry.close();
    const notes = named(collector.logs(), "conduct.memory").map(({ attributes }) => attributes["conduct.memory.note"]);
    expect(notes).toEqual(["n2", "n3", "n4", "n5", "n6"]);
    expect(telemetry.counts.dropped.events).toBe(3);
  });

  it("OT54: close gives up on a collector that hangs, and counts the dropped items", async () => {
    const source = bus();
    // Time enough for both requests to arrive, on a machine that others use too.
    const { telemetry, collector } = await start(source, { answer: () => "hang", limits: { closeMs: 1_000 } });
    source.emit(promptOf(0));
    await telemetry.close();
    expect(telemetry.counts.dropped).toEqual({ spans: 1, logs: 1, events: 0 });
    expect(source.listeners.size).toBe(0);
    source.emit(promptOf(0));
    await telemetry.close();
    await telemetry.flush();
    expect(collector.requests).toHaveLength(2);
  });

  it.each<{ what: string; answer: CollectorAnswer; taken: number }>([
    { what: "there", answer: { status: 200 }, taken: 1 },
    { what: "down", answer: "close", taken: 0 },
  ])(
    "OT54: a process that exits by itself first sends its telemetry, with a collector that is $what",
    async ({ answer, taken }) => {
      const collector = await collect(() => answer);
      const script = `
      import { startTelemetry } from ${JSON.stringify(new URL("./telemetry.ts", import.meta.url).href)};
      const event = { v: 1, id: "e", seq: 1, at: 1, session: "s", agent: "a", run: "r", turn: 1, type: "memory", note: "n" };
      startTelemetry({ subscribe: (listener) => (listener(event), () => {}) }, process.env, { retryMs: 1 });
    `;
      const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
      const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { env });
      expect((await run).stdout).toBe("");
      expect(collector.logs()).toHaveLength(taken);
    },
  );

  it("OT55: telemetry is sent periodically, and a stopped turn waits one more interval for late events", async () => {
    const source = bus();
    const { telemetry, collector } = await start(source, { limits: { delayMs: 5 } });
    source.emit(promptOf(0));
    source.emit({ type: "stop", status: "complete", refusals: 0, bound: 5 });
    source.emit({ type: "notice", notice: { kind: "usage", inputTokens: 8 } });
    await vi.waitFor(() => expect(telemetry.counts.sent).toEqual({ spans: 1, logs: 2 }), 5_000);
    expect(collector.spans()[0]?.attributes["gen_ai.usage.input_tokens"]).toBe(8);
  });
});
