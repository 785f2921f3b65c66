import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** The collector's response: a status with headers and a body, no response, or a closed connection. */
export type CollectorAnswer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | "hang"
  | "close";

export type CollectedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number; readonly message?: string };
};

export type CollectedLog = {
  readonly eventName: string;
  readonly severityText: string;
  readonly timeUnixNano: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
};

export type CollectedMetric = {
  readonly name: string;
  readonly unit: string;
  readonly instrument: "histogram" | "counter";
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly count: number;
    readonly sum: number;
  }[];
};

/** A local collector for tests: accepts OTLP as JSON and responds with `answer`. */
export async function startCollector(answer: (path: string, nth: number) => CollectorAnswer = () => ({ status: 200 })) {
  const requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[] = [];
  const taken: { readonly path: string; readonly text: string }[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const path = request.url ?? "";
    requests.push({ path, headers: request.headers, text });
    const given = answer(path, requests.length);
    if (given === "hang") return;
    if (given === "close") return void request.socket.destroy();
    if (given.status === 200) taken.push({ path, text });
    response.writeHead(given.status, { "content-type": "application/json", ...given.headers });
    response.end(given.body ?? "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const bodies = (path: string) => taken.filter((one) => one.path === path).map(({ text }) => JSON.parse(text));
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    bytes: () => requests.map(({ text }) => text).join("\n"),
    bodies,
    spans: (): CollectedSpan[] =>
      bodies("/v1/traces")
        .flatMap((body) => body.resourceSpans.flatMap((one: { scopeSpans: unknown[] }) => one.scopeSpans))
        .flatMap((scope) => scope.spans.map(plain)),
    logs: (): CollectedLog[] =>
      bodies("/v1/logs")
        .flatMap((body) => body.resourceLogs.flatMap((one: { scopeLogs: unknown[] }) => one.scopeLogs))
        .flatMap((scope) => scope.logRecords.map(plain)),
    metrics: (): CollectedMetric[] =>
      bodies("/v1/metrics")
        .flatMap((body) => body.resourceMetrics.flatMap((one: { scopeMetrics: unknown[] }) => one.scopeMetrics))
        .flatMap((scope) => scope.metrics.map(plainMetric)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Encoded = {
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly events?: readonly Encoded[];
};

type EncodedPoint = Encoded & { readonly count?: string; readonly sum?: number; readonly asInt?: string };
type EncodedMetric = { readonly name: string; readonly unit: string } & {
  readonly [data in "histogram" | "sum"]?: { readonly dataPoints: readonly EncodedPoint[] };
};

function plainMetric({ name, unit, histogram, sum }: EncodedMetric): CollectedMetric {
  const points = (histogram ?? sum)?.dataPoints ?? [];
  return {
    name,
    unit,
    instrument: histogram === undefined ? "counter" : "histogram",
    points: points.map((point) => ({
      attributes: plain(point).attributes,
      count: Number(point.count ?? 1),
      sum: Number(point.sum ?? point.asInt),
    })),
  };
}

/** Converts the attributes to one object. */
function plain(item: Encoded): { readonly attributes: Readonly<Record<string, unknown>> } {
  const attributes = Object.fromEntries(item.attributes.map(({ key, value }) => [key, plainValue(value)]));
  return { ...item, attributes, ...(item.events === undefined ? {} : { events: item.events.map(plain) }) };
}

function plainValue(value: Readonly<Record<string, unknown>>): unknown {
  const [[kind, inner] = []] = Object.entries(value);
  if (kind === "intValue") return Number(inner);
  if (kind !== "arrayValue") return inner;
  return (inner as { values: Readonly<Record<string, unknown>>[] }).values.map(plainValue);
}
