import type { Agent } from "../../../../base/words/hosting/agent.ts";
import type { ContributorContext, PromptContributor, PromptSection } from "../../../../base/words/prompt.ts";
import { channelProfile } from "../../channel-profiles.ts";
import { builtinContributors } from "../builtin-contributors.ts";
import type { GivenToBuiltins } from "../given.ts";

/** An agent that has only what a test gives it. */
export function testAgent(given: Partial<Agent> = {}): Agent {
  return {
    name: "helper",
    sections: [],
    tools: [],
    actions: {},
    policies: [],
    feedback: [],
    limits: {},
    trustedTools: [],
    contributors: [],
    prompt: {},
    ...given,
  };
}

/** A session on the command line, without a user and without tools, on a spring morning in London. */
export function testContext(given: Partial<ContributorContext> = {}): ContributorContext {
  const channel = given.channel ?? "cli";
  return {
    agentId: "helper",
    toolsKnown: "all",
    availableTools: [],
    channel,
    channelProfile: channelProfile(channel),
    promptMode: "full",
    runtime: "pi",
    workspaceDir: "/home/ann/shop",
    time: { at: Date.UTC(2026, 2, 6, 9, 5), zone: "Europe/London" },
    modes: { think: false, verbose: false, elevated: false },
    custom: [],
    toolName: (tool) => tool,
    ...given,
  };
}

/** What one built-in contributor says. */
export function saidBy(
  id: string,
  context: Partial<ContributorContext> = {},
  agent: Partial<Agent> = {},
  given: Partial<GivenToBuiltins> = {},
): PromptSection | undefined {
  return contributorOf(id, agent, given).contribute(testContext(context));
}

export function contributorOf(
  id: string,
  agent: Partial<Agent> = {},
  given: Partial<GivenToBuiltins> = {},
): PromptContributor {
  const all = builtinContributors(testAgent(agent), { prerequisites: () => [], checkpoints: [], ...given });
  const found = all.find((one) => one.id === `builtin:${id}`);
  if (found === undefined) throw new Error(`no contributor builtin:${id}`);
  return found;
}
