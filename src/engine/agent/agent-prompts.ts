import type { Agent } from "../../base/words/agent.ts";
import type { ContributorSource, PromptContributor } from "../../base/words/prompt.ts";
import { renderPrerequisites } from "../../behavior/policy/render-prerequisites.ts";
import { agentSections, builtinContributors } from "../../behavior/prompt/builtin/builtin-contributors.ts";
import { PromptContributorRegistry } from "../../behavior/prompt/contributor-registry.ts";
import { SectionMeasures } from "../../behavior/prompt/section-measures.ts";
import { CHECKPOINTS } from "../tools/checkpoint.ts";

type Registered = {
  readonly contributor: PromptContributor;
  readonly source: ContributorSource;
  /** Out of the registry of each folder. */
  readonly takeOut: (() => void)[];
};
type Place = { readonly registry: PromptContributorRegistry; files: Map<PromptContributor, () => void> };

/** All that may stand in the prompts of one agent. What a workspace brings is for the sessions in that folder alone. */
export class AgentPrompts {
  readonly measures = new SectionMeasures();
  readonly #common = new Set<Registered>();
  readonly #places = new Map<string, Place>();

  constructor(agent: Agent) {
    const given = { prerequisites: renderPrerequisites(agent), checkpoints: CHECKPOINTS };
    const own = { builtin: builtinContributors(agent, given), agent: agentSections(agent), config: agent.contributors };
    for (const source of ["builtin", "agent", "config"] as const) {
      for (const contributor of own[source]) this.#common.add({ contributor, source, takeOut: [] });
    }
    // What is wrong with one of them is said now, not at the first prompt.
    this.at("");
  }

  /** The registry for sessions in this folder. */
  at(root: string): PromptContributorRegistry {
    return this.#place(root).registry;
  }

  /** Takes up what a plugin gives, in every folder. Throws when its id is taken or it cannot be used. */
  addPlugin(contributor: PromptContributor): () => void {
    const one: Registered = { contributor, source: "plugin", takeOut: [] };
    // The first registry sees every fault that the others would.
    for (const { registry } of this.#places.values()) one.takeOut.push(registry.register(contributor, "plugin"));
    this.#common.add(one);
    return () => {
      this.#common.delete(one);
      for (const take of one.takeOut.splice(0)) take();
    };
  }

  /** What the files of a folder give now. Returns what could not be taken up. */
  setFiles(root: string, contributors: readonly PromptContributor[]): readonly Error[] {
    const place = this.#place(root);
    const now = new Set(contributors);
    for (const [contributor, takeOut] of place.files) {
      if (now.has(contributor)) continue;
      takeOut();
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
    const known = this.#places.get(root);
    if (known !== undefined) return known;
    const registry = new PromptContributorRegistry();
    for (const { contributor, source, takeOut } of this.#common) takeOut.push(registry.register(contributor, source));
    const place = { registry, files: new Map() };
    this.#places.set(root, place);
    return place;
  }
}
