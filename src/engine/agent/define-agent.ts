import { optionFaults } from "../../base/kernel/check-options.ts";
import type { Agent, Limits } from "../../base/words/hosting/agent.ts";
import type { RuleSet } from "../../base/words/rule.ts";
import { feedbackFaults } from "../../behavior/feedback/feedback-state.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { isReservedHeading } from "../../behavior/prompt/reserved-headings.ts";
import { type RuleInput, rulesInCode } from "./agent-rules.ts";
import { agentKeys } from "./agent-shapes.ts";
import type { ConfigPath } from "./config/config-source.ts";
import { contributorProblems } from "./config/contributor-problems.ts";
import { MODEL, MODEL_FORM } from "./config/schema-fields.ts";

type AgentParts = Pick<Agent, "name"> & Partial<Omit<Agent, "name">>;

/** A definition in code. `rules` are written as in YAML and apply like any policy. */
export type AgentInput = AgentParts & { readonly rules?: readonly RuleInput[] };

/** An invalid definition. `faults` lists everything, not only the first fault. */
export class AgentError extends Error {
  readonly faults: readonly string[];
  constructor(agent: string, faults: readonly string[]) {
    super(`agent '${agent}' cannot be used:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
    this.name = "AgentError";
    this.faults = faults;
  }
}

/** One fault of a definition and the part that it is about. */
export type AgentProblem = {
  readonly about: "agent" | "policy" | "tool" | "feedback" | "limit" | "contributor";
  readonly name: string;
  readonly message: string;
  /** Path within that part. */
  readonly at?: ConfigPath;
  readonly hint?: string;
};

/** Checks a definition and fills in what it leaves out. Throws an `AgentError` that names every fault. */
export function defineAgent(input: AgentInput): Agent {
  const wrong = optionFaults(input, agentKeys);
  if (wrong.length > 0) throw new AgentError(String(Object(input).name ?? ""), wrong);
  const { rules = [], ...parts } = input;
  const { ruleSet, faults: wrongRules } = rulesInCode(rules, parts.tools ?? [], parts.actions ?? {}, parts.programs);
  if (wrongRules.length > 0) throw new AgentError(input.name, wrongRules);
  const agent = fillAgent(ruleSet === undefined ? parts : withRules(parts, ruleSet));
  const faults = agentProblems(agent).map(({ message, hint }) =>
    hint === undefined ? message : `${message}; ${hint}`,
  );
  if (faults.length > 0) throw new AgentError(agent.name, faults);
  return agent;
}

function withRules(parts: AgentParts, ruleSet: RuleSet): AgentParts {
  return { ...parts, actions: ruleSet.actions, policies: [...(parts.policies ?? []), new RulesPolicy(ruleSet)] };
}

/** Fills in defaults without checking. */
export function fillAgent(input: AgentParts): Agent {
  // Copies, so that nobody can remove a constraint later through the original lists.
  return Object.freeze({
    ...input,
    sections: frozen(input.sections).map((section) => Object.freeze({ ...section })),
    tools: frozen(input.tools),
    actions: Object.freeze({ ...input.actions }),
    policies: frozen(input.policies),
    feedback: frozen(input.feedback),
    limits: Object.freeze({ ...input.limits }),
    trustedTools: frozen(input.trustedTools),
    contributors: frozen(input.contributors),
    prompt: Object.freeze({ ...input.prompt }),
  });
}

function frozen<T>(list: readonly T[] | undefined): readonly T[] {
  return Object.freeze([...(list ?? [])]);
}

/** Everything that is wrong with a definition; empty when it can be used. */
export function agentProblems(agent: Agent): readonly AgentProblem[] {
  const problems: AgentProblem[] = [];
  const add = (about: AgentProblem["about"], name: string, message: string, hint?: string, at?: ConfigPath) =>
    problems.push({ about, name, message, hint, at });
  const policies = [...agent.sections.flatMap((section) => section.policies ?? []), ...agent.policies];
  const providers = agent.feedback.map(({ provider }) => provider.name);

  if (agent.name.trim() === "") add("agent", "", "the agent's name is empty");
  for (const name of repeated(new Set(policies), (policy) => policy.name)) {
    add(
      "policy",
      name,
      `two policies are named '${name}'; rename one of them, because a policy's state is stored under its name`,
    );
  }
  for (const { name } of policies) {
    if (name.startsWith("builtin:"))
      add("policy", name, `policy '${name}': names that start with builtin: are reserved`);
  }
  for (const name of repeated(agent.tools, (tool) => tool.name)) add("tool", name, `tool '${name}' is declared twice`);
  for (const message of feedbackFaults(agent.feedback)) {
    add("feedback", providers.find((name) => message.includes(`'${name}'`)) ?? "", message);
  }
  for (const [name, value] of limitEntries(agent.limits)) {
    if (typeof value === "number" && Number.isFinite(value) && value > 0) continue;
    add("limit", name, `limit '${name}' must be a positive number, not ${value}`);
  }
  for (const name of ["toolResultShare", "turnResultShare"] as const) {
    if ((agent.limits[name] ?? 1) > 1)
      add("limit", name, `limit '${name}' is a share of the context window and must be at most 1`);
  }
  for (const { heading } of agent.sections) {
    if (!isReservedHeading(heading)) continue;
    const message = `the heading '${heading}' is reserved for one of Conduct's own sections`;
    add("agent", agent.name, message, "use another heading; for identity and soul use the keys 'identity' and 'soul'");
  }
  for (const contributor of agent.contributors) {
    for (const { message, hint, at } of contributorProblems(contributor)) {
      add("contributor", contributor.id, message, hint, at);
    }
  }
  for (const id of repeated(agent.contributors, (contributor) => contributor.id)) {
    const hint = "rename one of them; 'defaults' may define it too";
    add("contributor", id, `two contributors have the id '${id}'`, hint, ["id"]);
  }
  for (const message of settingProblems(agent)) add("agent", agent.name, message);
  return problems;
}

/** Checks that the schema of conduct.yaml would make. */
function settingProblems({ model, prompt, sessionLabels, memory }: Agent): readonly string[] {
  const { budget, mode, layout } = prompt;
  const { every, wait } = sessionLabels ?? {};
  return [
    ...modelProblem("model", model),
    ...modelProblem("sessionLabels.model", sessionLabels?.model),
    ...(isPositive(budget) ? [] : [`prompt.budget must be a number of tokens above 0, not ${budget}`]),
    ...(isPositive(every) ? [] : [`sessionLabels.every must be a number of turns above 0, not ${every}`]),
    ...(wait === undefined || wait >= 0 ? [] : [`sessionLabels.wait must be a number of milliseconds, not ${wait}`]),
    ...notOneOf("prompt.mode", mode, ["full", "minimal", "none"]),
    ...notOneOf("prompt.layout", layout, ["cache", "priority"]),
    ...notOneOf("memory", memory, ["on-demand", "preload", "off"]),
  ];
}

function modelProblem(key: string, model: string | undefined): readonly string[] {
  return model === undefined || MODEL.test(model) ? [] : [`${key} ${MODEL_FORM}, not '${model}'`];
}

function notOneOf(key: string, value: string | undefined, known: readonly string[]): readonly string[] {
  return value === undefined || known.includes(value)
    ? []
    : [`${key} must be one of ${known.join(", ")}, not '${value}'`];
}

function isPositive(value: number | undefined): boolean {
  return value === undefined || (Number.isFinite(value) && value > 0);
}

/** Names that occur more than once. */
function repeated<T>(items: Iterable<T>, nameOf: (item: T) => string): readonly string[] {
  const seen = new Set<string>();
  const again = new Set<string>();
  for (const item of items) (seen.has(nameOf(item)) ? again : seen).add(nameOf(item));
  return [...again];
}

/** Every limit by its name in conduct.yaml: `calls`, `turn.calls`. */
function limitEntries({ turn = {}, day = {}, ...session }: Limits): readonly (readonly [string, unknown])[] {
  const inScope = (scope: string, limits: object) =>
    Object.entries(limits).map(([name, value]) => [`${scope}.${name}`, value] as const);
  return [...Object.entries(session), ...inScope("turn", turn), ...inScope("day", day)];
}
