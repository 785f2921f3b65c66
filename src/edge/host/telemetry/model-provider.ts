/** Names of providers in `provider/model` whose name in OpenTelemetry differs. Others are the same, or have none. */
const NAMES: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  "google-vertex-anthropic": "gcp.vertex_ai",
  "amazon-bedrock": "aws.bedrock",
  bedrock: "aws.bedrock",
  azure: "azure.ai.openai",
  "azure-openai-responses": "azure.ai.openai",
  "openai-codex": "openai",
  mistral: "mistral_ai",
  xai: "x_ai",
  watsonx: "ibm.watsonx.ai",
};

/** Models that runtimes name without their provider. */
const MODELS: readonly (readonly [RegExp, string])[] = [
  [/^(?:claude|opus|sonnet|haiku)\b/i, "anthropic"],
  [/^(?:gpt|chatgpt|codex|o\d)\b/i, "openai"],
  [/^gemini\b/i, "gcp.gemini"],
  [/^(?:mistral|codestral|devstral)\b/i, "mistral_ai"],
  [/^deepseek\b/i, "deepseek"],
  [/^grok\b/i, "x_ai"],
  [/^command\b/i, "cohere"],
];

/** Splits a model's name into OpenTelemetry's `gen_ai.provider.name` and `gen_ai.request.model`. */
export function modelAttributes(named: string | undefined) {
  const slash = named?.indexOf("/") ?? -1;
  if (named === undefined || slash < 1) {
    const provider = named && MODELS.find(([pattern]) => pattern.test(named))?.[1];
    return { "gen_ai.provider.name": provider || undefined, "gen_ai.request.model": named };
  }
  const provider = named.slice(0, slash).toLowerCase();
  return {
    "gen_ai.provider.name": Object.hasOwn(NAMES, provider) ? NAMES[provider] : provider,
    "gen_ai.request.model": named.slice(slash + 1),
  };
}
