import { resolve } from "node:path";
import {
  checkOptions,
  either,
  listOf,
  mapOf,
  name,
  object,
  oneOf,
  optional,
  type ShapesOf,
  shape,
} from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { ConductPlugin } from "../../../base/words/hosting/plugin.ts";
import { readCap } from "../../../behavior/contract/active-contract.ts";
import { type Keywords, readKeywords } from "../../../behavior/contract/parse/directive-form.ts";
import { encodingOf, loadTokenizer } from "../../../behavior/results/token-counter.ts";
import { feedbackHistory } from "../../../engine/journal/feedback-history.ts";
import { Conduct, type ConductPorts, portKeys } from "../../../engine/session/conduct.ts";
import type { DeclaredChannels } from "../../../engine/session/session-options.ts";
import { type HomeStores, homeStores } from "../../stores/home-stores.ts";
import { keepJournal } from "../../stores/keep-journal.ts";
import { memoryResults } from "../../stores/memory-results.ts";
import { openHotContract } from "../../stores/redis/redis-hot-contract.ts";
import type { StorePlace } from "../../stores/sql/open-database.ts";
import { followJournal } from "../../stores/typesense/history-index.ts";
import { openHistoryIndex } from "../../stores/typesense/typesense-index.ts";
import { userZones } from "../../stores/user-zones.ts";
import { isPaused } from "../daemon/paused.ts";
import { nodeClock } from "../node/node-clock.ts";
import { nodeCommands } from "../node/node-commands.ts";
import { nodeFilesystem } from "../node/node-filesystem.ts";
import { nodeIds } from "../node/node-ids.ts";
import { type PiModelsOptions, piModels } from "../node/pi-models.ts";
import { lazyTelemetry } from "../telemetry/lazy-telemetry.ts";
import { protectedPaths } from "../trust/protected-paths.ts";
import { realFolder } from "../trust/real-folder.ts";
import { conductHome, type Environment } from "../workspace/conduct-home.ts";
import { storePlace } from "../workspace/store-place.ts";
import { promptsOfWorkspaces } from "../workspace/workspace-prompts.ts";

/** Longest delay until the start or end of a pause takes effect. */
const PAUSE_LOOK_MS = 100;

/** Agents, workspace and stores. Only `agents` is required. */
export type OpenConductOptions = {
  readonly agents: readonly Agent[];
  /** Base of relative paths; only elevated sessions may leave it. Default: the current folder. */
  readonly workspace?: string;
  /** Conduct's own folder, which no agent may touch. Default: `.conduct` in the user's home. */
  readonly home?: string;
  /** A SQLite file or a `postgres://` URL. Default: `conduct.db` in `home`. */
  readonly store?: string;
  /** The folder of the store's keys, outside the data. Default: `.config/conduct/keys` in the user's home. */
  readonly keys?: string;
  /** A `redis://` URL, so that other processes see contract changes at once. */
  readonly redis?: string;
  /** Further channels besides web, telegram, scheduled and cli, or other texts for these. */
  readonly channels?: DeclaredChannels;
  /** Own models, or other addresses for known ones, by `provider/model`. `modelOverrides` reads them from a file. */
  readonly models?: PiModelsOptions["models"];
  readonly plugins?: readonly ConductPlugin[];
  /** Stores every event, for `conduct watch`, `why` and `status`. Default: the home's store; `false` for none. */
  readonly journal?: EventJournal | false;
  /** Overrides single ports, for tests and other hosts. */
  readonly ports?: Partial<ConductPorts>;
};

/**
 * Conduct with this machine's files, commands and clock, configured by its options alone: no environment variable changes
 * it. `await close()` saves buffered events.
 */
export function openConduct(options: OpenConductOptions): Conduct {
  checkOptions("openConduct", options, KEYS);
  return open(options, settingsOf(options, {}));
}

/**
 * As `openConduct`, with defaults from the environment: `CONDUCT_HOME`, `CONDUCT_STORE`, `CONDUCT_KEYS`, `CONDUCT_DATA_KEY`,
 * `CONDUCT_REDIS_URL`, `CONDUCT_TYPESENSE_URL`, `CONDUCT_CONTRACT_CAP`, `CONDUCT_CONTRACT_KEYWORDS` and the OpenTelemetry variables. Options win.
 */
export function openConductFromEnv(options: OpenConductOptions, env: Environment = process.env): Conduct {
  checkOptions("openConductFromEnv", options, KEYS);
  return open({ home: conductHome(env), ...options }, settingsOf(options, env));
}

/**
 * As `openConductFromEnv`, on stores that the caller has opened, and closes after the Conduct. For a host that stores
 * conversations itself and calls `flush` at each turn's end: one connection commits all writes of a turn together.
 */
export function openConductOn(
  stores: HomeStores,
  options: Omit<OpenConductOptions, "store" | "keys">,
  env: Environment = process.env,
): Conduct {
  return open({ home: conductHome(env), ...options }, settingsOf(options, env), stores);
}

/** Keys and Redis in the form of the environment, which the parts below read. */
function settingsOf({ keys, redis }: OpenConductOptions, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings = { ...env };
  if (keys !== undefined) settings.CONDUCT_KEYS = keys;
  if (redis !== undefined) settings.CONDUCT_REDIS_URL = redis;
  return settings;
}

/** A URL is checked as `CONDUCT_STORE` is; anything else is a SQLite file. */
function storeOf(given: string | undefined, env: NodeJS.ProcessEnv, home: string): StorePlace {
  if (given === undefined) return storePlace(env, home);
  return given.includes("://") ? storePlace({ CONDUCT_STORE: given }, home) : { kind: "sqlite", file: resolve(given) };
}

function open(options: OpenConductOptions, env: NodeJS.ProcessEnv, shared?: HomeStores): Conduct {
  // Symlinks resolved, because runtimes report their folder that way.
  const workspace = realFolder(resolve(options.workspace ?? process.cwd()));
  const home = options.home ?? conductHome({});
  const { channels, plugins } = options;
  const clock = options.ports?.clock ?? nodeClock();
  const stores = shared ?? homeStores(storeOf(options.store, env, home), env);
  const { journal = stores.events } = options;
  const hot = openHotContract(env);
  const history = openHistoryIndex(env, stores.governance);
  const unfollow = history === undefined ? undefined : followJournal(stores.governance, history);
  const workspacePrompts = promptsOfWorkspaces(home, (fault, root) => conduct.report(fault, root));
  const conduct: Conduct = new Conduct(options.agents, {
    clock,
    ids: nodeIds(),
    results: memoryResults(),
    counter: (model) => loadTokenizer(encodingOf(model)),
    filesystem: nodeFilesystem(workspace),
    commands: nodeCommands(workspace),
    protected: protectedPaths(home, workspace, process.env),
    models: piModels({ models: options.models }),
    instructions: stores.instructions,
    memory: stores.memory,
    days: stores.days,
    zones: userZones(stores.users, clock),
    governance: stores.governance,
    hot,
    contractLimits: readCap(env.CONDUCT_CONTRACT_CAP).limits,
    contractKeywords: keywordsOf(env),
    paused: lately(PAUSE_LOOK_MS, () => isPaused(home)),
    workspacePrompts,
    keepSections: (session, at, sections) => kept?.keepSections(session, at, sections),
    feedback: async (query) => {
      await kept?.flush();
      return journal === false ? { feedback: [] } : feedbackHistory(journal, query);
    },
    channels,
    plugins,
    flushing: async (conversation) => void (await kept?.flush(conversation)),
    ...options.ports,
    closing() {
      closed ??= close();
      return closed;
    },
  });
  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    await options.ports?.closing?.();
    await kept?.close();
    await (await telemetry)?.close();
    workspacePrompts.close();
    await unfollow?.();
    await hot?.close();
    if (shared === undefined) await stores.close();
  }
  const kept =
    journal === false
      ? undefined
      : keepJournal(conduct, {
          journal,
          key: () => stores.keys.journal(),
          now: () => clock.now(),
          durability: shared === undefined ? "batch" : "turn",
        });
  const telemetry = lazyTelemetry(conduct, env);
  conduct.contracts?.onNews((news) => void telemetry?.then((to) => to?.governance(news)));
  return conduct;
}

function keywordsOf({ CONDUCT_CONTRACT_KEYWORDS: written }: NodeJS.ProcessEnv): Keywords {
  try {
    return readKeywords(written);
  } catch (error) {
    throw new Error(`CONDUCT_CONTRACT_KEYWORDS: ${errorText(error)}`);
  }
}

/** Caches the result for `ms`, because every call asks several times. */
function lately(ms: number, look: () => boolean): () => boolean {
  let known = false;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now >= until) {
      known = look();
      until = now + ms;
    }
    return known;
  };
}

const KEYS: ShapesOf<OpenConductOptions> = {
  agents: listOf(object),
  workspace: optional(name),
  home: optional(name),
  store: optional(name),
  keys: optional(name),
  redis: optional(name),
  channels: portKeys.channels,
  models: optional(mapOf(object)),
  plugins: portKeys.plugins,
  journal: optional(either(oneOf(false), object)),
  ports: optional(shape(Object.fromEntries(Object.entries(portKeys).map(([key, one]) => [key, optional(one)])))),
};
