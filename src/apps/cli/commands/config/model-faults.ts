import { asObject } from "../../../../base/kernel/json.ts";
import type { EndpointConfig } from "../../../../engine/agent/config/config-schema.ts";
import { type ConfigFault, ConfigSource } from "../../../../engine/agent/config/config-source.ts";

/** Providers inside Conduct, which no catalogue lists. */
const BUILT_IN = /^(?:local|demo)\//;

/** `faults`: models that do not exist. `warnings`: models that exist, but cannot be asked from this environment. */
export type ModelProblems = { readonly faults: readonly ConfigFault[]; readonly warnings: readonly ConfigFault[] };

type ReadFile = {
  readonly text: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly parsed: { readonly models: { readonly [name: string]: EndpointConfig } };
};

/**
 * Models of the file that cannot be asked. Agents of the runtime `claude` do not use pi-ai, and an agent whose own model
 * has no key is served by a coding runtime or by the demo model, so only classifiers and the review need theirs here.
 */
export async function modelProblems(file: ReadFile | undefined, env = process.env): Promise<ModelProblems> {
  const [shown = ""] = file?.texts.keys() ?? [];
  const source = new ConfigSource(file?.text ?? "", shown);
  const { agents, review } = asObject(source.value);
  const named: { readonly path: readonly string[]; readonly model: unknown; readonly isAgent?: boolean }[] = [
    ...Object.entries(asObject(agents)).flatMap(([agent, written]) => {
      const { model, runtime, sessionLabels } = asObject(written);
      const labels = { path: ["agents", agent, "sessionLabels", "model"], model: asObject(sessionLabels).model };
      return runtime === "claude" ? [labels] : [{ path: ["agents", agent, "model"], model, isAgent: true }, labels];
    }),
    { path: ["review", "model"], model: asObject(review).model },
  ];
  const faults: ConfigFault[] = [];
  const warnings: ConfigFault[] = [];
  const { modelOverrides, piCatalogue } = await import("../../../../edge/host/node/pi-models.ts");
  const models = file?.parsed.models ?? {};
  const catalogue = piCatalogue({ models: modelOverrides(models, env) });
  for (const { path, model, isAgent = false } of named) {
    if (typeof model !== "string" || BUILT_IN.test(model)) continue;
    const { kind, message } = (await catalogue.problem(model)) ?? unsetKey(models[model], env) ?? {};
    if (message === undefined || (isAgent && kind === "unready")) continue;
    const [what = message, hint] = message.split("; ");
    const unknown = "write an existing model, or define this one under models: with baseUrl and api";
    const at = { path, message: what, hint: hint ?? (kind === "unready" ? undefined : unknown) };
    (kind === "unready" ? warnings : faults).push(source.locate(at));
  }
  return { faults, warnings };
}

function unsetKey({ key }: EndpointConfig = {}, env: NodeJS.ProcessEnv) {
  if (key === undefined || env[key]) return undefined;
  return { kind: "unready", message: `the environment variable ${key}, which has its key, is not set` } as const;
}
