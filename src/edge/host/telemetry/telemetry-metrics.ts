import type { ConductEvent } from "../../../base/words/event.ts";
import { type Attributes, encodeMetric, type MetricPoint, type OtlpSpan } from "./otlp-encoding.ts";
import { decisionAttributes } from "./turn-span.ts";

/** The bucket limits that the GenAI conventions advise. */
const SECONDS = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

const METRICS = {
  "gen_ai.invoke_agent.duration": { unit: "s", bounds: SECONDS },
  "gen_ai.execute_tool.duration": { unit: "s", bounds: SECONDS },
  "gen_ai.client.token.usage": { unit: "{token}", bounds: TOKENS },
  "conduct.decisions": { unit: "{decision}", bounds: undefined },
} as const;
type MetricName = keyof typeof METRICS;

/** OpenTelemetry's limit of attribute sets per metric. Beyond it, one point counts all others. */
const MAX_POINTS = 2_000;
const OVERFLOW = { "otel.metric.overflow": true };

const OF_TURN = [
  "gen_ai.operation.name",
  "gen_ai.agent.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "error.type",
];
const OF_CALL = ["gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.tool.name", "gen_ai.tool.type", "error.type"];
const OF_USAGE = ["gen_ai.provider.name", "gen_ai.request.model", "gen_ai.agent.name"];
const OF_DECISION = ["gen_ai.agent.name", "gen_ai.tool.name", "conduct.decision.kind", "conduct.decision.rule"];

/** Sums what happened since the start, as cumulative metrics. They contain no content and no ids. */
export class TelemetryMetrics {
  readonly #since: number;
  readonly #points = new Map<MetricName, Map<string, MetricPoint>>();
  /** Something changed since the last `encode`. */
  changed = false;

  constructor(since: number) {
    this.#since = since;
  }

  /** A turn, or a call that ran. A denied call took no time. */
  takeSpan({ attributes, start, end }: OtlpSpan): void {
    if (attributes["conduct.unfinished"] === true || attributes["conduct.call.outcome"] === "denied") return;
    const isTurn = attributes["gen_ai.operation.name"] === "invoke_agent";
    const name = isTurn ? "gen_ai.invoke_agent.duration" : "gen_ai.execute_tool.duration";
    this.#add(name, (end - start) / 1_000, pick(attributes, isTurn ? OF_TURN : OF_CALL));
  }

  takeEvent(event: ConductEvent, common: Attributes): void {
    if (event.type === "call") {
      this.#add("conduct.decisions", 1, pick({ ...common, ...decisionAttributes(event) }, OF_DECISION));
    }
    if (event.type !== "notice" || event.notice.kind !== "usage") return;
    const { inputTokens, outputTokens } = event.notice;
    // The convention requires a provider.
    const of = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "unknown", ...pick(common, OF_USAGE) };
    for (const [type, tokens] of [["input", inputTokens] as const, ["output", outputTokens] as const]) {
      if (tokens !== undefined) this.#add("gen_ai.client.token.usage", tokens, { ...of, "gen_ai.token.type": type });
    }
  }

  /** All metrics so far, for the exporter. */
  encode(at: number): readonly string[] {
    this.changed = false;
    return [...this.#points].map(([name, points]) =>
      encodeMetric({ name, ...METRICS[name], since: this.#since, at, points: [...points.values()] }),
    );
  }

  #add(name: MetricName, value: number, attributes: Attributes): void {
    this.changed = true;
    const points = this.#points.get(name) ?? new Map<string, MetricPoint>();
    this.#points.set(name, points);
    const own = JSON.stringify(attributes);
    const isFull = points.size >= MAX_POINTS && !points.has(own);
    const key = isFull ? "" : own;
    const { bounds = [] } = METRICS[name];
    const point = points.get(key) ?? {
      attributes: isFull ? OVERFLOW : attributes,
      count: 0,
      sum: 0,
      buckets: new Array<number>(bounds.length + 1).fill(0),
    };
    points.set(key, point);
    point.count += 1;
    point.sum += value;
    const bucket = bounds.findIndex((bound) => value <= bound);
    const at = bucket < 0 ? bounds.length : bucket;
    point.buckets[at] = (point.buckets[at] ?? 0) + 1;
  }
}

function pick(attributes: Attributes, names: readonly string[]): Attributes {
  return Object.fromEntries(
    names.flatMap((name) => (attributes[name] === undefined ? [] : [[name, attributes[name]] as const])),
  );
}
