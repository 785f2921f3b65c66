import type { PromptContributor } from "../prompt.ts";

/** What a plugin can do. */
export type PluginApi = {
  /** For all agents, or for those named. Returns what takes it out again. */
  registerPromptContributor(
    contributor: PromptContributor,
    options?: { readonly agents?: readonly string[] },
  ): () => void;
};

/** Extends Conduct from code. The first prompt waits until every `setup` is through. */
export type ConductPlugin = { readonly name: string; setup(api: PluginApi): void | Promise<void> };
