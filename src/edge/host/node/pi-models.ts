import type { Api, AssistantMessage, Context, Model, MutableModels, ProviderStreams } from "@earendil-works/pi-ai";
import {
  checkOptions,
  flag,
  mapOf,
  number,
  object,
  optional,
  type ShapesOf,
  shape,
  text,
} from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { nearest } from "../../../base/kernel/nearest.ts";
import { loadOptional, MissingPackageError } from "../../../base/kernel/optional-package.ts";
import type { ModelAnswer, ModelQuestion, Models } from "../../../base/ports/models.ts";
import { DEFAULT_WINDOW } from "../../../behavior/results/truncate-result.ts";

/** Wire formats for the operator's own models. */
export type PiWire = "anthropic-messages" | "openai-completions" | "openai-responses";

const WIRES: { readonly [wire in PiWire]: () => Promise<ProviderStreams> } = {
  "anthropic-messages": async () =>
    (await import("@earendil-works/pi-ai/api/anthropic-messages.lazy")).anthropicMessagesApi(),
  "openai-completions": async () =>
    (await import("@earendil-works/pi-ai/api/openai-completions.lazy")).openAICompletionsApi(),
  "openai-responses": async () =>
    (await import("@earendil-works/pi-ai/api/openai-responses.lazy")).openAIResponsesApi(),
};

/** Registers the operator's own model under a separate provider, so pi-ai's providers stay unchanged. */
async function ownModel(
  catalogue: MutableModels,
  { provider, id, api, baseUrl, ...facts }: ModelFacts & { provider: string; id: string; api: PiWire; baseUrl: string },
): Promise<Model<Api>> {
  const own = `${provider}/${id}`;
  const loadWire = Object.hasOwn(WIRES, api) ? WIRES[api] : undefined;
  if (loadWire === undefined)
    throw new Error(`${own}: "${api}" is not one of the wire formats ${Object.keys(WIRES).join(", ")}`);
  const model = withFacts(
    {
      id,
      name: own,
      api,
      provider: own,
      baseUrl,
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: DEFAULT_WINDOW,
      maxTokens: 8_192,
    },
    facts,
  );
  if (catalogue.getProvider(own) === undefined) {
    const { createProvider } = await import("@earendil-works/pi-ai");
    const apiKey = { name: own, resolve: async () => ({ auth: { apiKey: "none" }, source: "none" }) };
    catalogue.setProvider(createProvider({ id: own, auth: { apiKey }, models: [model], api: await loadWire() }));
  }
  return model;
}

type Prices = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
};

/** What the operator knows about a model. `prices` are US dollars for a million tokens. */
type ModelFacts = { readonly window?: number; readonly reasoning?: boolean; readonly prices?: Prices };

function withFacts(model: Model<Api>, { window, reasoning, prices }: ModelFacts): Model<Api> {
  const { contextWindow, maxTokens } = model;
  return {
    ...model,
    reasoning: reasoning ?? model.reasoning,
    contextWindow: window ?? contextWindow,
    // The answer has to fit too.
    maxTokens: window === undefined ? maxTokens : Math.max(1, Math.min(maxTokens, Math.floor(window / 2))),
    cost: prices === undefined ? model.cost : { cacheRead: prices.input, cacheWrite: prices.input, ...prices },
  };
}

/** Overrides a model's endpoint and figures. With `api`, the model need not be in pi-ai's catalogue. */
export type PiModelOverride = ModelFacts & {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly api?: PiWire;
};

/** A model as conduct.yaml writes it: `key` names the environment variable with the API key. */
export type WrittenModel = Omit<PiModelOverride, "apiKey"> & { readonly key?: string };

/** The overrides that `models:` of conduct.yaml asks for. Keys come from the environment, never from the file. */
export function modelOverrides(
  models: { readonly [name: string]: WrittenModel },
  env: { readonly [name: string]: string | undefined },
): { readonly [name: string]: PiModelOverride } {
  const written = Object.entries(models);
  return Object.fromEntries(
    written.map(([name, { key, ...model }]) => [name, { ...model, apiKey: (key && env[key]) || undefined }]),
  );
}

/** The operator's own models, besides those that pi-ai knows. */
export type PiModelsOptions = {
  /** By `provider/model`. */
  readonly models?: { readonly [name: string]: PiModelOverride };
};

/**
 * Models of the providers in pi-ai, with keys from the environment. The package is imported on first use. Never
 * retries: the caller knows whether a retry is worth its price.
 */
export function piModels(options: PiModelsOptions = {}): Models {
  checkOptions("piModels", options, KEYS);
  const { open } = piCatalogue(options);
  return {
    async ask(question) {
      const { system, prompt, maxTokens, signal } = question;
      const { model, stream } = await open(question.model);
      const context: Context = { systemPrompt: system, messages: [{ role: "user", content: prompt, timestamp: 0 }] };
      const asked = stream(model, context, { maxTokens, maxRetries: 0, cacheRetention: "none", signal });
      return readAnswer(question, await asked.result());
    },
  };
}

const KEY_VARIABLES: { readonly [provider: string]: readonly string[] } = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_OAUTH_TOKEN"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY"],
};

/** Models for a runtime that calls them itself: looked up by name, with the key that pi-ai finds. */
export function piCatalogue(options: PiModelsOptions = {}) {
  let loading: Promise<MutableModels> | undefined;
  async function load(): Promise<MutableModels> {
    loading ??= loadCatalogue().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }
  return {
    /** Is there a key for this model? */
    async hasKey(name: string): Promise<boolean> {
      if (findOverride(options, name).apiKey !== undefined || isOwn(findOverride(options, name))) return true;
      const provider = name.split("/")[0] ?? "";
      try {
        return (await (await load()).checkAuth(provider)) !== undefined;
      } catch (error) {
        if (!(error instanceof MissingPackageError)) throw error;
        // Without pi-ai, the usual variables tell whether the user means a real model; `open` then names the package.
        return (KEY_VARIABLES[provider] ?? []).some((variable) => Boolean(process.env[variable]));
      }
    },
    /** Why this model cannot be asked: it does not exist, or its key or pi-ai is missing here. */
    async problem(
      name: string,
    ): Promise<{ readonly kind: "unknown" | "unready"; readonly message: string } | undefined> {
      let found = false;
      try {
        const [catalogue, override] = [await load(), findOverride(options, name)];
        const model = await findModel(catalogue, name, override);
        found = true;
        await requireKey(catalogue, model, override);
        return undefined;
      } catch (error) {
        const kind = found || error instanceof MissingPackageError ? "unready" : "unknown";
        return { kind, message: errorText(error) };
      }
    },
    /** Rejects with a message that names the missing part. */
    async open(name: string) {
      const catalogue = await load();
      const override = findOverride(options, name);
      const model = await findModel(catalogue, name, override);
      await requireKey(catalogue, model, override);
      const { apiKey } = override;
      const stream: MutableModels["streamSimple"] = (asked, context, more) =>
        catalogue.streamSimple(asked, context, { ...more, ...(apiKey === undefined ? {} : { apiKey }) });
      return { model, stream };
    },
  };
}

/** The operator's own endpoint needs no provider key. */
function isOwn({ api, baseUrl }: PiModelOverride): boolean {
  return api !== undefined && baseUrl !== undefined;
}

/** Rejects with the install command if pi-ai is missing. */
export async function loadCatalogue(): Promise<MutableModels> {
  const { builtinModels } = await loadOptional(
    "@earendil-works/pi-ai",
    "Asking a model",
    () => import("@earendil-works/pi-ai/providers/all"),
  );
  return builtinModels();
}

async function requireKey(
  catalogue: MutableModels,
  { provider }: Model<Api>,
  { apiKey }: PiModelOverride,
): Promise<void> {
  if (apiKey !== undefined || (await catalogue.checkAuth(provider)) !== undefined) return;
  const name = `${provider.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_API_KEY`;
  throw new Error(`no API key is set for the model provider ${provider}; pi-ai usually reads it from ${name}`);
}

function findOverride({ models = {} }: PiModelsOptions, name: string): PiModelOverride {
  return (Object.hasOwn(models, name) ? models[name] : undefined) ?? {};
}

/** The id is everything after the first slash, including further slashes. */
async function findModel(
  catalogue: MutableModels,
  name: string,
  { baseUrl, api, apiKey: _, ...facts }: PiModelOverride,
): Promise<Model<Api>> {
  const slash = name.indexOf("/");
  const provider = name.slice(0, Math.max(0, slash));
  const id = name.slice(slash + 1);
  if (provider === "" || id === "") throw new Error(`"${name}" is not of the form provider/model`);
  const known = catalogue.getModel(provider, id);
  if (known !== undefined && (api === undefined || api === known.api))
    return withFacts(baseUrl === undefined ? known : { ...known, baseUrl }, facts);
  if (api !== undefined && baseUrl !== undefined) return ownModel(catalogue, { provider, id, api, baseUrl, ...facts });
  throw new Error(unknownModel(catalogue, provider, id));
}

function unknownModel(catalogue: MutableModels, provider: string, id: string): string {
  const providers = catalogue.getProviders().map((one) => one.id);
  if (!providers.includes(provider))
    return `there is no model provider "${provider}"${didYouMean(provider, providers)}`;
  const ids = catalogue.getModels(provider).map((one) => one.id);
  return `provider ${provider} has no model "${id}"${didYouMean(id, ids)}`;
}

function didYouMean(written: string, known: readonly string[]): string {
  const near = nearest(written, known);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

function readAnswer({ model, maxTokens }: ModelQuestion, message: AssistantMessage): ModelAnswer {
  if (message.stopReason === "error" || message.stopReason === "aborted")
    throw new Error(`${model}: ${message.errorMessage ?? "the request failed"}`);
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (text === "" && message.stopReason === "length")
    throw new Error(
      `${model} used all ${maxTokens} tokens without an answer; choose a model that does not reason first`,
    );
  const { input, cacheRead, cacheWrite, output, cost } = message.usage;
  return {
    text,
    usage: { inputTokens: input + cacheRead + cacheWrite, outputTokens: output, cost: cost.total },
  };
}

const OVERRIDE: ShapesOf<PiModelOverride> = {
  baseUrl: optional(text),
  apiKey: optional(text),
  api: optional(text),
  window: optional(number),
  reasoning: optional(flag),
  prices: optional(object),
};
const KEYS: ShapesOf<PiModelsOptions> = { models: optional(mapOf(shape(OVERRIDE))) };
