import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { Agent } from "../../../base/words/agent.ts";
import type { PromptContributor } from "../../../base/words/prompt.ts";
import { channelSection } from "./channel.ts";
import { contractSection } from "./contract.ts";
import { extraSections } from "./extras.ts";
import type { GivenToBuiltins } from "./given.ts";
import { identitySection } from "./identity.ts";
import { memorySection } from "./memory.ts";
import { safetySection, soulSection } from "./role.ts";
import { runtimeSection } from "./runtime.ts";
import { checkpointsSection, toolsSection } from "./tools.ts";
import { reasoningSection, timeSection } from "./turn-sections.ts";
import { userInstructionsSection } from "./user-instructions.ts";

/** The sections that every agent has, to be registered with the source `builtin`. */
export function builtinContributors(agent: Agent, given: GivenToBuiltins): readonly PromptContributor[] {
  return [
    identitySection(agent),
    contractSection,
    soulSection(agent),
    safetySection(),
    channelSection,
    memorySection,
    userInstructionsSection,
    ...extraSections(agent),
    toolsSection(given.prerequisites),
    checkpointsSection(given.checkpoints),
    runtimeSection,
    reasoningSection,
    timeSection,
  ];
}

/** The agent's own sections, to be registered with the source `agent`. The number in the id keeps them as declared. */
export function agentSections({ sections }: Agent): readonly PromptContributor[] {
  const width = Math.max(3, String(sections.length).length);
  return sections.map(({ heading, content }, index) => ({
    id: `section:${String(index + 1).padStart(width, "0")}:${slug(heading)}`,
    priority: 22,
    zone: "static",
    contribute: () => ({ heading, content }),
  }));
}

function slug(heading: string): string {
  const words = heading.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["untitled"];
  return cutGraphemes(words.join("-"), 40);
}
