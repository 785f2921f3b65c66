import type { Complaint, ConfigPath } from "./config-fault.ts";
import type { FeedbackConfig, PolicyConfig } from "./config-schema.ts";
import { dependencyCycles } from "./dependency-cycles.ts";
import type { Placed, PlacedAgent } from "./merge-defaults.ts";
import { sectionComplaints } from "./section-sense.ts";
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
