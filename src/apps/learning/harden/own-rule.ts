import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { Place } from "../../../base/words/rule.ts";
import { STANDING_POLICY } from "../../../engine/governance/standing-rules.ts";
import { rulesPoliciesOf } from "../../../engine/replay/replay-agents.ts";

// A file of its own, because `conduct rules list` counts rules without loading the engine.

/** Where an agent already has its own rule with that id: denials and counts could not distinguish the two. */
export function ownRule(agents: readonly Agent[], id: string): string | undefined {
  for (const { name, policies } of agents) {
    const own = rulesPoliciesOf(policies).filter((policy) => policy.name !== STANDING_POLICY);
    const rule = own.flatMap(({ rules }) => rules.ruleSet.rules).find((one) => one.id === id);
    if (rule !== undefined) return `agent '${name}' has a rule '${id}' of its own${placeText(rule.place)}`;
  }
  return undefined;
}

function placeText(place: Place | undefined): string {
  return place === undefined ? "" : ` (${place.file}:${place.line})`;
}
