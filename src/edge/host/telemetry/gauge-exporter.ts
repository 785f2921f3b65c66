import { type Attributes, encodeGauge, otlpEnvelope } from "./otlp-encoding.ts";
import { otlpExporter } from "./otlp-exporter.ts";
import { readOtlpSettings } from "./otlp-settings.ts";
import { OTLP_LIMITS, OTLP_RESOURCE, OTLP_SCOPE } from "./telemetry-pipe.ts";

/** What a process shows now (`gauge`), or has counted since its start (`counter`). */
export type Figure = {
  readonly name: string;
  readonly unit: string;
  readonly kind: "gauge" | "counter";
  readonly value: number;
};

export type FigureSource = {
  /** The process that the figures are of. */
  readonly attributes: () => Attributes;
  /** May reject; then nothing is sent this time. */
  readonly read: () => Promise<readonly Figure[]>;
};

/**
 * Sends figures to the collector of OpenTelemetry's variables at their interval, and once more at the end. Does nothing
 * without a collector. Returns a function that ends it. Nothing here rejects.
 */
export function exportFigures(source: FigureSource, env: Readonly<Record<string, string | undefined>>, since: number) {
  const read = readOtlpSettings(env);
  if (read.kind !== "on" || read.settings.metrics === undefined) return async () => undefined;
  const { metrics, metricsMs, timeoutMs, resource } = read.settings;
  const envelope = otlpEnvelope("metrics", { ...resource, ...OTLP_RESOURCE }, OTLP_SCOPE);
  const exporter = otlpExporter(metrics, envelope, { ...OTLP_LIMITS, timeoutMs });

  async function send(): Promise<void> {
    const figures = await source.read().catch(() => []);
    const [at, attributes] = [Date.now(), source.attributes()];
    for (const figure of figures) exporter.push(encodeGauge({ ...figure, attributes, since, at }));
    await exporter.send();
  }

  const timer = setInterval(() => void send(), metricsMs).unref();
  return async () => {
    clearInterval(timer);
    const late = setTimeout(() => exporter.abort(), OTLP_LIMITS.closeMs);
    await send();
    clearTimeout(late);
  };
}
