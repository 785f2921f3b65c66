import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../base/words/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { conductVersion } from "../../edge/host/daemon-place.ts";
import { demoAgent } from "../../edge/host/demo-agent.ts";
import { keptResults } from "../../edge/host/kept-results.ts";
import { loadConfigFile } from "../../edge/host/load-config.ts";
import { openConduct } from "../../edge/host/open-conduct.ts";
import { type PiModelOverride, piModels } from "../../edge/host/pi-models.ts";
import { storePlace } from "../../edge/host/store-place.ts";
import { homeStores } from "../../edge/stores/home-stores.ts";
import type { ConfigFault } from "../../engine/agent/config-fault.ts";
import type { EndpointConfig } from "../../engine/agent/config-schema.ts";
import type { ParsedConfig } from "../../engine/agent/parse-config.ts";
import { type GovernanceHealth, governanceHealth } from "../../engine/governance/governance-health.ts";
import { consolePlaces } from "./console-build.ts";
import { openGateway } from "./gateway.ts";
import type { Gateway, GatewayOptions } from "./gateway-options.ts";
import { gatewayModels } from "./models.ts";
import { storeName, tellRunning } from "./running-gateway.ts";

export type StartOptions = {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly port: number;
  readonly host?: string;
  /** As `gateway.url` and `gateway.origins` of conduct.yaml, and before them. */
  readonly url?: string;
  readonly origins?: readonly string[];
  readonly report: (line: string) => void;
};

/** What a person is told when it has started. */
export type Started = {
  readonly gateway: Gateway;
  readonly loginLink: string;
  readonly store: string;
  readonly agents: readonly { readonly name: string; readonly model: string }[];
  readonly contract: { readonly version: number; readonly directives: number };
  readonly governance: GovernanceHealth;
  close(): Promise<void>;
};

/** The operator's conduct.yaml has faults: nothing was started. */
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

/** The gateway on the operator's home: their conduct.yaml, or the demo agent where there is none. */
export async function startGateway({ home, env, port, host, report, ...given }: StartOptions): Promise<Started> {
  const config = await loadOperatorConfig(home);
  const agents: readonly Agent[] = config === undefined ? [demoAgent()] : config.agents;
  const models = gatewayModels(overridesOf(config?.models ?? {}, env));
  const place = storePlace(env, home);
  const stores = homeStores(place);
  const conduct = openConduct({
    agents,
    home,
    workspace: home,
    ports: { results: keptResults(home) },
    ...(config === undefined ? {} : { channels: config.channels }),
  });
  const publicUrl = given.url ?? config?.gateway.url;
  const origins = given.origins ?? config?.gateway.origins;
  const streams = config?.gateway.streams;
  const places = consolePlaces(report);
  await places();
  const gateway = await openGateway({
    conduct,
    console: places,
    stores,
    home,
    port,
    models,
    report,
    ...(config === undefined ? {} : { definitions: definitionsOf(config), schedules: config.schedules }),
    review: {
      config: config?.review ?? {},
      models: piModels({ models: overridesOf(config?.models ?? {}, env) }),
      ...(place.kind === "postgres" ? { shared: { url: place.url, version: conductVersion() } } : {}),
    },
    ...telegramOf(config, env),
    ...(host === undefined ? {} : { host }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(origins === undefined ? {} : { origins }),
    ...(streams === undefined ? {} : { streams }),
  });
  const untell = tellRunning(home, {
    pid: process.pid,
    local: gateway.url,
    url: gateway.publicUrl,
    store: storeName(place),
  });
  await gateway.access.adoptToken("operator", env.CONDUCT_TOKEN || undefined);
  const contract = await conduct.contracts?.contract({});
  const governance: GovernanceHealth =
    conduct.contracts === undefined ? { ok: true } : await governanceHealth(conduct.contracts);
  return {
    gateway,
    loginLink: await gateway.loginLink(),
    store: place.kind === "sqlite" ? place.file : "postgres",
    agents: await Promise.all(agents.map(async (agent) => ({ name: agent.name, model: await models.nameOf(agent) }))),
    contract: { version: contract?.version ?? 0, directives: contract?.directives.length ?? 0 },
    governance,
    async close() {
      untell();
      await gateway.close();
      await conduct.close();
      await stores.close();
    },
  };
}

async function loadOperatorConfig(home: string): Promise<Loaded | undefined> {
  const file = join(home, "conduct.yaml");
  if (!existsSync(file)) return undefined;
  const loaded = await loadConfigFile(file);
  if ("error" in loaded) throw new Error(`${loaded.error.message}; ${loaded.error.fix}`);
  if ("faults" in loaded.parsed) throw new ConfigError(file, loaded.parsed.faults, loaded.texts);
  return loaded.parsed;
}

/** With a token in the environment the agents are on Telegram too; who decides there stands in conduct.yaml. */
function telegramOf(config: Loaded | undefined, env: NodeJS.ProcessEnv): Pick<GatewayOptions, "telegram"> {
  const token = env.TELEGRAM_BOT_TOKEN;
  if (!token) return {};
  const { operators = [], strangers = "refuse", agent } = config?.channels.telegram ?? {};
  const secret = env.TELEGRAM_WEBHOOK_SECRET;
  const apiRoot = env.TELEGRAM_API_ROOT;
  return {
    telegram: {
      token,
      mode: secret ? { kind: "webhook", secret } : { kind: "polling" },
      operators,
      strangers,
      ...(apiRoot ? { apiRoot } : {}),
      ...(agent === undefined ? {} : { agent }),
    },
  };
}

/** As the file says it, the defaults in it. */
function definitionsOf({ agents, definitions }: Loaded): { readonly [name: string]: JsonObject } {
  return Object.fromEntries(
    agents.flatMap(({ name }, at) => {
      const definition = definitions[at];
      return definition === undefined ? [] : [[name, definition]];
    }),
  );
}

/** Keys stand in the environment, never in the file. */
function overridesOf(
  models: { readonly [name: string]: EndpointConfig },
  env: NodeJS.ProcessEnv,
): { readonly [name: string]: PiModelOverride } {
  return Object.fromEntries(
    Object.entries(models).map(([name, { baseUrl, api, key }]) => {
      const apiKey = key === undefined ? undefined : env[key];
      return [name, { baseUrl, ...(api === undefined ? {} : { api }), ...(apiKey ? { apiKey } : {}) }];
    }),
  );
}
