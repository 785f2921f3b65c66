import { sha256 } from "../../base/kernel/canonical-json.ts";
import type { Agent } from "../../base/words/agent.ts";

/** What the agent is told. `prefixHash` covers the part that stays equal from turn to turn. */
export type AssembledPrompt = {
  readonly text: string;
  readonly sections: readonly { readonly heading: string; readonly text: string }[];
  readonly hash: string;
  readonly prefixHash: string;
};

/** Sections in declared order, joined by a blank line; empty ones are left out. */
export function assemblePrompt(agent: Agent): AssembledPrompt {
  const sections = agent.sections
    .filter(({ content }) => content.trim() !== "")
    .map(({ heading, content }) => ({ heading, text: `## ${heading}\n\n${content.trim()}` }));
  const text = sections.map((section) => section.text).join("\n\n");
  const hash = sha256(text).slice(0, 20);
  return { text, sections, hash, prefixHash: hash };
}
