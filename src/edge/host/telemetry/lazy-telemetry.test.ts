import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { openConductFromEnv } from "../opening/open-conduct.ts";
import { lazyTelemetry } from "./lazy-telemetry.ts";
import { startCollector } from "./test/telemetry-test-collector.ts";

afterEach(() => vi.unstubAllEnvs());

it("OT60: without a collector no telemetry code is loaded or subscribed", () => {
  let subscribed = 0;
  const source = { subscribe: () => () => void subscribed++ };
  expect(lazyTelemetry(source, {})).toBeUndefined();
  expect(lazyTelemetry(source, { OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBeUndefined();
});

it("OT50: the telemetry modules are loaded on first use", async () => {
  const loaded: string[] = [];
  vi.resetModules();
  vi.doMock(import("./telemetry.ts"), async (original) => {
    loaded.push("telemetry");
    return original();
  });
  const fresh = await import("./lazy-telemetry.ts");
  expect(fresh.lazyTelemetry({}, {})).toBeUndefined();
  expect(loaded).toEqual([]);
  const collector = await startCollector();
  const telemetry = await fresh.lazyTelemetry({}, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await telemetry?.close();
  await collector.close();
  expect(loaded).toEqual(["telemetry"]);
  vi.doUnmock("./telemetry.ts");
});

it("OT61: openConductFromEnv exports a turn from its first event on, with the contract's hash", async () => {
  const collector = await startCollector();
  const home = mkdtempSync(join(tmpdir(), "conduct-otel-"));
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url);
  try {
    const conduct = openConductFromEnv({ agents: [defineAgent({ name: "agent" })], home, workspace: home });
    const session = conduct.session({ agent: "agent", user: "ann", sender: { id: "1", role: "operator" } });
    await session.onMessage({ text: "STOP: long reports\ngo on" });
    const { text } = await session.onPrompt();
    await session.onCall({ id: "c1", tool: "read_file", args: { path: "a" } });
    await session.onResult({ id: "c1", tool: "read_file" }, { outcome: "ok", parts: [] });
    await session.onStop({});
    session.notice({ kind: "ended" });
    await conduct.close();
    const hash = /hash=([0-9a-f]{20})/.exec(text)?.[1];
    const sent = JSON.stringify(collector.requests);
    expect(hash).toBeDefined();
    expect(sent).toContain(hash);
    expect(sent).toContain("behavior_contract_hash");
    expect(sent).not.toContain("long reports");
  } finally {
    await collector.close();
    rmSync(home, { recursive: true, force: true });
  }
});
