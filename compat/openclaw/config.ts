import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../src/base/words/json.ts";
import { addConduct, OPENCLAW_PLUGIN, openclawPluginFiles } from "../../src/edge/adapters/openclaw/install.ts";
import type { KitMcpServer } from "../../src/testing/kit/driver.ts";
import type { ClawPlace } from "./place.ts";

export type ClawConfig = {
  readonly modelUrl: string;
  readonly port: number;
  readonly mcpServers?: { readonly [name: string]: KitMcpServer };
  /** More at the top, in place of what is there. */
  readonly more?: JsonObject;
  /** The plugin asks the daemon behind this socket. Without it, `conduct init openclaw` adds the plugin. */
  readonly socket?: string;
};

export const TOKEN = "compat";
/** `conduct init` looks for `openclaw` on the PATH. */
const PROGRAMS = join(import.meta.dirname, "node_modules/.bin");

/** OpenClaw's whole configuration: one agent, a model on loopback, and nothing that looks outside or takes its time. */
export function writeConfig(place: ClawPlace, config: ClawConfig): void {
  const { modelUrl, port, mcpServers = {}, more = {}, socket } = config;
  const model = {
    id: "claude-sonnet-4-5",
    name: "scripted",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 200_000,
    maxTokens: 32_000,
  };
  const provider = { baseUrl: modelUrl, apiKey: "none", api: "anthropic-messages", models: [model] };
  const workspace = join(place.user, "workspace");
  mkdirSync(workspace, { recursive: true });
  const own = {
    gateway: {
      mode: "local",
      port,
      bind: "loopback",
      auth: { mode: "token", token: TOKEN },
      controlUi: { enabled: false },
      http: { endpoints: { chatCompletions: { enabled: true } } },
      reload: { mode: "off" },
    },
    update: { checkOnStart: false },
    logging: { file: join(place.state, "openclaw.log") },
    models: { mode: "replace", catalogRefresh: { enabled: false }, providers: { scripted: provider } },
    agents: {
      defaults: {
        model: { primary: "scripted/claude-sonnet-4-5" },
        thinkingDefault: "off",
        skipBootstrap: true,
        heartbeat: { every: "0m" },
        workspace,
      },
    },
    mcp: { servers: mcpServers },
    tools: { profile: "coding", toolSearch: false, exec: { host: "gateway", mode: "full" } },
    // A list of plugins keeps the dozen out that OpenClaw brings along.
    plugins: { allow: ["memory-core"], entries: { "memory-core": { enabled: false } } },
    ...more,
  };
  const whole = socket === undefined ? own : conductedConfig(own, { socket }, writePlugin(place));
  const path = configPath(place);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(whole, null, 2)}\n`);
}

/** Another port and other servers, in the configuration that `conduct init openclaw` has added to. */
export function changeConfig(place: ClawPlace, port: number, servers: NonNullable<ClawConfig["mcpServers"]>): void {
  const path = configPath(place);
  const config = JSON.parse(readFileSync(path, "utf8"));
  config.gateway.port = port;
  config.mcp.servers = servers;
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
}

export function configPath({ state }: ClawPlace): string {
  return join(state, "openclaw.json");
}

/** The folder that `conduct init openclaw` has OpenClaw load. */
function writePlugin({ state }: ClawPlace): string {
  const [home, folder] = [join(state, "conduct"), join(state, "conduct", "bin", "openclaw")];
  mkdirSync(folder, { recursive: true });
  const installation = { plugins: { openclaw: OPENCLAW_PLUGIN } };
  writeFileSync(join(home, "bin", "installation.json"), JSON.stringify(installation));
  for (const [name, text] of Object.entries(openclawPluginFiles(home))) writeFileSync(join(folder, name), text);
  return folder;
}

/** As `conduct init openclaw` leaves it, with a socket. */
function conductedConfig(own: JsonObject, config: JsonObject, plugin: string): JsonObject {
  const added = addConduct(own, { config, plugin });
  if ("refused" in added) throw new Error(added.refused);
  return added.config;
}

/** Only what OpenClaw needs, and nothing of who runs the tests. */
export function clawEnv(place: ClawPlace): NodeJS.ProcessEnv {
  const { state, user } = place;
  return {
    PATH: `${PROGRAMS}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: user,
    OPENCLAW_STATE_DIR: state,
    OPENCLAW_CONFIG_PATH: configPath(place),
    OPENCLAW_DISABLE_BONJOUR: "1",
    OPENCLAW_NO_RESPAWN: "1",
    OPENCLAW_NO_AUTO_UPDATE: "1",
    OPENCLAW_SKIP_CHANNELS: "1",
    OPENCLAW_SKIP_CRON: "1",
    OPENCLAW_SKIP_GMAIL_WATCHER: "1",
    OPENCLAW_SKIP_CANVAS_HOST: "1",
    DO_NOT_TRACK: "1",
    NODE_COMPILE_CACHE: join(state, "compile-cache"),
  };
}
