import { errorText } from "../../../base/kernel/error-text.ts";
import { didYouMean } from "../../../base/kernel/nearest.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import { type ParsedConfig, parseConfig } from "../../../engine/agent/config/parse-config.ts";
import type { DeclaredChannels } from "../../../engine/session/session-options.ts";
import { demoAgent } from "../opening/demo-agent.ts";
import { type LoadedConfig, loadConfigFile } from "../opening/load-config.ts";
import { pluginFiles } from "../opening/load-plugins.ts";
import { loadRules } from "../opening/load-rules.ts";
import {
  type RuntimeSettings,
  type RuntimesSettings,
  readRuntimes,
  runtimesFile,
  UNSET_RUNTIME,
} from "../opening/runtime-settings.ts";
import { realFolder } from "../trust/real-folder.ts";
import { trustStore } from "../trust/trust.ts";
import { type ConfigBase, findConfig } from "../workspace/find-config.ts";
import type { TextFileError } from "../workspace/read-text-file.ts";
import { type Tightening, tighten } from "./daemon-tighten.ts";
import { loadWorkspaceConfig } from "./daemon-workspace.ts";

/** The configuration in force in a folder, in short: shown by every command that reads it. */
export type ConfigUsed = {
  /** Defines the agents; absent for the built-in ones. */
  readonly file?: string;
  readonly from: ConfigBase["from"] | "built-in";
  /** The workspace's file that adds to them. */
  readonly added?: string;
  /** Files of the workspace, or parts of them, that have no effect, each with the reason. */
  readonly faults: readonly Fault[];
};

/** The agents in force in a workspace, or the fault that prevents loading them. `files` lists every file read. */
export type BoundAgents = { readonly files: readonly string[]; readonly config: ConfigUsed } & (
  | {
      readonly kind: "ready";
      readonly agents: readonly Agent[];
      readonly channels: DeclaredChannels;
      readonly runtimes: RuntimesSettings;
      /** The file that defines the agents; absent for the built-in ones. */
      readonly loaded?: UsableFile;
    }
  | {
      readonly kind: "broken";
      readonly message: string;
      /** Why the file could not be read. */
      readonly error?: TextFileError;
      /** The file with its faults, if it could be read. */
      readonly loaded?: LoadedFile;
    }
);

type LoadedFile = Exclude<LoadedConfig, { readonly error: unknown }>;
type UsableFile = LoadedFile & { readonly parsed: Exclude<ParsedConfig, { readonly faults: unknown }> };

/** The operator's agents, tightened by the trusted part of the workspace's file. Never rejects. */
export async function bindAgents(home: string, workspace: string, flag?: string): Promise<BoundAgents> {
  const trust = trustStore(home);
  const found = findConfig({ home, folder: workspace, flag });
  const files = [...found.looked, runtimesFile(home), trust.file];
  const used = { file: found.base?.file, from: found.base?.from ?? ("built-in" as const) };
  try {
    const runtimes = await readRuntimes(home);
    const own = await baseAgents(found.base, flag);
    if ("message" in own) {
      return { kind: "broken", ...own, config: { ...used, faults: [] }, files: [...files, ...own.files] };
    }
    const added = await loadWorkspaceConfig(found.added, realFolder(workspace), trust);
    const strangers = [...added.tightenings.keys()].filter(
      (name) => name !== "*" && !own.agents.some((agent) => agent.name === name),
    );
    const faults = [...added.faults, ...strangers.map((name) => unknownAgent(name, added.file, found.base?.file))];
    return {
      kind: "ready",
      agents: own.agents.map((agent) => tightenBy(agent, added.tightenings)),
      channels: own.channels,
      runtimes,
      loaded: own.loaded,
      config: { ...used, added: added.file, faults },
      files: [...new Set([...files, ...own.files, ...added.files])],
    };
  } catch (error) {
    return { kind: "broken", message: errorText(error), config: { ...used, faults: [] }, files };
  }
}

/** All agents that sessions may have: without a file, those built into the daemon and the gateway. */
export function knownAgents({ agents, loaded }: Pick<Extract<BoundAgents, { kind: "ready" }>, "agents" | "loaded">) {
  return loaded === undefined ? [...agents, demoAgent()] : agents;
}

/**
 * Resolves the binding of a runtime, or says why it cannot. `named`, the agent that the runtime asked for, must exist
 * and must not contradict the operator's setting.
 */
export function settingsFor(
  runtime: string,
  { agents, runtimes }: Pick<Extract<BoundAgents, { kind: "ready" }>, "agents" | "runtimes">,
  named?: string,
): (RuntimeSettings & { readonly agent: string }) | { readonly message: string } {
  const settings = { ...UNSET_RUNTIME, since: "", ...(Object.hasOwn(runtimes, runtime) ? runtimes[runtime] : {}) };
  const names = agents.map(({ name }) => name);
  if (named !== undefined && settings.agent !== undefined && named !== settings.agent) {
    return { message: `runtimes.json sets the agent of ${runtime} to '${settings.agent}', so it cannot be '${named}'` };
  }
  const wanted = settings.agent ?? named ?? (names.length === 1 ? names[0] : "default");
  if (wanted !== undefined && names.includes(wanted)) return { ...settings, agent: wanted };
  const known = `conduct.yaml has ${names.join(", ")}`;
  if (named !== undefined) {
    const meant = didYouMean(named, names, "");
    return { message: `there is no agent '${named}'${meant && ` (${meant})`}: ${known}` };
  }
  const message =
    settings.agent === undefined
      ? `no agent is set for ${runtime}: ${known}, and none is named 'default'; set one in runtimes.json`
      : `runtimes.json sets the agent of ${runtime} to '${settings.agent}', which does not exist: ${known}`;
  return { message };
}

/** The agent that a runtime plays, its rules, and whether they are enforced. */
export type RuntimeBinding =
  | {
      readonly kind: "bound";
      readonly agent: Agent;
      readonly settings: RuntimeSettings;
      readonly config: ConfigUsed;
      /** `false` for a runtime that was never set up. Its rules are enforced. */
      readonly isSetUp: boolean;
    }
  /** The configuration is valid but does not say which agent this runtime is. */
  | {
      readonly kind: "undecided";
      readonly message: string;
      readonly agents: readonly string[];
      readonly config: ConfigUsed;
    }
  /** The configuration has faults, so no agent can be resolved. */
  | Extract<BoundAgents, { kind: "broken" }>;

/**
 * Resolves which agent a runtime is and how it is enforced. Daemon, hooks, ACP, MCP, `init` and `doctor` all use
 * `bindAgents` and `settingsFor`, so they always agree. Never rejects.
 */
export async function resolveRuntime(
  runtime: string,
  where: { readonly home: string; readonly workspace: string; readonly named?: string | undefined },
): Promise<RuntimeBinding> {
  const bound = await bindAgents(where.home, where.workspace);
  if (bound.kind === "broken") return bound;
  const told = settingsFor(runtime, bound, where.named);
  const names = bound.agents.map(({ name }) => name);
  const { config } = bound;
  if ("message" in told) return { kind: "undecided", message: told.message, agents: names, config };
  const agent = bound.agents.find(({ name }) => name === told.agent);
  if (agent === undefined) {
    return { kind: "undecided", message: `there is no agent '${told.agent}'`, agents: names, config };
  }
  const isSetUp = Object.hasOwn(bound.runtimes, runtime);
  return { kind: "bound", agent, settings: told, config, isSetUp };
}

function tightenBy(agent: Agent, tightenings: ReadonlyMap<string, Tightening>): Agent {
  const own = tightenings.get(agent.name) ?? tightenings.get("*");
  return own === undefined ? agent : tighten(agent, own);
}

function unknownAgent(name: string, workspace = "", base = "the built-in configuration"): Fault {
  const message = `it configures the agent '${name}', which ${base} does not define; that part is left out`;
  return { where: `${workspace}:1`, code: "config-refused", message };
}

type BaseAgents = { readonly files: readonly string[] } & (
  | { readonly agents: readonly Agent[]; readonly channels: DeclaredChannels; readonly loaded?: UsableFile }
  | { readonly message: string; readonly error?: TextFileError; readonly loaded?: LoadedFile }
);

/** `shown` is the file's name in messages; default: its path. */
async function baseAgents(base: ConfigBase | undefined, shown: string | undefined): Promise<BaseAgents> {
  if (base === undefined) return builtinAgents();
  const loaded = await loadConfigFile(base.file, shown);
  if ("error" in loaded) {
    // Deleted since it was found.
    if (loaded.error.code === "CONFIG_NOT_FOUND" && base.from !== "flag") return builtinAgents();
    return { message: loaded.error.message, error: loaded.error, files: [] };
  }
  const { parsed } = loaded;
  const files = [...loaded.files.keys()];
  if ("faults" in parsed) {
    const { faults } = parsed;
    const [first] = faults;
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more: conduct config check ${base.file})` : "";
    return { message: `${first?.file}:${first?.line} ${first?.message}${more}`, loaded, files };
  }
  const usable = { ...loaded, parsed };
  return {
    agents: parsed.agents,
    channels: parsed.channels,
    loaded: usable,
    files: [...files, ...pluginFiles(usable)],
  };
}

/** The default agent, used if the operator defines none. It always enforces the coding pack. */
const BUILTIN = "agents: { coding: { rules: [packs/coding] } }";

async function builtinAgents(): Promise<BaseAgents> {
  const pack = await loadRules("packs/coding", "/");
  if ("error" in pack) return { message: pack.error.message, files: [] };
  const rules = new Map([["packs/coding", { file: pack.shown, text: pack.text, path: pack.path }]]);
  const parsed = parseConfig(BUILTIN, "the built-in agent", { rules });
  if ("faults" in parsed) return { message: parsed.faults[0]?.message ?? "it has faults", files: [pack.path] };
  return { agents: parsed.agents, channels: {}, files: [pack.path] };
}
