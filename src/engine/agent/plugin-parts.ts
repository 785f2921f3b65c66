import { callback, checkOptions, name, names, object, optional, shape, text } from "../../base/kernel/check-options.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { FeedbackProviderConfig } from "../../base/words/feedback.ts";
import type { Agent, AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { CompletionChecker } from "../../base/words/hosting/completion.ts";
import type { PluginApi, PluginTool } from "../../base/words/hosting/plugin.ts";
import type { PromptContributor } from "../../base/words/prompt.ts";
import { CompositeChecker } from "../../behavior/completion/completion-checkers.ts";
import { CONDUCT_TOOLS } from "../tools/conduct-tool.ts";
import { agentKeys } from "./agent-shapes.ts";
import { AgentError, agentProblems } from "./define-agent.ts";

/** One thing that a plugin adds, to all agents or to those named. */
export type PluginPart = { readonly agents?: readonly string[] } & (
  | { readonly kind: "contributor"; readonly contributor: PromptContributor }
  | { readonly kind: "policy"; readonly policy: AnyPolicy }
  | { readonly kind: "feedback"; readonly feedback: FeedbackProviderConfig }
  | { readonly kind: "completion"; readonly completion: CompletionChecker }
  | { readonly kind: "tool"; readonly tool: PluginTool }
  | { readonly kind: "listener"; readonly listener: (event: ConductEvent) => void | Promise<void> }
);

/** Names of tools that the gateway hosts itself. */
const TAKEN = new Set(["read_file", "write_file", "edit_file", "search", "fetch", "shell", "task"]);
for (const { name: own } of CONDUCT_TOOLS) TAKEN.add(own);
const TOOL = shape({ name, description: text, parameters: object, run: callback });

/** The functions for `setup`. Each checks its argument and passes one part to `add`, which returns how to remove it. */
export function pluginApi(add: (part: PluginPart) => () => void): PluginApi {
  const agentsOf = (what: string, options: { readonly agents?: readonly string[] } = {}) => {
    checkOptions(what, options, { agents: optional(names) });
    return options.agents;
  };
  return {
    registerPromptContributor: (contributor, options) =>
      add({ kind: "contributor", contributor, agents: agentsOf("registerPromptContributor", options) }),
    registerPolicy(policy, options) {
      checkOptions("registerPolicy", { policies: [policy] }, { policies: agentKeys.policies ?? object });
      return add({ kind: "policy", policy, agents: agentsOf("registerPolicy", options) });
    },
    registerFeedback(feedback, options) {
      checkOptions("registerFeedback", { feedback: [feedback] }, { feedback: agentKeys.feedback ?? object });
      return add({ kind: "feedback", feedback, agents: agentsOf("registerFeedback", options) });
    },
    registerCompletion(completion, options) {
      checkOptions("registerCompletion", { completion }, { completion: agentKeys.completion ?? object });
      return add({ kind: "completion", completion, agents: agentsOf("registerCompletion", options) });
    },
    registerTool(tool, options) {
      checkOptions("registerTool", { tool }, { tool: TOOL });
      if (TAKEN.has(tool.name)) throw new Error(`registerTool: '${tool.name}' is the name of a built-in tool`);
      return add({ kind: "tool", tool, agents: agentsOf("registerTool", options) });
    },
    subscribe(listener) {
      checkOptions("subscribe", { listener }, { listener: callback });
      return add({ kind: "listener", listener });
    },
  };
}

export function isFor({ agents }: PluginPart, agent: string): boolean {
  return agents === undefined || agents.includes(agent);
}

/** The agent with the policies, feedback and checkers of plugins. Throws an `AgentError` if the names clash. */
export function extendAgent(agent: Agent, parts: Iterable<PluginPart>): Agent {
  const own = [...parts].filter((part) => isFor(part, agent.name));
  const policies = own.flatMap((part) => (part.kind === "policy" ? [part.policy] : []));
  const feedback = own.flatMap((part) => (part.kind === "feedback" ? [part.feedback] : []));
  const checkers = own.flatMap((part) => (part.kind === "completion" ? [part.completion] : []));
  if (policies.length + feedback.length + checkers.length === 0) return agent;
  const all = [...(agent.completion === undefined ? [] : [agent.completion]), ...checkers];
  const extended: Agent = {
    ...agent,
    policies: [...agent.policies, ...policies],
    feedback: [...agent.feedback, ...feedback],
    completion: all.length > 1 ? new CompositeChecker({ checkers: all }) : all[0],
  };
  const faults = agentProblems(extended).map(({ message }) => message);
  if (faults.length > 0) throw new AgentError(agent.name, faults);
  return extended;
}
