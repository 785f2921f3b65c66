import type { ConductEvent, Fault } from "../../../base/words/event.ts";
import type { Telemetry } from "./telemetry.ts";

/** Whose events are told: a Conduct, or nobody's where only changes of the contract are. */
type Source = {
  subscribe?(listener: (event: ConductEvent) => void): () => void;
  report?(fault: Fault): void;
};

/**
 * Telemetry where the environment names a collector, and nothing loaded where it does not. What happens until it is loaded is
 * told then.
 */
export function lazyTelemetry(source: Source, env: NodeJS.ProcessEnv): Promise<Telemetry | undefined> | undefined {
  const named = Object.keys(env).some(
    (name) => /^OTEL_EXPORTER_OTLP_(?:\w+_)?ENDPOINT$/.test(name) && env[name] !== "",
  );
  if (!named) return undefined;
  const early: ConductEvent[] = [];
  const stop = source.subscribe?.((event) => early.push(event));
  return import("./telemetry.ts").then(({ startTelemetry }) => {
    stop?.();
    const { report } = source;
    return startTelemetry(
      {
        subscribe(listener) {
          for (const event of early.splice(0)) listener(event);
          return source.subscribe?.(listener) ?? (() => undefined);
        },
        report: report === undefined ? undefined : (fault) => report.call(source, fault),
      },
      env,
    );
  });
}
