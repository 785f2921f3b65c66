import type { Agent } from "../../../base/words/hosting/agent.ts";
import { type PiModelOverride, piCatalogue } from "../../../edge/host/node/pi-models.ts";
import { DEMO_MODEL, openDemoModel } from "../demo/demo-model.ts";
import type { PiModel } from "../runtimes/pi-runtime.ts";
import { type SteadyLimits, steadyStream } from "../runtimes/steady-stream.ts";

/** Candidates for an agent without a model: the first whose provider has a key is used. */
const USUAL = ["anthropic/claude-sonnet-4-5", "openai/gpt-5.1", "google/gemini-2.5-pro"] as const;

export type GatewayModels = {
  /** Falls back to the demo model if no provider has a key. */
  of(agent: Agent): Promise<PiModel>;
  /** The model's name for display. */
  nameOf(agent: Agent): Promise<string>;
};

export function gatewayModels(
  overrides: { readonly [name: string]: PiModelOverride } = {},
  limits: Partial<SteadyLimits> = {},
): GatewayModels {
  const catalogue = piCatalogue({ models: overrides });
  let demo: Promise<PiModel> | undefined;

  async function wanted({ model }: Agent): Promise<string> {
    if (model !== undefined && model !== DEMO_MODEL) {
      if (await catalogue.hasKey(model)) return model;
      const others = await Promise.all(USUAL.map((name) => catalogue.hasKey(name)));
      // If another provider has a key, the demo model would be a surprise.
      return others.some(Boolean) ? model : DEMO_MODEL;
    }
    if (model === DEMO_MODEL) return model;
    for (const name of USUAL) if (await catalogue.hasKey(name)) return name;
    return DEMO_MODEL;
  }

  return {
    nameOf: wanted,
    async of(agent) {
      const name = await wanted(agent);
      if (name !== DEMO_MODEL) {
        const opened = await catalogue.open(name);
        return { ...opened, stream: steadyStream(opened.stream, limits) };
      }
      demo ??= openDemoModel();
      return demo;
    },
  };
}
