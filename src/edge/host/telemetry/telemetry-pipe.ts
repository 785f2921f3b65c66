import type { ConductEvent } from "../../../base/words/event.ts";
import type { ContractNews } from "../../../engine/governance/contract-service.ts";
import {
  type Attributes,
  encodeLog,
  encodeSpan,
  type OtlpSpan,
  otlpEnvelope,
  type TracePlace,
} from "./otlp-encoding.ts";
import { type OtlpLimits, otlpExporter } from "./otlp-exporter.ts";
import type { OtlpSettings } from "./otlp-settings.ts";
import { SessionTrace } from "./session-trace.ts";
import { type LogDraft, logOf, logOfChange, logOfReview } from "./telemetry-logs.ts";
import { TelemetryMetrics } from "./telemetry-metrics.ts";
import { NO_CONTRACT, tellWith } from "./turn-span.ts";

export type PipeOptions = { readonly settings: OtlpSettings; readonly content: "told" | "kept" };

export type PipeLimits = Omit<OtlpLimits, "timeoutMs"> & {
  /** Limit of open sessions. Beyond it the longest idle one is exported at once. */
  readonly maxSessions: number;
};

export const OTLP_RESOURCE = { "telemetry.sdk.name": "agent-conduct", "telemetry.sdk.language": "nodejs" };
/** The version of the attribute names. */
export const OTLP_SCOPE = { name: "agent-conduct", version: "1" };

export const OTLP_LIMITS = {
  ...{ maxItems: 10_000, maxCharacters: 8_000_000, batchItems: 512, batchCharacters: 1_000_000 },
  ...{ retryMs: 1_000, closeMs: 3_000 },
} as const;

/** Turns events into spans, log records and metrics, and queues them for the collector. */
export function telemetryPipe({ settings, content }: PipeOptions, limits: PipeLimits, since: number) {
  const all = { ...limits, timeoutMs: settings.timeoutMs };
  const resource = { ...settings.resource, ...OTLP_RESOURCE };
  const tell = tellWith(content);
  const spans = settings.traces && otlpExporter(settings.traces, otlpEnvelope("traces", resource, OTLP_SCOPE), all);
  const logs = settings.logs && otlpExporter(settings.logs, otlpEnvelope("logs", resource, OTLP_SCOPE), all);
  const totals = settings.metrics && otlpExporter(settings.metrics, otlpEnvelope("metrics", resource, OTLP_SCOPE), all);
  const metrics = new TelemetryMetrics(since);
  let measuredAt = since;
  /** Ordered by activity, longest idle first. */
  const sessions = new Map<string, SessionTrace>();
  let reportedDrops = 0;

  function push(ended: readonly OtlpSpan[]): void {
    for (const span of ended) {
      spans?.push(encodeSpan(span));
      metrics.takeSpan(span);
    }
  }

  function write(at: number, { attributes, content, ...draft }: LogDraft, common: Attributes, place?: TracePlace) {
    logs?.push(encodeLog({ ...draft, at, attributes: { ...common, ...tell(attributes, content) }, place }));
  }

  const counts = () => ({
    sent: { spans: spans?.state.sent ?? 0, logs: logs?.state.sent ?? 0 },
    dropped: { spans: spans?.state.dropped ?? 0, logs: logs?.state.dropped ?? 0 },
  });

  /** The figures are totals, so the next record makes up for a lost one. */
  function reportDrops(at: number, lost: number): void {
    const { dropped } = counts();
    const total = dropped.spans + dropped.logs + lost;
    // A collector that accepts nothing would drop this record too.
    if (total === reportedDrops || logs?.state.trouble !== undefined) return;
    reportedDrops = total;
    const attributes = {
      "conduct.telemetry.dropped.spans": dropped.spans,
      "conduct.telemetry.dropped.logs": dropped.logs,
      "conduct.telemetry.dropped.events": lost,
    };
    write(at, { name: "conduct.telemetry.dropped", severity: "warn", attributes }, {});
  }

  return {
    counts,
    /** Why the collector rejected the last request. */
    trouble: () => spans?.state.trouble ?? logs?.state.trouble ?? totals?.state.trouble,
    /** Is a turn or a session over, or a metric changed, to be exported later? */
    waiting: () => (totals && metrics.changed) || sessions.values().some(({ waiting }) => waiting),
    take(event: ConductEvent): void {
      const above = event.parent === undefined ? undefined : sessions.get(event.parent)?.place;
      const trace = sessions.get(event.session) ?? new SessionTrace(tell);
      sessions.delete(event.session);
      sessions.set(event.session, trace);
      push(trace.take(event, above));
      metrics.takeEvent(event, trace.common(event));
      const draft = logs && logOf(event);
      if (draft !== undefined) {
        const common = { ...trace.common(event), "conduct.event.id": event.id, "conduct.step": event.step };
        write(event.at, draft, common, trace.placeOf(event));
      }
      const [idle] = sessions;
      if (sessions.size <= limits.maxSessions || idle === undefined) return;
      sessions.delete(idle[0]);
      push(idle[1].finish());
    },
    takeNews(news: ContractNews): void {
      if (news.kind === "reviewed") {
        write(news.at, logOfReview(news), {});
        return;
      }
      const contract = news.kind === "accepted" ? news.contract : undefined;
      for (const change of news.events)
        write(change.at, logOfChange(change), {
          behavior_contract_hash: contract?.hash ?? NO_CONTRACT,
          "conduct.contract.version": contract?.version,
        });
    },
    /** Exports turns that were already over at the last call (`aged`), all that are over (`stopped`), or everything. */
    settle(how: "aged" | "stopped" | "open"): void {
      for (const [id, trace] of sessions) {
        const { spans: ended, over } = how === "open" ? { spans: trace.finish(), over: true } : trace.settle(how);
        push(ended);
        if (over) sessions.delete(id);
      }
    },
    /** Queues the metrics if their interval is over, or if nothing may be left (`all`). */
    measure(at: number, how: "due" | "all"): void {
      if (totals === undefined || !metrics.changed || (how === "due" && at - measuredAt < settings.metricsMs)) return;
      measuredAt = at;
      for (const metric of metrics.encode(at)) totals.push(metric);
    },
    /** Resolves once everything queued was sent or dropped. `lost` counts events dropped earlier. */
    async send(at: number, lost: number): Promise<void> {
      await Promise.all([spans?.send(), logs?.send(), totals?.send()]);
      reportDrops(at, lost);
      // Includes items that arrived during the last requests.
      await Promise.all([spans?.send(), logs?.send()]);
    },
    abort(): void {
      spans?.abort();
      logs?.abort();
      totals?.abort();
    },
  };
}
