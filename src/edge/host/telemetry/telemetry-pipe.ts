import type { ContractEvent } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { encodeLog, encodeSpan, type OtlpSpan, otlpEnvelope } from "./otlp.ts";
import { OtlpExporter, type OtlpLimits } from "./otlp-exporter.ts";
import type { OtlpSettings } from "./otlp-settings.ts";
import { type LogDraft, logOf, logOfChange } from "./telemetry-logs.ts";
import { ATTR, LOG, NO_CONTRACT, RESOURCE, SCOPE } from "./telemetry-names.ts";
import { SessionTrace } from "./telemetry-session.ts";
import { type Tell, tellWith } from "./telemetry-tell.ts";

export type PipeOptions = {
  readonly settings: OtlpSettings;
  readonly content: "told" | "kept";
  readonly limits: PipeLimits;
};

export type PipeLimits = Omit<OtlpLimits, "timeoutMs"> & {
  /** Sessions that are followed at once; of the one that was quiet the longest the spans are told as they are. */
  readonly maxSessions: number;
};

/** Events and changes of the contract in, spans and log records out. */
export class TelemetryPipe {
  readonly #tell: Tell;
  readonly #maxSessions: number;
  readonly #spans: OtlpExporter | undefined;
  readonly #logs: OtlpExporter | undefined;
  /** The one that was quiet the longest comes first. */
  readonly #sessions = new Map<string, SessionTrace>();
  #toldDropped = 0;

  constructor({ settings, content, limits }: PipeOptions) {
    const { traces, logs, resource, timeoutMs } = settings;
    this.#tell = tellWith(content);
    this.#maxSessions = limits.maxSessions;
    const all = { ...limits, timeoutMs };
    const of = { ...resource, ...RESOURCE };
    this.#spans = traces && new OtlpExporter(traces, otlpEnvelope("traces", of, SCOPE), all);
    this.#logs = logs && new OtlpExporter(logs, otlpEnvelope("logs", of, SCOPE), all);
  }

  get counts() {
    return {
      sent: { spans: this.#spans?.sent ?? 0, logs: this.#logs?.sent ?? 0 },
      dropped: { spans: this.#spans?.dropped ?? 0, logs: this.#logs?.dropped ?? 0 },
    };
  }

  /** Why the collector did not take what was sent last. */
  get trouble(): string | undefined {
    return this.#spans?.trouble ?? this.#logs?.trouble;
  }

  /** A turn or a session is over, and is told when nothing more has come for it. */
  get waiting(): boolean {
    return [...this.#sessions.values()].some(({ waiting }) => waiting);
  }

  take(event: ConductEvent): void {
    const above = event.parent === undefined ? undefined : this.#sessions.get(event.parent)?.place;
    const trace = this.#sessions.get(event.session) ?? new SessionTrace(this.#tell);
    this.#sessions.delete(event.session);
    this.#sessions.set(event.session, trace);
    this.#push(trace.take(event, above));
    this.#log(event, trace);
    const [quiet] = this.#sessions;
    if (this.#sessions.size <= this.#maxSessions || quiet === undefined) return;
    this.#sessions.delete(quiet[0]);
    this.#push(quiet[1].finish());
  }

  takeChange(change: ContractEvent, contract: { readonly version: number; readonly hash: string } | undefined): void {
    const hash = { [ATTR.contractHash]: contract?.hash ?? NO_CONTRACT, [ATTR.version]: contract?.version };
    this.#write(change.at, logOfChange(change), hash);
  }

  /** `aged`: what was over at the last look already becomes spans. `stopped`: all that is over. `open`: everything. */
  settle(how: "aged" | "stopped" | "open"): void {
    for (const [id, trace] of this.#sessions) {
      const { spans, over } = how === "open" ? { spans: trace.finish(), over: true } : trace.settle(how);
      this.#push(spans);
      if (over) this.#sessions.delete(id);
    }
  }

  /** Resolves when all that waits was sent or dropped. `lost`: events that were dropped before they came here. */
  async send(at: number, lost: number): Promise<void> {
    await Promise.all([this.#spans?.send(), this.#logs?.send()]);
    this.#tellDropped(at, lost);
    // What came while the last requests were under way, too.
    await Promise.all([this.#spans?.send(), this.#logs?.send()]);
  }

  abort(): void {
    this.#spans?.abort();
    this.#logs?.abort();
  }

  /** The figures are totals: a record that is lost itself is made good by the next. */
  #tellDropped(at: number, lost: number): void {
    const { spans, logs } = this.counts.dropped;
    const total = spans + logs + lost;
    // To a collector that takes nothing it would be one more to drop.
    if (total === this.#toldDropped || this.#logs?.trouble !== undefined) return;
    this.#toldDropped = total;
    const attributes = { [ATTR.droppedSpans]: spans, [ATTR.droppedLogs]: logs, [ATTR.droppedEvents]: lost };
    this.#write(at, { name: LOG.dropped, severity: "warn", attributes }, {});
  }

  #push(spans: readonly OtlpSpan[]): void {
    if (this.#spans === undefined) return;
    for (const span of spans) this.#spans.push(encodeSpan(span));
  }

  #log(event: ConductEvent, trace: SessionTrace): void {
    const draft = this.#logs === undefined ? undefined : logOf(event);
    if (draft === undefined) return;
    const place = trace.placeOf(event);
    const common = { ...trace.common(event), [ATTR.event]: event.id, [ATTR.step]: event.step };
    this.#write(event.at, draft, common, place === undefined ? {} : { place });
  }

  #write(
    at: number,
    { name, severity, attributes, content }: LogDraft,
    common: Parameters<Tell>[0],
    more: { readonly place?: { readonly traceId: string; readonly spanId: string } } = {},
  ): void {
    const told = { ...common, ...this.#tell(attributes, content) };
    this.#logs?.push(encodeLog({ at, name, severity, attributes: told, ...more }));
  }
}
