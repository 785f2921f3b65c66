import type { Agent } from "../../../base/words/hosting/agent.ts";
import { type PiModelOverride, piCatalogue } from "../../../edge/host/node/pi-models.ts";
import { DEMO_MODEL, openDemoModel } from "../demo/demo-model.ts";
import type { PiModel } from "../runtimes/pi-runtime.ts";
import { type SteadyLimits, steadyStream } from "../runtimes/steady-stream.ts";

/** Candidates for an agent without a model: the first whose provider has a key is used. */
const USUAL = ["anthropic/claude-sonnet-4-5", "openai/gpt-5.1", "google/gemini-2.5-pro"] as const;

export type GatewayModels = ReturnType<typeof gatewayModels>;

export function gatewayModels(
  overrides: { readonly [name: string]: PiModelOverride } = {},
  limits: Partial<SteadyLimits> = {},
) {
  const catalogue = piCatalogue({ models: overrides });
  let demo: Promise<PiModel> | undefined;

  /** The name of the agent's model; the demo model if no provider has a key. */
  async function nameOf({ model }: Agent): Promise<string> {
    if (model === DEMO_MODEL || (model !== undefined && (await catalogue.hasKey(model)))) return model;
    // If another provider has a key, the demo model would be a surprise.
    for (const name of USUAL) if (await catalogue.hasKey(name)) return model ?? name;
    return DEMO_MODEL;
  }

  return {
    nameOf,
    async of(agent: Agent): Promise<PiModel> {
      const name = await nameOf(agent);
      if (name !== DEMO_MODEL) {
        const opened = await catalogue.open(name);
        return { ...opened, stream: steadyStream(opened.stream, limits) };
      }
      demo ??= openDemoModel();
      return demo;
    },
  };
}
