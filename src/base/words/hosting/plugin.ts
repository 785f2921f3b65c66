import type { PromptContributor } from "../prompt.ts";

/** The functions that a plugin can call during `setup`. */
export type PluginApi = {
  /** Registers for all agents, or for those named. Returns a function that unregisters it. */
  registerPromptContributor(
    contributor: PromptContributor,
    options?: { readonly agents?: readonly string[] },
  ): () => void;
};

/** Extends Conduct from code. The first prompt waits until every `setup` has finished. */
export type ConductPlugin = {
  readonly name: string;
  /** Registers what the plugin adds. */
  setup(api: PluginApi): void | Promise<void>;
};
