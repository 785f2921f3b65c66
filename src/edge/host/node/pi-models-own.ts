import type { Api, Model, MutableModels, ProviderStreams } from "@earendil-works/pi-ai";

/** A wire format that a model of the operator's own may speak. */
export type PiWire = "anthropic-messages" | "openai-completions" | "openai-responses";

const WIRES: { readonly [wire in PiWire]: () => Promise<ProviderStreams> } = {
  "anthropic-messages": async () =>
    (await import("@earendil-works/pi-ai/api/anthropic-messages.lazy")).anthropicMessagesApi(),
  "openai-completions": async () =>
    (await import("@earendil-works/pi-ai/api/openai-completions.lazy")).openAICompletionsApi(),
  "openai-responses": async () =>
    (await import("@earendil-works/pi-ai/api/openai-responses.lazy")).openAIResponsesApi(),
};

/** A model of the operator's own, under a provider of its own, so that pi-ai's are left as they are. */
export async function ownModel(
  catalogue: MutableModels,
  { provider, id, api, baseUrl }: { provider: string; id: string; api: PiWire; baseUrl: string },
): Promise<Model<Api>> {
  const own = `${provider}/${id}`;
  const loadWire = Object.hasOwn(WIRES, api) ? WIRES[api] : undefined;
  if (loadWire === undefined)
    throw new Error(`${own}: "${api}" is none of the wire formats ${Object.keys(WIRES).join(", ")}`);
  const model: Model<Api> = {
    id,
    name: own,
    api,
    provider: own,
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 8_192,
  };
  if (catalogue.getProvider(own) === undefined) {
    const { createProvider } = await import("@earendil-works/pi-ai");
    const apiKey = { name: own, resolve: async () => ({ auth: { apiKey: "none" }, source: "none" }) };
    catalogue.setProvider(createProvider({ id: own, auth: { apiKey }, models: [model], api: await loadWire() }));
  }
  return model;
}
