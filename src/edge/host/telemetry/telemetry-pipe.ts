import type { ContractEvent } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import {
  type Attributes,
  encodeLog,
  encodeSpan,
  type OtlpSpan,
  otlpEnvelope,
  type TracePlace,
} from "./otlp-encoding.ts";
import { OtlpExporter, type OtlpLimits } from "./otlp-exporter.ts";
import type { OtlpSettings } from "./otlp-settings.ts";
import { SessionTrace } from "./session-trace.ts";
import { type LogDraft, logOf, logOfChange } from "./telemetry-logs.ts";
import { NO_CONTRACT, type Tell, tellWith } from "./turn-span.ts";

export type PipeOptions = { readonly settings: OtlpSettings; readonly content: "told" | "kept" };

export type PipeLimits = Omit<OtlpLimits, "timeoutMs"> & {
  /** Limit of open sessions. Beyond it the longest idle one is exported at once. */
  readonly maxSessions: number;
};

const RESOURCE = { "telemetry.sdk.name": "agent-conduct", "telemetry.sdk.language": "nodejs" };
/** The version of the attribute names. */
const SCOPE = { name: "agent-conduct", version: "1" };

export class TelemetryPipe {
  readonly #tell: Tell;
  readonly #maxSessions: number;
  readonly #spans: OtlpExporter | undefined;
  readonly #logs: OtlpExporter | undefined;
  /** Ordered by activity, longest idle first. */
  readonly #sessions = new Map<string, SessionTrace>();
  #reportedDrops = 0;

  constructor({ settings, content }: PipeOptions, limits: PipeLimits) {
    const { traces, logs, timeoutMs } = settings;
    const all = { ...limits, timeoutMs };
    const resource = { ...settings.resource, ...RESOURCE };
    this.#tell = tellWith(content);
    this.#maxSessions = limits.maxSessions;
    this.#spans = traces && new OtlpExporter(traces, otlpEnvelope("traces", resource, SCOPE), all);
    this.#logs = logs && new OtlpExporter(logs, otlpEnvelope("logs", resource, SCOPE), all);
  }

  get counts() {
    return {
      sent: { spans: this.#spans?.sent ?? 0, logs: this.#logs?.sent ?? 0 },
      dropped: { spans: this.#spans?.dropped ?? 0, logs: this.#logs?.dropped ?? 0 },
    };
  }

  /** Why the collector rejected the last request. */
  get trouble(): string | undefined {
    return this.#spans?.trouble ?? this.#logs?.trouble;
  }

  /** Is a turn or a session over, to be exported at the next `settle`? */
  get waiting(): boolean {
    return this.#sessions.values().some(({ waiting }) => waiting);
  }

  take(event: ConductEvent): void {
    const above = event.parent === undefined ? undefined : this.#sessions.get(event.parent)?.place;
    const trace = this.#sessions.get(event.session) ?? new SessionTrace(this.#tell);
    this.#sessions.delete(event.session);
    this.#sessions.set(event.session, trace);
    this.#push(trace.take(event, above));
    this.#log(event, trace);
    const [idle] = this.#sessions;
    if (this.#sessions.size <= this.#maxSessions || idle === undefined) return;
    this.#sessions.delete(idle[0]);
    this.#push(idle[1].finish());
  }

  takeChange(change: ContractEvent, contract: { readonly version: number; readonly hash: string } | undefined): void {
    this.#write(change.at, logOfChange(change), {
      behavior_contract_hash: contract?.hash ?? NO_CONTRACT,
      "conduct.contract.version": contract?.version,
    });
  }

  /** Exports turns that were already over at the last call (`aged`), all that are over (`stopped`), or everything (`open`). */
  settle(how: "aged" | "stopped" | "open"): void {
    for (const [id, trace] of this.#sessions) {
      const { spans, over } = how === "open" ? { spans: trace.finish(), over: true } : trace.settle(how);
      this.#push(spans);
      if (over) this.#sessions.delete(id);
    }
  }

  /** Resolves once everything queued was sent or dropped. `lost` counts events dropped earlier. */
  async send(at: number, lost: number): Promise<void> {
    await Promise.all([this.#spans?.send(), this.#logs?.send()]);
    this.#reportDrops(at, lost);
    // Includes items that arrived during the last requests.
    await Promise.all([this.#spans?.send(), this.#logs?.send()]);
  }

  abort(): void {
    this.#spans?.abort();
    this.#logs?.abort();
  }

  /** The figures are totals, so the next record makes up for a lost one. */
  #reportDrops(at: number, lost: number): void {
    const { spans, logs } = this.counts.dropped;
    const total = spans + logs + lost;
    // A collector that accepts nothing would drop this record too.
    if (total === this.#reportedDrops || this.#logs?.trouble !== undefined) return;
    this.#reportedDrops = total;
    const attributes = {
      "conduct.telemetry.dropped.spans": spans,
      "conduct.telemetry.dropped.logs": logs,
      "conduct.telemetry.dropped.events": lost,
    };
    this.#write(at, { name: "conduct.telemetry.dropped", severity: "warn", attributes }, {});
  }

  #push(spans: readonly OtlpSpan[]): void {
    for (const span of spans) this.#spans?.push(encodeSpan(span));
  }

  #log(event: ConductEvent, trace: SessionTrace): void {
    const draft = logOf(event);
    if (this.#logs === undefined || draft === undefined) return;
    const common = { ...trace.common(event), "conduct.event.id": event.id, "conduct.step": event.step };
    this.#write(event.at, draft, common, trace.placeOf(event));
  }

  #write(at: number, { attributes, content, ...draft }: LogDraft, common: Attributes, place?: TracePlace): void {
    const all = { ...common, ...this.#tell(attributes, content) };
    this.#logs?.push(encodeLog({ ...draft, at, attributes: all, place }));
  }
}
