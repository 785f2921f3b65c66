import type { Complaint, ConfigPath } from "./config-fault.ts";
import type { FeedbackConfig, PolicyConfig } from "./config-schema.ts";
import type { Placed, PlacedAgent } from "./merge-defaults.ts";
import { toldComplaints } from "./told-warnings.ts";

/** Faults of a file that has the right form: what is written could never work, or would be passed over. */
export function senseComplaints(agent: PlacedAgent): readonly Complaint[] {
  return [
    ...policiesOf(agent).flatMap((policy) => policyComplaints(policy, agent)),
    ...sectionComplaints(agent),
    ...agent.feedback.flatMap(feedbackComplaints),
    ...completionComplaints(agent),
    ...toldComplaints(agent),
  ];
}

/** Those of the sections, in their order, then the agent's own. */
export function policiesOf(agent: PlacedAgent): readonly Placed<PolicyConfig>[] {
  const ofSections = agent.sections.flatMap(({ value, path }) =>
    (value.policies ?? []).map((policy, at) => ({ value: policy, path: [...path, "policies", at] })),
  );
  return [...ofSections, ...agent.policies];
}

function policyComplaints({ value, path }: Placed<PolicyConfig>, agent: PlacedAgent): readonly Complaint[] {
  const actions = new Map(Object.entries(agent.actions.value));
  const needs = value.sequential ?? {};
  const ofTool = (name: string): readonly string[] => {
    const tool = actions.get(name)?.tool;
    return tool !== undefined && Object.hasOwn(needs, tool) ? (needs[tool] ?? []) : [];
  };
  const cycles = dependencyCycles(needs, ofTool).map((cycle) =>
    complain(
      [...path, "sequential"],
      `'sequential' goes in a circle, so none of it can ever run: ${cycle.join(" needs ")}`,
    ),
  );
  if (value.rearmOnCompaction === undefined || value.sequential !== undefined) return cycles;
  const message = "'rearmOnCompaction' stands beside 'readBeforeWrite' and would be passed over";
  return [
    ...cycles,
    complain([...path, "rearmOnCompaction"], message, "write it inside: readBeforeWrite: { … }", "key"),
  ];
}

function feedbackComplaints({ value, path }: Placed<FeedbackConfig>): readonly Complaint[] {
  const { every, on, tokenBudget } = value;
  const complaints: Complaint[] = [];
  if (every !== undefined && Object.keys(every).length === 0) {
    complaints.push(complain([...path, "every"], "'every' needs 'seconds' or 'calls'"));
  }
  if (value.static !== undefined && every === undefined && on === undefined) {
    const hint = "add every: { calls: 10 }, every: { seconds: 60 } or on: { fileCreated: NAME }";
    complaints.push(complain(path, "'static' never fires: it does not say when", hint));
  }
  const { cautionAt = 0.7, warnAt = 0.9 } = tokenBudget ?? {};
  if (tokenBudget !== undefined && cautionAt > warnAt) {
    const message = `'cautionAt' (${cautionAt}) must not be above 'warnAt' (${warnAt})`;
    complaints.push(complain([...path, "tokenBudget"], message));
  }
  return complaints;
}

function completionComplaints({ completion: { value, path } }: PlacedAgent): readonly Complaint[] {
  const asked = [value.files, value.evidence].some((list) => list !== undefined && list.length > 0);
  if (asked || value.command !== undefined || Object.keys(value).length === 0) return [];
  return [complain(path, "'completion' asks for nothing", "name files, evidence or a command")];
}

function complain(path: ConfigPath, message: string, hint?: string, at: "key" | "value" = "value"): Complaint {
  return { path, at, message, hint };
}

/** What each name needs. */
type Needs = { readonly [name: string]: readonly string[] };

/**
 * Circles in what needs what: none of their members can ever run. `implied` says what a name needs besides, as an action
 * needs whatever its tool needs. Each circle is given once, its first member repeated at the end.
 */
function dependencyCycles(needs: Needs, implied: (name: string) => readonly string[]): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const open = new Map<string, Iterator<string>>();
  const trail: string[] = [];
  const enter = (name: string) => {
    const own = Object.hasOwn(needs, name) ? (needs[name] ?? []) : [];
    open.set(name, [...own, ...implied(name)].values());
    trail.push(name);
  };
  for (const start of Object.keys(needs)) {
    if (!done.has(start)) enter(start);
    // A stack of its own: a long chain must not overflow the program's.
    for (let name = trail.at(-1); name !== undefined; name = trail.at(-1)) {
      const next = open.get(name)?.next();
      if (next === undefined || next.done) {
        open.delete(name);
        trail.pop();
        done.add(name);
      } else if (open.has(next.value)) {
        cycles.push([...trail.slice(trail.indexOf(next.value)), next.value]);
      } else if (!done.has(next.value)) enter(next.value);
    }
  }
  return cycles;
}

/**
 * A section's policies see calls of the section's tools and no others. So a prerequisite outside them would never count, and
 * policies of a section without tools would bind nothing.
 */
function sectionComplaints(agent: PlacedAgent): readonly Complaint[] {
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
