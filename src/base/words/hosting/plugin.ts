import type { ConductEvent } from "../event.ts";
import type { FeedbackProviderConfig } from "../feedback.ts";
import type { JsonObject } from "../json.ts";
import type { PromptContributor } from "../prompt.ts";
import type { AnyPolicy } from "./agent.ts";
import type { CompletionChecker } from "./completion.ts";

/** A tool that the gateway hosts for the agents whose `tools` name it. */
export type PluginTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  /**
   * Runs in the gateway's own process, outside the sandbox. Returns a text for the agent, or an object, which may have
   * `__directives` if the agent's `trustedTools` name the tool. Throws if it fails.
   */
  run(
    args: JsonObject,
    context: { readonly workspace: string; readonly signal?: AbortSignal },
  ): string | JsonObject | Promise<string | JsonObject>;
};

/** Default: all agents, also those added later. */
type ForAgents = { readonly agents?: readonly string[] };

/** The functions that a plugin can call during `setup`. Each returns a function that unregisters. */
export type PluginApi = {
  /** Adds a section to prompts. */
  registerPromptContributor(contributor: PromptContributor, options?: ForAgents): () => void;
  /** Adds a policy, in force from the first call if `setup` registers it before its first `await`, else from the next turn. */
  registerPolicy(policy: AnyPolicy, options?: ForAgents): () => void;
  /** Adds advice after calls. */
  registerFeedback(feedback: FeedbackProviderConfig, options?: ForAgents): () => void;
  /** Adds a completion check; the agent may stop only if its own checker agrees too. */
  registerCompletion(checker: CompletionChecker, options?: ForAgents): () => void;
  /** Adds a tool for agents in the gateway. */
  registerTool(tool: PluginTool, options?: ForAgents): () => void;
  /** Receives every event of every session. A listener that fails never breaks a turn. */
  subscribe(listener: (event: ConductEvent) => void | Promise<void>): () => void;
};

/** Extends Conduct from code. The first prompt waits until every `setup` has finished. */
export type ConductPlugin = {
  readonly name: string;
  /** Registers what the plugin adds. */
  setup(api: PluginApi): void | Promise<void>;
};
