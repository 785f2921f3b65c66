import { dirname, join } from "node:path";
import { errorText } from "../../base/kernel/error-text.ts";
import { loadOptional } from "../../base/kernel/optional-package.ts";
import type { Agent } from "../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { conductVersion } from "../../edge/host/node/package-files.ts";
import { loadCatalogue, modelOverrides, piModels } from "../../edge/host/node/pi-models.ts";
import { demoAgent } from "../../edge/host/opening/demo-agent.ts";
import { loadConfigFile } from "../../edge/host/opening/load-config.ts";
import { outgoingFaults, readReceivers } from "../../edge/host/opening/load-outgoing.ts";
import { type LoadedPlugins, loadPlugins } from "../../edge/host/opening/load-plugins.ts";
import { serverFaults } from "../../edge/host/opening/load-servers.ts";
import { openConductOn } from "../../edge/host/opening/open-conduct.ts";
import { findSandbox } from "../../edge/host/sandbox/find-sandbox.ts";
import { describeSandbox } from "../../edge/host/sandbox/sandbox.ts";
import { readOtlpSettings } from "../../edge/host/telemetry/otlp-settings.ts";
import { findConfig } from "../../edge/host/workspace/find-config.ts";
import { storePlace } from "../../edge/host/workspace/store-place.ts";
import { keptResults } from "../../edge/stores/files/folder-results.ts";
import { type GatewayLock, takeGatewayLock, whileHeld } from "../../edge/stores/gateway-lock/gateway-lock.ts";
import { thisGateway, writeRunning } from "../../edge/stores/gateway-lock/running-gateway.ts";
import { type HomeStores, homeStores } from "../../edge/stores/home-stores.ts";
import type { StoreError } from "../../edge/stores/sql/store-error.ts";
import type { ConfigFault } from "../../engine/agent/config/config-source.ts";
import type { ParsedConfig } from "../../engine/agent/config/parse-config.ts";
import { type GovernanceHealth, governanceHealth } from "../../engine/governance/governance-health.ts";
import { gatewayModels } from "./agents/models.ts";
import { dayPlugin } from "./demo/day/day-tools.ts";
import { askOpenQuestion, DEMO_APPROVAL_MS } from "./demo/day/demo-day.ts";
import { fillDay } from "./demo/day/fill-day.ts";
import { DEMO_MODEL } from "./demo/demo-model.ts";
import { openGateway } from "./gateway.ts";
import type { Gateway, GatewayOptions } from "./gateway-options.ts";
import { consolePlaces } from "./http/console/build-console.ts";
import { closeAll, closeLater } from "./lifecycle/close-all.ts";
import type { ServerStatus } from "./mcp/hosted-servers.ts";

/** The login link's user: the account that owns CONDUCT_HOME is the operator. */
const OPERATOR = "operator";

export type StartOptions = {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly port: number;
  readonly host?: string;
  /** The file to use instead of the one in the home. */
  readonly config?: string;
  /** Overrides `gateway.url` and `gateway.origins` of conduct.yaml. */
  readonly url?: string;
  readonly origins?: readonly string[];
  /** Starts with the store of the demo day, and fills it first. `home` and `env` must be those of `demoDay`. */
  readonly isDemo?: boolean;
  /** Aborts the start: everything opened is closed and the start rejects. */
  readonly signal?: AbortSignal;
  readonly report: (line: string) => void;
};

/** What the banner shows. */
export type Started = {
  readonly gateway: Gateway;
  readonly loginLink: string;
  /** The conduct.yaml in use; absent for the built-in agent. */
  readonly config?: string;
  readonly store: string;
  readonly agents: readonly { readonly name: string; readonly model: string }[];
  readonly contract: { readonly version: number; readonly directives: number };
  readonly governance: GovernanceHealth;
  readonly isDemo: boolean;
  /** The sandbox's name, or that there is none. */
  readonly sandbox: string;
  /** The MCP servers of the agents, and whether they work. */
  readonly mcp: readonly ServerStatus[];
  /** Resolves when another gateway has taken over the store and this one must end. Never rejects. */
  readonly lost: Promise<StoreError>;
  /** `graceMs`: time for running turns, 10 seconds by default. */
  close(graceMs?: number): Promise<void>;
};

/** conduct.yaml has errors, so nothing was started. */
export class ConfigError extends Error {
  readonly faults: readonly ConfigFault[];
  readonly texts: ReadonlyMap<string, string>;
  constructor(file: string, faults: readonly ConfigFault[], texts: ReadonlyMap<string, string>) {
    super(`${file} cannot be used`);
    this.faults = faults;
    this.texts = texts;
  }
}

type Loaded = Exclude<ParsedConfig, { readonly faults: unknown }>;

/** Starts the gateway on the operator's home. On failure or abort, everything opened is closed again. */
export async function startGateway(options: StartOptions): Promise<Started> {
  await requirePackages(options.env);
  const { signal, report } = options;
  const telemetry = readOtlpSettings(options.env);
  if (telemetry.kind === "wrong") report(`telemetry: nothing is exported: ${telemetry.problem}`);
  const opened = new AsyncDisposableStack();
  const end = () => void closeAll(opened, report);
  signal?.addEventListener("abort", end, { once: true });
  try {
    return await startSteps(options, opened);
  } catch (error) {
    await closeAll(opened, report);
    throw error;
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

/** Uses conduct.yaml, or the demo agent without one. */
async function startSteps(
  { home, env, port, host, report: say, ...given }: StartOptions,
  opened: AsyncDisposableStack,
): Promise<Started> {
  let isClosed = false;
  // Work that still runs when the store closes fails; nobody has to know.
  const report = (line: string) => void (isClosed || say(line));
  if (given.isDemo) await fillDay(home, report);
  const file = findConfig({ home, flag: given.config }).base?.file;
  const config = file === undefined ? undefined : await loadOperatorConfig(file, home, env);
  const agents: readonly Agent[] = config === undefined ? [demoAgent()] : config.agents;
  const models = modelOverrides(config?.models ?? {}, env);
  const hosted = gatewayModels(models);
  const place = storePlace(env, home);
  const self = thisGateway(place, Date.now());
  // Gateways on PostgreSQL share the store; see `joinCluster`.
  const lock = place.kind === "sqlite" ? await takeGatewayLock(place, { self, report }) : undefined;
  await closeLater(opened, () => lock?.release());
  const stores = lock === undefined ? homeStores(place) : lockedStores(homeStores(place), lock);
  await closeLater(opened, () => {
    isClosed = true;
    return stores.close();
  });
  const results = place.kind === "postgres" ? stores.results : keptResults(home, stores.keys);
  const conduct = openConductOn(stores, {
    agents,
    home,
    workspace: home,
    models,
    plugins: [...(config?.plugins ?? []).map(({ plugin }) => plugin), ...(given.isDemo ? [dayPlugin] : [])],
    ports: { results },
    channels: config?.channels,
  });
  await closeLater(opened, () => conduct.close());
  const { programs } = config?.gateway ?? {};
  const { model: reviewing } = config?.review ?? {};
  const sandbox = await findSandbox({ home, env, programs, folder: join(home, "run") });
  const places = consolePlaces(report);
  await places();
  const facts: { agents: Started["agents"]; contract: Started["contract"] } = {
    agents: [],
    contract: { version: 0, directives: 0 },
  };
  const gateway = await openGateway({
    conduct,
    console: places,
    stores,
    results,
    replicas: place.kind === "postgres" ? stores.replicas : undefined,
    home,
    port,
    models: hosted,
    sandbox,
    report,
    host,
    definitions: config && definitionsOf(config),
    schedules: config?.schedules,
    review: {
      place,
      config: config?.review ?? {},
      reviewer: reviewing === undefined ? undefined : { model: reviewing, models: piModels({ models }) },
      shared: place.kind === "postgres" ? { url: place.url, version: conductVersion() } : undefined,
    },
    telegram: telegramOf(config, env),
    slack: slackOf(config, env),
    publicUrl: given.url ?? config?.gateway.url,
    origins: given.origins ?? config?.gateway.origins,
    streams: config?.gateway.streams,
    isDemo: given.isDemo,
    approvalMs: given.isDemo ? DEMO_APPROVAL_MS : undefined,
    webhook: config?.gateway.webhook,
    webhooks: readReceivers(config?.gateway ?? {}, file === undefined ? home : dirname(file), env).receivers,
    async beforeListening(access) {
      await access.adoptToken(OPERATOR, env.CONDUCT_TOKEN || undefined);
      const contract = await conduct.contracts?.contract({});
      facts.contract = { version: contract?.version ?? 0, directives: contract?.directives.length ?? 0 };
      facts.agents = await Promise.all(
        agents.map(async (agent) => ({ name: agent.name, model: await hosted.nameOf(agent) })),
      );
    },
    async onListening(at) {
      const running = { ...self, local: at.url, url: at.publicUrl };
      await lock?.describe(running);
      await closeLater(opened, writeRunning(home, running));
    },
  });
  // Otherwise the first message would be the first to say so.
  if (facts.agents.some(({ model }) => model !== DEMO_MODEL))
    await loadCatalogue().catch((error: unknown) => report(errorText(error)));
  const closing: { graceMs?: number | undefined } = {};
  await closeLater(opened, () => gateway.close(closing.graceMs));
  if (given.isDemo) await askOpenQuestion(gateway);
  return {
    gateway,
    loginLink: await gateway.loginLink(),
    config: file,
    store: place.kind === "sqlite" ? place.file : "postgres",
    agents: facts.agents,
    sandbox: describeSandbox(sandbox),
    mcp: await gateway.tryServers(),
    contract: facts.contract,
    isDemo: given.isDemo === true,
    governance: conduct.contracts === undefined ? { ok: true } : await governanceHealth(conduct.contracts),
    lost: lock?.lost ?? new Promise(() => undefined),
    async close(graceMs) {
      closing.graceMs = graceMs;
      await opened.disposeAsync();
    },
  };
}

/** Blocks conversations, sessions and schedules while the lock is not held. */
function lockedStores(stores: HomeStores, lock: GatewayLock): HomeStores {
  return {
    ...stores,
    conversations: whileHeld(stores.conversations, lock),
    sessions: whileHeld(stores.sessions, lock),
    schedules: whileHeld(stores.schedules, lock),
  };
}

async function loadOperatorConfig(
  file: string,
  home: string,
  env: NodeJS.ProcessEnv,
): Promise<Omit<Loaded, "plugins"> & LoadedPlugins> {
  const loaded = await loadConfigFile(file);
  if ("error" in loaded) throw new Error(`${loaded.error.message}; ${loaded.error.fix}`);
  const { parsed, texts } = loaded;
  if ("faults" in parsed) throw new ConfigError(file, parsed.faults, texts);
  const { plugins, faults: ofPlugins } = await loadPlugins({ ...loaded, parsed }, home);
  const own = { ...loaded, parsed };
  const faults = [...ofPlugins, ...serverFaults(own, env), ...outgoingFaults(own, env)];
  if (faults.length > 0) throw new ConfigError(file, faults, texts);
  return { ...parsed, plugins, faults };
}

/** Telegram is on if its token is set; operators are listed in conduct.yaml. */
function telegramOf(config: Pick<Loaded, "channels"> | undefined, env: NodeJS.ProcessEnv): GatewayOptions["telegram"] {
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_WEBHOOK_SECRET: secret, TELEGRAM_API_ROOT: apiRoot } = env;
  if (!token) return undefined;
  const { operators: listed = [], strangers = "refuse", agent } = config?.channels.telegram ?? {};
  const operators = listed.filter((id) => typeof id === "number");
  const mode = secret ? ({ kind: "webhook", secret } as const) : ({ kind: "polling" } as const);
  return { token, mode, operators, strangers, apiRoot: apiRoot || undefined, agent };
}

/** Slack is on if its token and its signing secret are set. */
function slackOf(config: Pick<Loaded, "channels"> | undefined, env: NodeJS.ProcessEnv): GatewayOptions["slack"] {
  const { SLACK_BOT_TOKEN: token, SLACK_SIGNING_SECRET: signingSecret, SLACK_API_ROOT: apiRoot } = env;
  if (!token && !signingSecret) return undefined;
  if (!token || !signingSecret)
    throw new Error(
      `Slack needs SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET; ${token ? "SLACK_SIGNING_SECRET" : "SLACK_BOT_TOKEN"} is not set`,
    );
  const { operators: listed = [], strangers = "refuse", agent } = config?.channels.slack ?? {};
  const operators = listed.filter((id) => typeof id === "string");
  return { token, signingSecret, operators, strangers, apiRoot: apiRoot || undefined, agent };
}

/** Definitions with their defaults merged. */
function definitionsOf({ agents, definitions }: Pick<Loaded, "agents" | "definitions">): {
  readonly [name: string]: JsonObject;
} {
  return Object.fromEntries(
    agents.flatMap(({ name }, at) => {
      const definition = definitions[at];
      return definition === undefined ? [] : [[name, definition]];
    }),
  );
}

/** Redis and Typesense connect in the background, so a missing package would only be noticed later. */
async function requirePackages(env: NodeJS.ProcessEnv): Promise<void> {
  if (env.CONDUCT_SMTP_URL?.trim()) await loadOptional("nodemailer", "CONDUCT_SMTP_URL", () => import("nodemailer"));
  if (env.CONDUCT_REDIS_URL?.trim())
    await loadOptional("@redis/client", "CONDUCT_REDIS_URL", () => import("@redis/client"));
  if (env.CONDUCT_TYPESENSE_URL?.trim())
    await loadOptional("typesense", "CONDUCT_TYPESENSE_URL", () => import("typesense"));
}
