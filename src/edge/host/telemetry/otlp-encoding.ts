import { cutGraphemes, wellFormed } from "../../../base/kernel/text.ts";

/** `undefined` values are left out. */
export type Attributes = { readonly [name: string]: string | number | boolean | readonly string[] | undefined };

export type TracePlace = { readonly traceId: string; readonly spanId: string };

export type SpanEvent = { readonly at: number; readonly name: string; readonly attributes: Attributes };

/** Times are milliseconds since the epoch. `error` is a short code. */
export type OtlpSpan = TracePlace & {
  readonly parentSpanId?: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly droppedEvents: number;
  readonly error?: string;
};

export type LogSeverity = "info" | "warn" | "error";

export type OtlpLog = {
  readonly at: number;
  readonly name: string;
  readonly severity: LogSeverity;
  readonly attributes: Attributes;
  readonly place?: TracePlace;
};

/** Longer values are truncated. */
export const MAX_VALUE = 8_192;
const SEVERITY = { info: 9, warn: 13, error: 17 } as const;
/** OTLP constants: an internal span and an error status. */
const INTERNAL = 1;
const ERROR = 2;

export function encodeSpan(span: OtlpSpan): string {
  const { traceId, spanId, parentSpanId, name, start, end, error } = span;
  return JSON.stringify({
    traceId,
    spanId,
    parentSpanId,
    name: cutGraphemes(wellFormed(name), 256),
    kind: INTERNAL,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(Math.max(start, end)),
    attributes: encodeAttributes(span.attributes),
    events: span.events.map((event) => ({
      timeUnixNano: nanos(event.at),
      name: event.name,
      attributes: encodeAttributes(event.attributes),
    })),
    droppedEventsCount: span.droppedEvents || undefined,
    status: error === undefined ? {} : { code: ERROR, message: error },
  });
}

/** The name is also the body, for collectors that ignore event names. */
export function encodeLog({ at, name, severity, attributes, place }: OtlpLog): string {
  return JSON.stringify({
    timeUnixNano: nanos(at),
    observedTimeUnixNano: nanos(at),
    severityNumber: SEVERITY[severity],
    severityText: severity.toUpperCase(),
    eventName: name,
    body: { stringValue: name },
    attributes: encodeAttributes(attributes),
    ...place,
  });
}

/** One set of attributes of a metric: how often, and the sum of the values. */
export type MetricPoint = {
  readonly attributes: Attributes;
  count: number;
  sum: number;
  readonly buckets: number[];
};

/** A cumulative metric: a histogram if it has bounds, else a counter. */
export type OtlpMetric = {
  readonly name: string;
  readonly unit: string;
  readonly bounds: readonly number[] | undefined;
  readonly since: number;
  readonly at: number;
  readonly points: readonly MetricPoint[];
};

/** OTLP constant: totals since the start. */
const CUMULATIVE = 2;

export function encodeMetric({ name, unit, bounds, since, at, points }: OtlpMetric): string {
  const dataPoints = points.map(({ attributes, count, sum, buckets }) => ({
    attributes: encodeAttributes(attributes),
    startTimeUnixNano: nanos(since),
    timeUnixNano: nanos(at),
    ...(bounds === undefined
      ? { asInt: String(sum) }
      : { count: String(count), sum, explicitBounds: bounds, bucketCounts: buckets.map(String) }),
  }));
  const data = { aggregationTemporality: CUMULATIVE, dataPoints };
  return JSON.stringify({
    name,
    unit,
    ...(bounds === undefined ? { sum: { ...data, isMonotonic: true } } : { histogram: data }),
  });
}

/** One value: what is now, or a total since the start. */
export type OtlpFigure = {
  readonly name: string;
  readonly unit: string;
  readonly kind: "gauge" | "counter";
  readonly value: number;
  readonly attributes: Attributes;
  readonly since: number;
  readonly at: number;
};

export function encodeGauge({ name, unit, kind, value, attributes, since, at }: OtlpFigure): string {
  const point = { attributes: encodeAttributes(attributes), timeUnixNano: nanos(at), asDouble: value };
  if (kind === "gauge") return JSON.stringify({ name, unit, gauge: { dataPoints: [point] } });
  const dataPoints = [{ ...point, startTimeUnixNano: nanos(since) }];
  return JSON.stringify({ name, unit, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } });
}

const SIGNALS = {
  traces: ["resourceSpans", "scopeSpans", "spans"],
  logs: ["resourceLogs", "scopeLogs", "logRecords"],
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
} as const;

/** Wraps encoded spans, log records or metrics in the JSON of a request. */
export function otlpEnvelope(
  signal: keyof typeof SIGNALS,
  resource: Attributes,
  scope: { readonly name: string; readonly version: string },
): { readonly before: string; readonly after: string } {
  const [outer, inner, items] = SIGNALS[signal];
  const told = JSON.stringify({ attributes: encodeAttributes(resource) });
  return {
    before: `{"${outer}":[{"resource":${told},"${inner}":[{"scope":${JSON.stringify(scope)},"${items}":[`,
    after: "]}]}]}",
  };
}

function encodeAttributes(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  );
}

function encodeValue(value: string | number | boolean | readonly string[]): object {
  if (typeof value === "string") return { stringValue: cutGraphemes(wellFormed(value), MAX_VALUE) };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") {
    // 64 bits do not fit a JSON number, so OTLP writes integers as strings.
    if (Number.isSafeInteger(value)) return { intValue: String(value) };
    return Number.isFinite(value) ? { doubleValue: value } : { stringValue: String(value) };
  }
  return { arrayValue: { values: value.slice(0, 64).map((item) => encodeValue(item)) } };
}

function nanos(ms: number): string {
  return Number.isFinite(ms) && ms > 0 ? `${Math.trunc(ms)}000000` : "0";
}
