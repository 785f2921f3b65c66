import type { ConductEvent } from "../../../base/words/event.ts";
import type { Telemetry, TelemetrySource } from "./telemetry.ts";

/** Loads telemetry only if the environment names a collector. Events that happen while it loads are exported too. */
export function lazyTelemetry(
  source: TelemetrySource,
  env: NodeJS.ProcessEnv,
): Promise<Telemetry | undefined> | undefined {
  const named = Object.keys(env).some(
    (name) => /^OTEL_EXPORTER_OTLP_(?:\w+_)?ENDPOINT$/.test(name) && env[name] !== "",
  );
  if (!named) return undefined;
  const early: ConductEvent[] = [];
  const stop = source.subscribe?.((event) => early.push(event));
  return import("./telemetry.ts").then(({ startTelemetry }) => {
    stop?.();
    return startTelemetry(
      {
        subscribe(listener) {
          for (const event of early.splice(0)) listener(event);
          return source.subscribe?.(listener) ?? (() => undefined);
        },
        report: (fault) => source.report?.(fault),
      },
      env,
    );
  });
}
