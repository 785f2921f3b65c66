import type { ConductEvent, Fault } from "../../../base/words/event.ts";
import type { ContractNews } from "../../../engine/governance/contract-service.ts";
import { readOtlpSettings } from "./otlp-settings.ts";
import { OTLP_LIMITS, type PipeLimits, type PipeOptions, telemetryPipe } from "./telemetry-pipe.ts";

/** A `Conduct`, or empty if only the contract changes. */
export type TelemetrySource = {
  subscribe?(listener: (event: ConductEvent) => void): () => void;
  /** Called once for invalid settings, and once each time the collector stops answering. */
  report?(fault: Fault): void;
};

/** No method throws, rejects or makes a turn wait. */
export type Telemetry = ReturnType<typeof runTelemetry>;

type Limits = PipeLimits & { readonly maxEvents: number; readonly delayMs: number; readonly closeMs: number };

const LIMITS: Limits = {
  ...OTLP_LIMITS,
  maxEvents: 10_000,
  delayMs: 1_000,
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
  return runTelemetry(source, { settings: read.settings, content }, { ...LIMITS, ...limits });
}

function runTelemetry(source: TelemetrySource, options: PipeOptions, limits: Limits) {
  const pipe = telemetryPipe(options, limits, Date.now());
  /** What to convert, later. */
  const waiting: (() => void)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed: Promise<void> | undefined;
  let lost = 0;
  let isTroubled = false;

  function add(convert: () => void): void {
    if (closed !== undefined) return;
    waiting.push(convert);
    if (waiting.length > limits.maxEvents) {
      waiting.shift();
      lost += 1;
    }
    if (waiting.length === limits.batchItems) setImmediate(() => void send("aged"));
    else schedule();
  }

  function schedule(): void {
    if (timer !== undefined || closed !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void send("aged");
    }, limits.delayMs).unref();
  }

  /** Never rejects. Events are converted at once, however slow the collector is. */
  async function send(how: "aged" | "stopped" | "open"): Promise<void> {
    try {
      for (const convert of waiting.splice(0)) {
        try {
          convert();
        } catch {
          // Drops only the malformed event.
          lost += 1;
        }
      }
      pipe.settle(how);
      pipe.measure(Date.now(), how === "aged" ? "due" : "all");
      if (pipe.waiting()) schedule();
      await pipe.send(Date.now(), lost);
      reportTrouble(pipe.trouble());
    } catch {
      lost += waiting.splice(0).length;
    }
  }

  /** Reports once per outage: the fault is an event too and would loop back here. */
  function reportTrouble(trouble: string | undefined): void {
    const was = isTroubled;
    isTroubled = trouble !== undefined;
    if (trouble === undefined || was || closed !== undefined) return;
    report(
      source,
      "telemetry-dropped",
      `The collector rejects telemetry: ${trouble}. Rejected items are dropped and counted.`,
    );
  }

  async function end(): Promise<void> {
    unsubscribe?.();
    process.removeListener("beforeExit", close);
    clearTimeout(timer);
    const late = setTimeout(() => pipe.abort(), limits.closeMs);
    await send("open");
    clearTimeout(late);
  }

  /** Sends everything, including open turns. Drops the rest on timeout. */
  function close(): Promise<void> {
    closed ??= end();
    return closed;
  }

  const copy = options.content === "told" ? copyArguments : (event: ConductEvent) => event;
  const unsubscribe = source.subscribe?.((event) => {
    const own = copy(event);
    add(() => pipe.take(own));
  });
  // For hosts that never call `close`: sends the queue before the process exits.
  process.once("beforeExit", close);

  return {
    close,
    /** `events` were dropped before they became spans or records. */
    get counts() {
      const { sent, dropped } = pipe.counts();
      return { sent, dropped: { ...dropped, events: lost } };
    },
    /** Exports changes of the contract, promotions and finished reviews. */
    governance(news: ContractNews): void {
      add(() => pipe.takeNews(news));
    },
    /** Sends everything that is finished by now. */
    async flush(): Promise<void> {
      if (closed !== undefined) return closed;
      // The caller waits, so the process must stay alive until then.
      const awake = setInterval(() => {}, 60_000);
      await send("stopped");
      clearInterval(awake);
    },
  };
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
