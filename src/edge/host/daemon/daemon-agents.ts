import { join } from "node:path";
import { errorText } from "../../../base/kernel/error-text.ts";
import { didYouMean } from "../../../base/kernel/nearest.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import { parseConfig } from "../../../engine/agent/config/parse-config.ts";
import type { DeclaredChannels } from "../../../engine/session/session-options.ts";
import { loadConfigFile } from "../opening/load-config.ts";
import { loadRules } from "../opening/load-rules.ts";
import {
  type RuntimeSettings,
  type RuntimesSettings,
  readRuntimes,
  runtimesFile,
  UNSET_RUNTIME,
} from "../opening/runtime-settings.ts";
import { trustStore } from "../trust/trust.ts";
import { type Tightening, tighten } from "./daemon-tighten.ts";
import { loadWorkspaceConfig } from "./daemon-workspace.ts";

export type AgentSource = "conduct.yaml" | "built-in";

/** The agents in force in a workspace, or the fault that prevents loading them. `files` lists every file read. */
export type BoundAgents = { readonly files: readonly string[] } & (
  | {
      readonly kind: "ready";
      readonly agents: readonly Agent[];
      readonly channels: DeclaredChannels;
      readonly runtimes: RuntimesSettings;
      /** The file that defines the agents: the operator's conduct.yaml, or the built-in default if there is none. */
      readonly source: AgentSource;
      /** Parts of the workspace's own file that were ignored, each with the reason. */
      readonly faults: readonly Fault[];
    }
  | { readonly kind: "broken"; readonly message: string }
);

/** The operator's agents, tightened by the trusted part of the workspace's file. Never rejects. */
export async function bindAgents(home: string, workspace: string): Promise<BoundAgents> {
  const trust = trustStore(home);
  const config = join(home, "conduct.yaml");
  const files = [config, runtimesFile(home), trust.file, join(workspace, "conduct.yaml")];
  try {
    const runtimes = await readRuntimes(home);
    const own = await operatorAgents(config);
    if ("message" in own) return { kind: "broken", message: own.message, files: [...files, ...own.files] };
    const added = await loadWorkspaceConfig(workspace, trust);
    const strangers = [...added.tightenings.keys()].filter(
      (name) => name !== "*" && !own.agents.some((agent) => agent.name === name),
    );
    return {
      kind: "ready",
      agents: own.agents.map((agent) => tightenBy(agent, added.tightenings)),
      channels: own.channels,
      runtimes,
      source: own.source,
      faults: [...added.faults, ...strangers.map(unknownAgent)],
      files: [...new Set([...files, ...own.files, ...added.files])],
    };
  } catch (error) {
    return { kind: "broken", message: errorText(error), files };
  }
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
      readonly source: AgentSource;
      /** `false` for a runtime that was never set up. Its rules are enforced. */
      readonly isSetUp: boolean;
    }
  /** The configuration is valid but does not say which agent this runtime is. */
  | { readonly kind: "undecided"; readonly message: string; readonly agents: readonly string[] }
  /** The configuration has faults, so no agent can be resolved. */
  | { readonly kind: "broken"; readonly message: string };

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
  if ("message" in told) return { kind: "undecided", message: told.message, agents: names };
  const agent = bound.agents.find(({ name }) => name === told.agent);
  if (agent === undefined) return { kind: "undecided", message: `there is no agent '${told.agent}'`, agents: names };
  const isSetUp = Object.hasOwn(bound.runtimes, runtime);
  return { kind: "bound", agent, settings: told, source: bound.source, isSetUp };
}

function tightenBy(agent: Agent, tightenings: ReadonlyMap<string, Tightening>): Agent {
  const own = tightenings.get(agent.name) ?? tightenings.get("*");
  return own === undefined ? agent : tighten(agent, own);
}

function unknownAgent(name: string): Fault {
  const message = `the workspace's conduct.yaml configures the agent '${name}', which CONDUCT_HOME/conduct.yaml does not define; it is left out`;
  return { where: "conduct.yaml:1", code: "config-refused", message };
}

type OperatorAgents = { readonly files: readonly string[] } & (
  | { readonly agents: readonly Agent[]; readonly channels: DeclaredChannels; readonly source: AgentSource }
  | { readonly message: string }
);

async function operatorAgents(config: string): Promise<OperatorAgents> {
  const loaded = await loadConfigFile(config, config);
  if ("error" in loaded) {
    return loaded.error.code === "CONFIG_NOT_FOUND" ? builtinAgents() : { message: loaded.error.message, files: [] };
  }
  const files = [...loaded.files.keys()];
  if ("faults" in loaded.parsed) {
    const { faults } = loaded.parsed;
    const [first] = faults;
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more: conduct config check ${config})` : "";
    return { message: `${first?.file}:${first?.line} ${first?.message}${more}`, files };
  }
  const { agents, channels } = loaded.parsed;
  return { agents, channels, files, source: "conduct.yaml" };
}

/** The default agent, used if the operator defines none. It always enforces the coding pack. */
const BUILTIN = "agents: { coding: { rules: [packs/coding] } }";

async function builtinAgents(): Promise<OperatorAgents> {
  const pack = await loadRules("packs/coding", "/");
  if ("error" in pack) return { message: pack.error.message, files: [] };
  const rules = new Map([["packs/coding", { file: pack.shown, text: pack.text, path: pack.path }]]);
  const parsed = parseConfig(BUILTIN, "the built-in agent", { rules });
  if ("faults" in parsed) return { message: parsed.faults[0]?.message ?? "it has faults", files: [pack.path] };
  return { agents: parsed.agents, channels: {}, files: [pack.path], source: "built-in" };
}
