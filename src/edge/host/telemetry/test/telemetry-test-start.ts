import { onTestFinished } from "vitest";
import type { ConductEvent, EventBody, Fault } from "../../../../base/words/event.ts";
import type { AgentInput } from "../../../../engine/agent/define-agent.ts";
import { testConduct } from "../../../../engine/session/test/test-conduct.ts";
import { orderPolicy } from "../../../../engine/session/test/test-play.ts";
import { memoryStores } from "../../../stores/home-stores.ts";
import { startTelemetry, type Telemetry, type TelemetrySource } from "../telemetry.ts";
import { type CollectorAnswer, startCollector } from "./telemetry-test-collector.ts";

export const operator = { id: "1", user: "ada", role: "operator" } as const;

type More = {
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Parameters<typeof startTelemetry>[2];
  readonly answer?: (path: string, nth: number) => CollectorAnswer;
};

/** A collector that is closed after the test. */
export async function collect(answer?: More["answer"]) {
  const collector = await startCollector(answer);
  onTestFinished(() => collector.close());
  return collector;
}

/** Telemetry with its own collector. Only `flush` and `close` send, unless the limits say otherwise. */
export async function start(source: TelemetrySource, { env = {}, limits = {}, answer }: More = {}) {
  const collector = await collect(answer);
  const own = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env };
  const telemetry: Telemetry | undefined = startTelemetry(source, own, { delayMs: 60_000, retryMs: 1, ...limits });
  if (telemetry === undefined) throw new Error("nothing was started");
  onTestFinished(() => telemetry.close());
  return { collector, telemetry };
}

export async function startConduct(agent: Partial<AgentInput> = {}, more: More = {}) {
  const world = testConduct({ policies: [orderPolicy()], ...agent }, { governance: memoryStores().governance });
  return { ...world, ...(await start(world.conduct, more)) };
}

export function bus() {
  const listeners = new Set<(event: ConductEvent) => void>();
  const faults: Fault[] = [];
  let seq = 0;
  return {
    faults,
    listeners,
    emit(body: EventBody, more: Partial<ConductEvent> = {}): void {
      seq += 1;
      const head = { v: 1, id: `e${seq}`, seq, at: 1_000 + seq, session: "s", agent: "a", run: "r", turn: 1 } as const;
      for (const listener of listeners) listener({ ...head, ...more, ...body } as ConductEvent);
    },
    subscribe(listener: (event: ConductEvent) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    report: (fault: Fault) => void faults.push(fault),
  };
}

export const named = <T extends { readonly eventName: string }>(logs: readonly T[], name: string) =>
  logs.filter(({ eventName }) => eventName === name);

/** A prompt with a contract of this many directives. */
export function promptOf(directives: number): EventBody {
  const sizes = { hash: "h", prefixHash: "p", tokens: 9, prefixTokens: 4, sections: [], cuts: [] };
  return { type: "prompt", ...sizes, contract: { version: 3, hash: "c0ffee", directives } };
}
