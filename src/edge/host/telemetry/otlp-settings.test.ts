import { describe, expect, it } from "vitest";
import { readOtlpSettings } from "./otlp-settings.ts";

const E = "OTEL_EXPORTER_OTLP_ENDPOINT";
const at = "http://127.0.0.1:4318";

describe("readOtlpSettings", () => {
  it.each([
    {},
    { [E]: "" },
    { [E]: "  " },
    { [E]: at, OTEL_SDK_DISABLED: "TRUE" },
    { [E]: at, OTEL_TRACES_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" },
  ])("OT01: telemetry exports nothing with %j", (env) => {
    expect(readOtlpSettings(env)).toEqual({ kind: "off" });
  });

  it.each([
    { env: { [E]: at }, traces: `${at}/v1/traces`, logs: `${at}/v1/logs` },
    { env: { [E]: `${at}/` }, traces: `${at}/v1/traces`, logs: `${at}/v1/logs` },
    { env: { [E]: `${at}/otlp/?k=1` }, traces: `${at}/otlp/v1/traces?k=1`, logs: `${at}/otlp/v1/logs?k=1` },
    { env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${at}/mine` }, traces: `${at}/mine`, logs: undefined },
    {
      env: { [E]: at, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "https://b/x" },
      traces: `${at}/v1/traces`,
      logs: "https://b/x",
    },
    { env: { [E]: at, OTEL_TRACES_EXPORTER: "none" }, traces: undefined, logs: `${at}/v1/logs` },
    {
      env: { [E]: at, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" },
      traces: `${at}/v1/traces`,
      logs: `${at}/v1/logs`,
    },
  ])("OT02: $env sends traces to $traces and logs to $logs", ({ env, traces, logs }) => {
    const read = readOtlpSettings(env);
    if (read.kind !== "on") throw new Error(JSON.stringify(read));
    expect([read.settings.traces?.url, read.settings.logs?.url]).toEqual([traces, logs]);
  });

  it("OT02: headers are decoded, a signal's headers override shared ones, and OTEL_SERVICE_NAME wins", () => {
    const read = readOtlpSettings({
      [E]: at,
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20YTpi==, x-team = blue ,odd=50%",
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: "X-Team=red",
      OTEL_SERVICE_NAME: "gateway",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=a%2Cb",
      OTEL_EXPORTER_OTLP_TIMEOUT: "250",
    });
    const shared = { authorization: "Basic YTpi==", odd: "50%" };
    expect(read).toMatchObject({
      kind: "on",
      settings: {
        traces: { headers: { ...shared, "x-team": "blue" } },
        logs: { headers: { ...shared, "x-team": "red" } },
        resource: { "service.name": "gateway", "deployment.environment.name": "a,b" },
        timeoutMs: 250,
      },
    });
  });

  it.each([
    { env: { [E]: "localhost:4318" }, says: `${E} must be an address` },
    { env: { [E]: "collector" }, says: `${E} must be an address` },
    { env: { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "file:///x" }, says: "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT must be" },
    { env: { [E]: "http://me:hunter2@h" }, says: "must not contain a password" },
    { env: { [E]: at, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, says: "only http/json is supported" },
    { env: { [E]: at, OTEL_EXPORTER_OTLP_HEADERS: "a=1,hunter2" }, says: "part 2 is not" },
    { env: { [E]: at, OTEL_EXPORTER_OTLP_HEADERS: "a=hunter2%0Ax" }, says: "part 1 is not" },
    { env: { [E]: at, OTEL_RESOURCE_ATTRIBUTES: "=hunter2" }, says: "OTEL_RESOURCE_ATTRIBUTES must be name=value" },
    { env: { [E]: at, OTEL_EXPORTER_OTLP_TIMEOUT: "10s" }, says: "OTEL_EXPORTER_OTLP_TIMEOUT must be" },
  ])("OT03: $env is rejected with the reason, and the error quotes no value", ({ env, says }) => {
    const read = readOtlpSettings(env);
    expect(read).toEqual({ kind: "wrong", problem: expect.stringContaining(says) });
    expect(JSON.stringify(read)).not.toContain("hunter2");
  });
});
