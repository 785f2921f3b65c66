import { nearest } from "../../base/kernel/nearest.ts";
import type { Agent, AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { ConductPlugin, PluginTool } from "../../base/words/hosting/plugin.ts";
import { type ProtectedPaths, protectedPathsPolicy } from "../../behavior/policy/builtin/protected-paths.ts";
import { skillPaths } from "../../behavior/policy/builtin/skill-paths.ts";
import type { ContractService } from "../governance/contract-service.ts";
import { withStandingRules } from "../governance/standing-rules.ts";
import type { Bus } from "../journal/bus.ts";
import { SessionError } from "../session/session-options.ts";
import { CompiledAgent } from "./compiled-agent.ts";
import { extendAgent, isFor, type PluginPart, pluginApi } from "./plugin-parts.ts";

/** A plugin's part, and how to remove it from what it was added to. */
type Added = { readonly part: PluginPart; readonly remove: (() => void)[] };

/** `base` and `version` identify the input of the compilation. */
type Standing = { readonly base: CompiledAgent; readonly version: number; readonly compiled: CompiledAgent };

export type AgentRegistryOptions = {
  readonly protected: ProtectedPaths | undefined;
  readonly bus: Bus;
  readonly contracts: ContractService | undefined;
  readonly report: (message: string) => void;
};

/** The agents in force: as defined, with the parts of plugins and the operator's standing rules. */
export class AgentRegistry {
  readonly #options: AgentRegistryOptions;
  /** Agents as defined; `#agents` are those in force, with the parts of plugins. */
  readonly #defined: Map<string, Agent>;
  readonly #agents: Map<string, CompiledAgent>;
  /** What plugins have added, also for agents added later. */
  readonly #added = new Set<Added>();
  /** Agents with the operator's standing rules, as last compiled. */
  readonly #standing = new Map<string, Standing>();

  constructor(agents: readonly Agent[], options: AgentRegistryOptions) {
    this.#options = options;
    this.#defined = new Map(agents.map((agent) => [agent.name, agent]));
    this.#agents = new Map(agents.map((agent) => [agent.name, new CompiledAgent(agent, this.#builtins(agent))]));
  }

  get all(): readonly Agent[] {
    return [...this.#agents.values()].map(({ agent }) => agent);
  }

  /** The functions for plugins. Each throws if its argument is invalid, and then nothing is added. */
  readonly plugins = pluginApi((part) => this.#add(part));

  #add(part: PluginPart): () => void {
    const added: Added = { part, remove: [] };
    for (const name of part.agents ?? []) this.find(name);
    const chosen = [...this.#agents.keys()].filter((name) => isFor(part, name));
    if (part.kind === "tool" && chosen.some((name) => this.toolsOf(name).some((one) => one.name === part.tool.name)))
      throw new Error(`two plugins have a tool '${part.tool.name}'`);
    this.#added.add(added);
    const remove = () => {
      this.#added.delete(added);
      for (const take of added.remove.splice(0)) take();
      for (const name of chosen) this.#compile(name);
    };
    try {
      if (part.kind === "listener") added.remove.push(this.#options.bus.subscribe(part.listener));
      for (const name of chosen) {
        const { prompts } = this.#compile(name);
        if (part.kind === "contributor") added.remove.push(prompts.addPlugin(part.contributor));
      }
    } catch (error) {
      remove();
      throw error;
    }
    return remove;
  }

  #builtins({ prompt }: Agent): readonly AnyPolicy[] {
    const { protected: own } = this.#options;
    return own === undefined ? [] : [protectedPathsPolicy(own, skillPaths(prompt, own.paths))];
  }

  /** Applies the parts of plugins anew. Prompts stay, with their contributors. */
  #compile(name: string): CompiledAgent {
    const [before, defined] = [this.#agents.get(name), this.#defined.get(name)];
    if (before === undefined || defined === undefined) throw new Error(`no agent '${name}'`);
    const agent = this.withPlugins(defined);
    const compiled = agent === before.agent ? before : before.withAgent(agent);
    this.#agents.set(name, compiled);
    return compiled;
  }

  withPlugins(agent: Agent): Agent {
    return extendAgent(
      agent,
      [...this.#added].map(({ part }) => part),
    );
  }

  get contributed(): ConductPlugin {
    const parts = [...this.#added].map(({ part }) => part);
    return {
      name: "previewed",
      setup(api) {
        for (const part of parts)
          if (part.kind === "contributor") api.registerPromptContributor(part.contributor, { agents: part.agents });
      },
    };
  }

  toolsOf(agent: string): readonly PluginTool[] {
    return [...this.#added].flatMap(({ part }) => (part.kind === "tool" && isFor(part, agent) ? [part.tool] : []));
  }

  set(agent: Agent): Agent {
    const compiled = new CompiledAgent(this.withPlugins(agent), this.#builtins(agent));
    for (const { part, remove } of this.#added) {
      if (part.kind === "contributor" && isFor(part, agent.name))
        remove.push(compiled.prompts.addPlugin(part.contributor));
    }
    this.#defined.set(agent.name, agent);
    this.#agents.set(agent.name, compiled);
    return compiled.agent;
  }

  /** Adds the contract's rules, as last read; sessions read the contract every turn. */
  #withStandingRules(base: CompiledAgent): CompiledAgent {
    const { rules, rulesVersion: version = 0 } = this.#options.contracts?.known ?? {};
    if (rules === undefined || version === 0) return base;
    const { name } = base.agent;
    const last = this.#standing.get(name);
    if (last?.base === base && last.version === version) return last.compiled;
    const { agent, faults } = withStandingRules(
      base.agent,
      [...rules].map(([, rule]) => rule),
    );
    for (const message of faults) this.#options.report(message);
    const compiled = agent === base.agent ? base : base.withAgent(agent);
    this.#standing.set(name, { base, version, compiled });
    return compiled;
  }

  /** Throws a `SessionError` if there is no such agent. */
  find(name: string): CompiledAgent {
    const agent = this.#agents.get(name);
    if (agent !== undefined) return this.#withStandingRules(agent);
    const meant = nearest(name, this.#agents.keys());
    const known = [...this.#agents.keys()].join(", ") || "none";
    throw new SessionError(
      "unknown-agent",
      `no agent '${name}'${meant === undefined ? "" : ` (did you mean '${meant}'?)`}; known: ${known}`,
    );
  }
}
