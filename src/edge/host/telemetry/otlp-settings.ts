/** Headers may contain keys, so they are never shown. */
export type OtlpTarget = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type OtlpSettings = {
  readonly traces?: OtlpTarget;
  readonly logs?: OtlpTarget;
  readonly metrics?: OtlpTarget;
  /** Metrics are sent at this interval. */
  readonly metricsMs: number;
  readonly timeoutMs: number;
  readonly resource: Readonly<Record<string, string>>;
};

type ReadOtlpSettings =
  | { readonly kind: "on"; readonly settings: OtlpSettings }
  | { readonly kind: "off" }
  | { readonly kind: "wrong"; readonly problem: string };

type Env = Readonly<Record<string, string | undefined>>;

const BASE = "OTEL_EXPORTER_OTLP";
const TIMEOUT_MS = 10_000;
const INTERVAL_MS = 60_000;

/** Reads OpenTelemetry's environment variables; empty ones count as not set. */
export function readOtlpSettings(env: Env): ReadOtlpSettings {
  const value = (name: string) => env[name]?.trim() || undefined;
  if (value("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return { kind: "off" };
  try {
    const traces = readTarget(value, "TRACES");
    const logs = readTarget(value, "LOGS");
    const metrics = readTarget(value, "METRICS");
    if (traces === undefined && logs === undefined && metrics === undefined) return { kind: "off" };
    const settings = {
      traces,
      logs,
      metrics,
      metricsMs: readMilliseconds("OTEL_METRIC_EXPORT_INTERVAL", value, INTERVAL_MS),
      timeoutMs: readMilliseconds(`${BASE}_TIMEOUT`, value, TIMEOUT_MS),
      resource: readResource(value),
    };
    return { kind: "on", settings };
  } catch (error) {
    return { kind: "wrong", problem: error instanceof WrongSetting ? error.message : "its settings cannot be read" };
  }
}

class WrongSetting extends Error {}

type Value = (name: string) => string | undefined;

function readTarget(value: Value, signal: "TRACES" | "LOGS" | "METRICS"): OtlpTarget | undefined {
  if (value(`OTEL_${signal}_EXPORTER`)?.toLowerCase() === "none") return undefined;
  const own = value(`${BASE}_${signal}_ENDPOINT`);
  const shared = value(`${BASE}_ENDPOINT`);
  const name = own === undefined ? `${BASE}_ENDPOINT` : `${BASE}_${signal}_ENDPOINT`;
  const given = own ?? shared;
  if (given === undefined) return undefined;
  const url = readUrl(name, given);
  if (own === undefined) url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`;
  refuseGrpc(value, signal);
  const headers = {
    ...readPairs(`${BASE}_HEADERS`, value(`${BASE}_HEADERS`), readHeader),
    ...readPairs(`${BASE}_${signal}_HEADERS`, value(`${BASE}_${signal}_HEADERS`), readHeader),
  };
  return { url: url.href, headers };
}

function readUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new WrongSetting(`${name} must be an address such as http://127.0.0.1:4318`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new WrongSetting(`${name} must not contain a password; put it in ${BASE}_HEADERS as authorization=Basic%20…`);
  }
  return url;
}

/** Collectors accept JSON on the port of protobuf over HTTP; gRPC has its own port. */
function refuseGrpc(value: Value, signal: string): void {
  const own = `${BASE}_${signal}_PROTOCOL`;
  const name = value(own) === undefined ? `${BASE}_PROTOCOL` : own;
  if (value(name) !== "grpc") return;
  throw new WrongSetting(`${name} is grpc, but only http/json is supported; use the collector's HTTP port (4318)`);
}

function readMilliseconds(name: string, value: Value, usual: number): number {
  const text = value(name);
  const ms = text === undefined ? usual : Number(text);
  if (Number.isInteger(ms) && ms > 0 && ms <= 600_000) return ms;
  throw new WrongSetting(`${name} must be a number of milliseconds from 1 to 600000`);
}

function readResource(value: Value): Readonly<Record<string, string>> {
  const given = readPairs("OTEL_RESOURCE_ATTRIBUTES", value("OTEL_RESOURCE_ATTRIBUTES"), (pair) => pair);
  return { ...given, "service.name": value("OTEL_SERVICE_NAME") ?? given["service.name"] ?? "conduct" };
}

type Pair = readonly [name: string, value: string];

/** `name=value,name=value`, percent-encoded. */
function readPairs(
  variable: string,
  text: string | undefined,
  accept: (pair: Pair) => Pair | undefined,
): Record<string, string> {
  const parts = (text ?? "").split(",").filter((part) => part.trim() !== "");
  // The message never quotes the text: a value may be a key.
  const wrong = (at: number) =>
    new WrongSetting(`${variable} must be name=value pairs separated by commas; part ${at + 1} is not`);
  const pairs = parts.map((part, at) => {
    const sign = part.indexOf("=");
    const name = part.slice(0, sign).trim();
    const pair = sign < 1 || name === "" ? undefined : accept([name, decode(part.slice(sign + 1).trim())]);
    if (pair === undefined) throw wrong(at);
    return pair;
  });
  return Object.fromEntries(pairs);
}

/** A `%` that starts no escape sequence is literal. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Accepts only valid HTTP headers; names are lower-cased. */
function readHeader([name, value]: Pair): Pair | undefined {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? [name.toLowerCase(), value]
    : undefined;
}
