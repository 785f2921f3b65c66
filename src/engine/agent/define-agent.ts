import type { Agent, AnyPolicy } from "../../base/words/agent.ts";
import { feedbackFaults } from "../../behavior/feedback/feedback-faults.ts";

export type AgentInput = Pick<Agent, "name"> & Partial<Omit<Agent, "name">>;

/** Something is wrong with a definition; `faults` lists everything, not the first thing. */
export class AgentError extends Error {
  readonly faults: readonly string[];
  constructor(agent: string, faults: readonly string[]) {
    super(`agent '${agent}' cannot be used:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
    this.name = "AgentError";
    this.faults = faults;
  }
}

/** Checks a definition and fills in what it leaves out. Throws an `AgentError` that names every fault. */
export function defineAgent(input: AgentInput): Agent {
  const agent: Agent = {
    sections: [],
    tools: [],
    actions: {},
    policies: [],
    feedback: [],
    limits: {},
    trustedTools: [],
    ...input,
  };
  const faults = agentFaults(agent);
  if (faults.length > 0) throw new AgentError(agent.name, faults);
  return Object.freeze(agent);
}

export function agentFaults(agent: Agent): readonly string[] {
  const policies: readonly AnyPolicy[] = [
    ...agent.sections.flatMap((section) => section.policies ?? []),
    ...agent.policies,
  ];
  return [
    ...(agent.name.trim() === "" ? ["its name is empty"] : []),
    ...twice(new Set(policies), (policy) => policy.name).map(
      (name) => `two policies are named '${name}', and a name owns its state: give one of them another name`,
    ),
    ...policies
      .filter((policy) => policy.name.startsWith("builtin:"))
      .map((policy) => `policy '${policy.name}': names under builtin: are taken`),
    ...twice(agent.tools, (tool) => tool.name).map((name) => `tool '${name}' is declared twice`),
    ...feedbackFaults(agent.feedback),
    ...limitFaults(agent),
  ];
}

function limitFaults({ limits }: Agent): readonly string[] {
  const positive = Object.entries(limits)
    .filter(([, value]) => typeof value !== "number" || !Number.isFinite(value) || value <= 0)
    .map(([name, value]) => `limit '${name}' must be a positive number, and is ${value}`);
  const shares = (["toolResultShare", "turnResultShare"] as const)
    .filter((name) => (limits[name] ?? 1) > 1)
    .map((name) => `limit '${name}' is a share of the window: at most 1`);
  return [...positive, ...shares];
}

function twice<T>(items: Iterable<T>, nameOf: (item: T) => string): readonly string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const item of items) (seen.has(nameOf(item)) ? repeated : seen).add(nameOf(item));
  return [...repeated];
}
