import { NamesMemo } from "../../base/kernel/bounded-map.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Agent, AnyPolicy, ToolSpec } from "../../base/words/hosting/agent.ts";
import type { ContributorSource, PromptContributor } from "../../base/words/prompt.ts";
import { PROGRAMS, type ProgramTable } from "../../behavior/commands/programs/program-table.ts";
import { complexCommandPolicy } from "../../behavior/policy/builtin/complex-command-policy.ts";
import { highRiskPolicy, workspacePolicy } from "../../behavior/policy/builtin/elevation-policies.ts";
import { loopGuard } from "../../behavior/policy/builtin/loop-guard.ts";
import { requirementsPolicy } from "../../behavior/policy/builtin/requirements.ts";
import { skillPaths } from "../../behavior/policy/builtin/skill-paths.ts";
import { renderPrerequisites } from "../../behavior/policy/render-prerequisites.ts";
import { rulesOfAgent } from "../../behavior/policy/rules/rules-policy.ts";
import { agentSections, builtinContributors } from "../../behavior/prompt/builtin/builtin-contributors.ts";
import { PromptContributorRegistry } from "../../behavior/prompt/contributor-registry.ts";
import { SectionMeasures } from "../../behavior/prompt/section-measures.ts";
import { CHECKPOINTS } from "../tools/checkpoint.ts";
import { CONDUCT_TOOLS } from "../tools/conduct-tool.ts";

type Registered = { readonly contributor: PromptContributor; readonly source: ContributorSource };
type Place = {
  readonly registry: PromptContributorRegistry;
  readonly common: Map<Registered, () => void>;
  readonly files: Map<PromptContributor, () => void>;
};

/** Registries kept at once. The one used longest ago is dropped, and made again when needed. */
const PLACES = 256;

/** Everything that can be in an agent's prompts. A workspace's files count only for sessions in that folder. */
class AgentPrompts {
  readonly measures = new SectionMeasures();
  readonly #common = new Set<Registered>();
  readonly #places = new Map<string, Place>();

  constructor(agent: Agent) {
    const checkpoints = CHECKPOINTS.map(({ name, about }) => ({ name, description: about }));
    const given = { prerequisites: prerequisitesOf(agent), checkpoints };
    const own = { builtin: builtinContributors(agent, given), agent: agentSections(agent), config: agent.contributors };
    for (const source of ["builtin", "agent", "config"] as const) {
      for (const contributor of own[source]) this.#common.add({ contributor: copyOf(contributor), source });
    }
    // Reports faults now, not at the first prompt.
    this.at("");
  }

  /** The registry for sessions in this folder. */
  at(root: string): PromptContributorRegistry {
    return this.#place(root).registry;
  }

  /** Adds a plugin's contributor in every folder. Throws when its id is taken or it is invalid. */
  addPlugin(contributor: PromptContributor): () => void {
    const one: Registered = { contributor: copyOf(contributor), source: "plugin" };
    // The first registry throws for every fault, so none is changed halfway.
    for (const { registry, common } of this.#places.values()) {
      common.set(one, registry.register(one.contributor, one.source));
    }
    this.#common.add(one);
    return () => {
      this.#common.delete(one);
      for (const { common } of this.#places.values()) {
        common.get(one)?.();
        common.delete(one);
      }
    };
  }

  /** Sets the contributors of a folder's files. Returns the errors of those that could not be added. */
  setFiles(root: string, contributors: readonly PromptContributor[]): readonly Error[] {
    const place = this.#place(root);
    const now = new Set(contributors);
    for (const [contributor, unregister] of place.files) {
      if (now.has(contributor)) continue;
      unregister();
      place.files.delete(contributor);
    }
    const faults: Error[] = [];
    for (const contributor of contributors) {
      if (place.files.has(contributor)) continue;
      try {
        place.files.set(contributor, place.registry.register(contributor, "workspace"));
      } catch (error) {
        faults.push(error instanceof Error ? error : new Error(String(error)));
      }
    }
    return faults;
  }

  #place(root: string): Place {
    const place = this.#places.get(root) ?? this.#newPlace();
    this.#places.delete(root);
    this.#places.set(root, place);
    const [oldest] = this.#places.keys();
    if (this.#places.size > PLACES && oldest !== undefined) this.#places.delete(oldest);
    return place;
  }

  #newPlace(): Place {
    const registry = new PromptContributorRegistry();
    const common = new Map([...this.#common].map((one) => [one, registry.register(one.contributor, one.source)]));
    return { registry, common, files: new Map() };
  }
}

/** A copy: changes that the owner makes later have no effect on folders that are opened later. */
function copyOf(given: PromptContributor): PromptContributor {
  const { id, tags, priority, zone, contribute, shouldContribute } = given;
  return {
    id,
    tags: Array.isArray(tags) ? tags.map((tag) => ({ ...tag })) : tags,
    priority,
    zone,
    // Anything but a function is left to the registry, which rejects it.
    contribute: typeof contribute === "function" ? contribute.bind(given) : contribute,
    shouldContribute: typeof shouldContribute === "function" ? shouldContribute.bind(given) : shouldContribute,
  };
}

/** Cached for each runtime's way to name tools. */
function prerequisitesOf(agent: Agent): (toolName: (tool: string) => string) => readonly string[] {
  const known = new WeakMap<(tool: string) => string, readonly string[]>();
  return (toolName) => {
    const lines = known.get(toolName) ?? renderPrerequisites(agent, toolName);
    known.set(toolName, lines);
    return lines;
  };
}

/** An agent with its policies resolved: which policies apply to which tool is computed once. */
export class CompiledAgent {
  readonly agent: Agent;
  /** Every policy that can apply, without duplicates. */
  readonly allPolicies: readonly AnyPolicy[];
  readonly prompts: AgentPrompts;
  /** The programs that Conduct knows, with those that the agent's configuration adds. */
  readonly programs: ProgramTable;
  /** Custom tags that a session gets when the rule with this id objects. */
  readonly tags: ReadonlyMap<string, readonly string[]>;
  readonly #given: readonly AnyPolicy[];
  readonly #builtins: readonly AnyPolicy[];
  readonly #tools: ReadonlyMap<string, ToolSpec>;
  /** Set when no section has policies: then the same policies apply to every call. */
  readonly #everywhere: readonly AnyPolicy[] | undefined;
  readonly #bound = new NamesMemo<readonly AnyPolicy[]>();

  constructor(agent: Agent, builtins: readonly AnyPolicy[], prompts = new AgentPrompts(agent)) {
    this.agent = agent;
    this.prompts = prompts;
    this.programs = agent.programs === undefined ? PROGRAMS : PROGRAMS.withPrograms(agent.programs);
    this.#given = builtins;
    this.#builtins = [
      complexCommandPolicy,
      ...builtins,
      workspacePolicy(skillPaths(agent.prompt)),
      highRiskPolicy(agent.tools),
      requirementsPolicy(CONDUCT_TOOLS.filter(({ access }) => access === "read").map(({ name }) => name)),
      loopGuard(),
    ];
    this.#tools = new Map(agent.tools.map((tool) => [tool.name, tool]));
    this.allPolicies = [
      ...new Set([
        ...this.#builtins,
        ...agent.sections.flatMap((section) => section.policies ?? []),
        ...agent.policies,
      ]),
    ];
    this.tags = new Map(
      rulesOfAgent(agent).flatMap(({ rules }) =>
        rules.flatMap(({ id, tag }) => (tag === undefined ? [] : [[id, tag]])),
      ),
    );
    const apart = agent.sections.some((section) => (section.policies ?? []).length > 0);
    this.#everywhere = apart ? undefined : this.allPolicies;
  }

  /** The same agent with other constraints and the same prompts, including what plugins have added. */
  withAgent(agent: Agent): CompiledAgent {
    return new CompiledAgent(agent, this.#given, this.prompts);
  }

  tool(name: string): ToolSpec | undefined {
    return this.#tools.get(name);
  }

  /**
   * Built-in policies first, then those of sections that declare the tool or one of the call's actions, then the
   * agent's, which apply to every tool.
   */
  policiesFor(call: Pick<ToolCall, "tool" | "actions">): readonly AnyPolicy[] {
    if (this.#everywhere !== undefined) return this.#everywhere;
    return this.#bound.get(call.tool, call.actions, () => {
      const names = [call.tool, ...call.actions];
      const ofSections = this.agent.sections
        .filter((section) => section.tools?.some((tool) => names.includes(tool)))
        .flatMap((section) => section.policies ?? []);
      return [...new Set([...this.#builtins, ...ofSections, ...this.agent.policies])];
    });
  }
}
