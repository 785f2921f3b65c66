import type { ContractEvent } from "../../../base/words/contract.ts";
import type { ConductEvent, Fault } from "../../../base/words/event.ts";
import { readOtlpSettings } from "./otlp-settings.ts";
import type { PipeLimits, PipeOptions, TelemetryPipe } from "./telemetry-pipe.ts";

/** What telemetry listens to: a `Conduct`, or nothing where only the contract is changed. */
export type TelemetrySource = {
  subscribe?(listener: (event: ConductEvent) => void): () => void;
  /** Told once when the settings are wrong, and once each time the collector stops answering. */
  report?(fault: Fault): void;
};

/** What became of all there was to tell. `events` were dropped before they were spans or records. */
export type TelemetryCounts = {
  readonly sent: { readonly spans: number; readonly logs: number };
  readonly dropped: { readonly spans: number; readonly logs: number; readonly events: number };
};

/** Nothing here throws, rejects or makes a turn wait. */
export type Telemetry = {
  readonly counts: TelemetryCounts;
  /** The contract was changed: `contract` is as it is after that. */
  contractChanged(
    events: readonly ContractEvent[],
    contract: { readonly version: number; readonly hash: string } | undefined,
  ): void;
  /** Sends what is over by now, turns that have stopped among it. */
  flush(): Promise<void>;
  /** Sends everything, open turns too, within its time; what is left then is dropped. */
  close(): Promise<void>;
};

type Limits = PipeLimits & {
  readonly maxEvents: number;
  readonly delayMs: number;
  readonly closeMs: number;
};

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
 * Exports what happens as OpenTelemetry, when its variables name a collector; `undefined` otherwise, and then nothing was loaded.
 * A listener on the bus only puts the event aside: it is made into spans and records later, and sent beside the turn.
 */
export function startTelemetry(
  source: TelemetrySource,
  env: Readonly<Record<string, string | undefined>>,
  limits: Partial<Limits> = {},
): Telemetry | undefined {
  const read = readOtlpSettings(env);
  if (read.kind === "off") return undefined;
  if (read.kind === "wrong") {
    report(source, {
      where: "telemetry",
      code: "telemetry-settings",
      message: `Nothing is exported: ${read.problem}.`,
    });
    return undefined;
  }
  const content = env.CONDUCT_TELEMETRY_CONTENT === "1" ? "told" : "kept";
  return new RunningTelemetry(source, { settings: read.settings, content }, { ...LIMITS, ...limits });
}

type Waiting = { readonly event: ConductEvent } | { readonly changes: Parameters<Telemetry["contractChanged"]> };

class RunningTelemetry implements Telemetry {
  readonly #source: TelemetrySource;
  readonly #options: Pick<PipeOptions, "settings" | "content">;
  readonly #limits: Limits;
  readonly #unsubscribe: (() => void) | undefined;
  readonly #onExit = () => void this.close();
  #waiting: Waiting[] = [];
  #pipe: TelemetryPipe | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #loading: Promise<TelemetryPipe> | undefined;
  #closed: Promise<void> | undefined;
  #lost = 0;
  #troubled = false;

  constructor(source: TelemetrySource, options: Pick<PipeOptions, "settings" | "content">, limits: Limits) {
    this.#source = source;
    this.#options = options;
    this.#limits = limits;
    this.#unsubscribe = source.subscribe?.((event) => this.#add({ event: this.#detach(event) }));
    // For a host that never closes it: what waits goes out before the process ends by itself.
    process.once("beforeExit", this.#onExit);
  }

  get counts(): TelemetryCounts {
    const { sent, dropped } = this.#pipe?.counts ?? { sent: { spans: 0, logs: 0 }, dropped: { spans: 0, logs: 0 } };
    return { sent, dropped: { ...dropped, events: this.#lost } };
  }

  contractChanged(...changes: Parameters<Telemetry["contractChanged"]>): void {
    if (changes[0].length > 0) this.#add({ changes });
  }

  async flush(): Promise<void> {
    if (this.#closed !== undefined) return this.#closed;
    await keepAwake(this.#send("stopped"));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#unsubscribe?.();
    process.removeListener("beforeExit", this.#onExit);
    clearTimeout(this.#timer);
    const late = setTimeout(() => this.#pipe?.abort(), this.#limits.closeMs);
    try {
      await this.#send("open");
    } finally {
      clearTimeout(late);
    }
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
    // A process that is done need not wait for it.
    this.#timer.unref();
  }

  /** Events are made into spans and records at once, however slow the collector is: these are small and bounded. */
  async #send(how: "aged" | "stopped" | "open"): Promise<void> {
    try {
      this.#pipe ??= await this.#load();
      this.#takeWaiting(this.#pipe);
      this.#pipe.settle(how);
      if (this.#pipe.waiting) this.#schedule();
      await this.#pipe.send(Date.now(), this.#lost);
      this.#tellTrouble(this.#pipe.trouble);
    } catch {
      this.#lost += this.#waiting.splice(0).length;
    }
  }

  #load(): Promise<TelemetryPipe> {
    this.#loading ??= import("./telemetry-pipe.ts").then(
      ({ TelemetryPipe }) => new TelemetryPipe({ ...this.#options, limits: this.#limits }),
    );
    return this.#loading;
  }

  #takeWaiting(pipe: TelemetryPipe): void {
    for (const one of this.#waiting.splice(0)) {
      try {
        if ("event" in one) pipe.take(one.event);
        else for (const change of one.changes[0]) pipe.takeChange(change, one.changes[1]);
      } catch {
        // An event that cannot be read is one that is not told.
        this.#lost += 1;
      }
    }
  }

  /** Once for each time that it stops answering: the fault is an event too, and would come back here. */
  #tellTrouble(trouble: string | undefined): void {
    const was = this.#troubled;
    this.#troubled = trouble !== undefined;
    if (trouble === undefined || was || this.#closed !== undefined) return;
    const message = `The collector does not take telemetry: ${trouble}. What it does not take is dropped and counted.`;
    report(this.#source, { where: "telemetry", code: "telemetry-dropped", message });
  }

  /** With arguments of its own where they will be told: a runtime may change its objects in place before that. */
  #detach(event: ConductEvent): ConductEvent {
    if (event.type !== "call" || this.#options.content === "kept") return event;
    try {
      return { ...event, call: { ...event.call, args: structuredClone(event.call.args) } };
    } catch {
      return { ...event, call: { ...event.call, args: {} } };
    }
  }
}

function report(source: TelemetrySource, fault: Fault): void {
  try {
    source.report?.(fault);
  } catch {
    // Telemetry breaks nothing, its own complaints included.
  }
}

/** Somebody waits for it: the process must not end before. */
async function keepAwake(work: Promise<void>): Promise<void> {
  const awake = setInterval(() => {}, 60_000);
  try {
    await work;
  } finally {
    clearInterval(awake);
  }
}
