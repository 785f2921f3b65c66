import { asObject } from "../../../../base/kernel/json.ts";
import type { EndpointConfig } from "../../../../engine/agent/config/config-schema.ts";
import { type ConfigFault, ConfigSource } from "../../../../engine/agent/config/config-source.ts";

/** Providers inside Conduct, which no catalogue lists. */
const BUILT_IN = /^(?:local|demo)\//;

/** Models that do not exist, as far as pi-ai is installed to tell. Agents of the runtime `claude` do not use pi-ai. */
export async function modelFaults(
  text: string,
  file: string,
  models: { readonly [name: string]: EndpointConfig },
): Promise<readonly ConfigFault[]> {
  const source = new ConfigSource(text, file);
  const { agents, review } = asObject(source.value);
  const named = [
    ...Object.entries(asObject(agents)).flatMap(([agent, written]) => {
      const { model, runtime, sessionLabels } = asObject(written);
      const labels = { path: ["agents", agent, "sessionLabels", "model"], model: asObject(sessionLabels).model };
      return runtime === "claude" ? [labels] : [{ path: ["agents", agent, "model"], model }, labels];
    }),
    { path: ["review", "model"], model: asObject(review).model },
  ];
  const wanted = named.flatMap(({ path, model }) =>
    typeof model === "string" && !BUILT_IN.test(model) ? [{ path, model }] : [],
  );
  if (wanted.length === 0) return [];
  const { piCatalogue } = await import("../../../../edge/host/node/pi-models.ts");
  const own = Object.entries(models).map(([name, { baseUrl, api }]) => [name, { baseUrl, api }] as const);
  const catalogue = piCatalogue({ models: Object.fromEntries(own) });
  const faults: ConfigFault[] = [];
  for (const { path, model } of wanted) {
    const [message, meant] = (await catalogue.fault(model))?.split("; ") ?? [];
    const hint = meant ?? "write an existing model, or define this one under models: with baseUrl and api";
    if (message !== undefined) faults.push(source.locate({ path, message, hint }));
  }
  return faults;
}
