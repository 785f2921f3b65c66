import type { Complaint } from "./config-fault.ts";
import type { PolicyConfig } from "./config-schema.ts";
import type { PlacedAgent } from "./merge-defaults.ts";

/**
 * A section's policies see calls of the section's tools and no others. So a prerequisite outside them would never count, and
 * policies of a section without tools would bind nothing.
 */
export function sectionComplaints(agent: PlacedAgent): readonly Complaint[] {
  const actions = new Map(Object.entries(agent.actions.value));
  return agent.sections.flatMap(({ value: { heading, tools = [], policies = [] }, path }): readonly Complaint[] => {
    if (policies.length === 0) return [];
    if (tools.length === 0) {
      const message = `section '${heading}' has policies but no 'tools', so they would bind nothing`;
      const hint = "list its tools, or move the policies to the agent, where they bind every tool";
      return [{ path: [...path, "policies"], at: "key", message, hint }];
    }
    const seen = (name: string) => tools.includes(name) || tools.includes(actions.get(name)?.tool ?? "");
    return policies.flatMap((policy, at) =>
      unseenProofs(policy, seen).map((name) => ({
        path: [...path, "policies", at],
        at: "value" as const,
        message: `'${name}' would never count: section '${heading}' does not list it under 'tools'`,
        hint: "list it, or move the policy to the agent, where it sees every call",
      })),
    );
  });
}

function unseenProofs(
  { sequential, readBeforeWrite }: PolicyConfig,
  seen: (name: string) => boolean,
): readonly string[] {
  if (sequential !== undefined) return [...new Set(Object.values(sequential).flat())].filter((name) => !seen(name));
  const reads = readBeforeWrite?.readTools ?? ["read_file"];
  return reads.some(seen) ? [] : reads;
}
