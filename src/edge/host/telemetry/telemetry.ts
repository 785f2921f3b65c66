import type { ContractEvent } from "../../../base/words/contract.ts";
import type { ConductEvent, Fault } from "../../../base/words/event.ts";
import { readOtlpSettings } from "./otlp-settings.ts";
import { type PipeLimits, type PipeOptions, TelemetryPipe } from "./telemetry-pipe.ts";

/** A `Conduct`, or empty if only the contract changes. */
export type TelemetrySource = {
  subscribe?(listener: (event: ConductEvent) => void): () => void;
  /** Called once for invalid settings, and once each time the collector stops answering. */
  report?(fault: Fault): void;
};

/** `events` were dropped before they became spans or records. */
type TelemetryCounts = {
  readonly sent: { readonly spans: number; readonly logs: number };
  readonly dropped: { readonly spans: number; readonly logs: number; readonly events: number };
};

/** No method throws, rejects or makes a turn wait. */
export type Telemetry = {
  readonly counts: TelemetryCounts;
  /** `contract` is the contract after the change. */
  contractChanged(
    events: readonly ContractEvent[],
    contract: { readonly version: number; readonly hash: string } | undefined,
  ): void;
  /** Sends everything that is finished by now. */
  flush(): Promise<void>;
  /** Sends everything, including open turns. Drops the rest on timeout. */
  close(): Promise<void>;
};

type Limits = PipeLimits & { readonly maxEvents: number; readonly delayMs: number; readonly closeMs: number };

const LIMITS: Limits = {
  maxEvents: 10_000,
  maxItems: 10_000,
  maxCharacters: 8_000_000,
  batchItems: 512,
  batchCharacters: 1_000_000,
  retryMs: 1_000,
  delayMs: 1_000,
  closeMs: 3_000,
  maxSessions: 1_000,
};

/**
 * Exports events if OpenTelemetry's variables name a collector; otherwise returns `undefined`. The bus listener only
 * queues events, so turns never wait for the conversion.
 */
export function startTelemetry(
  source: TelemetrySource,
  env: Readonly<Record<string, string | undefined>>,
  limits: Partial<Limits> = {},
): Telemetry | undefined {
  const read = readOtlpSettings(env);
  if (read.kind === "off") return undefined;
  if (read.kind === "wrong") {
    report(source, "telemetry-settings", `Nothing is exported: ${read.problem}.`);
    return undefined;
  }
  const content = env.CONDUCT_TELEMETRY_CONTENT === "1" ? "told" : "kept";
  return new RunningTelemetry(source, { settings: read.settings, content }, { ...LIMITS, ...limits });
}

type Waiting = { readonly event: ConductEvent } | { readonly changes: Parameters<Telemetry["contractChanged"]> };

class RunningTelemetry implements Telemetry {
  readonly #source: TelemetrySource;
  readonly #limits: Limits;
  readonly #pipe: TelemetryPipe;
  readonly #unsubscribe: (() => void) | undefined;
  readonly #onExit = () => void this.close();
  #waiting: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed: Promise<void> | undefined;
  #lost = 0;
  #troubled = false;

  constructor(source: TelemetrySource, options: PipeOptions, limits: Limits) {
    this.#source = source;
    this.#limits = limits;
    this.#pipe = new TelemetryPipe(options, limits);
    const copy = options.content === "told" ? copyArguments : (event: ConductEvent) => event;
    this.#unsubscribe = source.subscribe?.((event) => this.#add({ event: copy(event) }));
    // For hosts that never call `close`: sends the queue before the process exits.
    process.once("beforeExit", this.#onExit);
  }

  get counts(): TelemetryCounts {
    const { sent, dropped } = this.#pipe.counts;
    return { sent, dropped: { ...dropped, events: this.#lost } };
  }

  contractChanged(...changes: Parameters<Telemetry["contractChanged"]>): void {
    if (changes[0].length > 0) this.#add({ changes });
  }

  async flush(): Promise<void> {
    if (this.#closed !== undefined) return this.#closed;
    // The caller waits, so the process must stay alive until then.
    const awake = setInterval(() => {}, 60_000);
    await this.#send("stopped");
    clearInterval(awake);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#unsubscribe?.();
    process.removeListener("beforeExit", this.#onExit);
    clearTimeout(this.#timer);
    const late = setTimeout(() => this.#pipe.abort(), this.#limits.closeMs);
    await this.#send("open");
    clearTimeout(late);
  }

  #add(one: Waiting): void {
    if (this.#closed !== undefined) return;
    this.#waiting.push(one);
    if (this.#waiting.length > this.#limits.maxEvents) {
      this.#waiting.shift();
      this.#lost += 1;
    }
    if (this.#waiting.length === this.#limits.batchItems) setImmediate(() => void this.#send("aged"));
    else this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#closed !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#send("aged");
    }, this.#limits.delayMs);
    this.#timer.unref();
  }

  /** Never rejects. Events are converted at once, however slow the collector is. */
  async #send(how: "aged" | "stopped" | "open"): Promise<void> {
    try {
      this.#takeWaiting();
      this.#pipe.settle(how);
      if (this.#pipe.waiting) this.#schedule();
      await this.#pipe.send(Date.now(), this.#lost);
      this.#reportTrouble(this.#pipe.trouble);
    } catch {
      this.#lost += this.#waiting.splice(0).length;
    }
  }

  #takeWaiting(): void {
    for (const one of this.#waiting.splice(0)) {
      try {
        if ("event" in one) this.#pipe.take(one.event);
        else for (const change of one.changes[0]) this.#pipe.takeChange(change, one.changes[1]);
      } catch {
        // Drops only the malformed event.
        this.#lost += 1;
      }
    }
  }

  /** Reports once per outage: the fault is an event too and would loop back here. */
  #reportTrouble(trouble: string | undefined): void {
    const was = this.#troubled;
    this.#troubled = trouble !== undefined;
    if (trouble === undefined || was || this.#closed !== undefined) return;
    const message = `The collector does not take telemetry: ${trouble}. What it does not take is dropped and counted.`;
    report(this.#source, "telemetry-dropped", message);
  }
}

/** A runtime may change the arguments in place before they are exported. */
function copyArguments(event: ConductEvent): ConductEvent {
  if (event.type !== "call") return event;
  try {
    return { ...event, call: { ...event.call, args: structuredClone(event.call.args) } };
  } catch {
    return { ...event, call: { ...event.call, args: {} } };
  }
}

function report(source: TelemetrySource, code: string, message: string): void {
  try {
    source.report?.({ where: "telemetry", code, message });
  } catch {
    // A listener that throws must not break anything.
  }
}
