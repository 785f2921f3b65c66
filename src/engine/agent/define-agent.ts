import { optionFaults } from "../../base/kernel/check-options.ts";
import type { Agent, AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { RuleSet } from "../../base/words/rule.ts";
import { feedbackFaults } from "../../behavior/feedback/feedback-faults.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { isReservedHeading } from "../../behavior/prompt/reserved/reserved-headings.ts";
import type { ConfigPath } from "./config/config-fault.ts";
import { MODEL, MODEL_FORM } from "./config/config-fields.ts";
import { contributorProblems } from "./config/contributor-problems.ts";
import { agentKeys } from "./in-code/agent-shapes.ts";
import { type RuleInput, rulesInCode } from "./in-code/rules-in-code.ts";

type AgentParts = Pick<Agent, "name"> & Partial<Omit<Agent, "name">>;

/** A definition in code. `rules` are written as in YAML, and bind like any policy. */
export type AgentInput = AgentParts & { readonly rules?: readonly RuleInput[] };

/** Something is wrong with a definition; `faults` lists everything, not the first thing. */
export class AgentError extends Error {
  readonly faults: readonly string[];
  constructor(agent: string, faults: readonly string[]) {
    super(`agent '${agent}' cannot be used:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
    this.name = "AgentError";
    this.faults = faults;
  }
}

/** One fault of a definition, and the part of it that is meant. */
export type AgentProblem = {
  readonly about: "agent" | "policy" | "tool" | "feedback" | "limit" | "contributor";
  readonly name: string;
  readonly message: string;
  /** Which place in that part. */
  readonly at?: ConfigPath;
  readonly hint?: string;
};

/** Checks a definition and fills in what it leaves out. Throws an `AgentError` that names every fault. */
export function defineAgent(input: AgentInput): Agent {
  const wrong = optionFaults(input, agentKeys);
  if (wrong.length > 0) throw new AgentError(String(Object(input).name ?? ""), wrong);
  const { rules = [], ...parts } = input;
  const { ruleSet, faults: wrongRules } = rulesInCode(rules, parts.tools ?? [], parts.actions ?? {});
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

/** A definition with everything it leaves out, unchecked. */
export function fillAgent(input: AgentParts): Agent {
  // Copies: whoever holds the lists it was made from cannot take a constraint away later.
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
  const policies: readonly AnyPolicy[] = [
    ...agent.sections.flatMap((section) => section.policies ?? []),
    ...agent.policies,
  ];
  const providers = agent.feedback.map(({ provider }) => provider.name);
  return [
    ...(agent.name.trim() === "" ? [{ about: "agent" as const, name: "", message: "its name is empty" }] : []),
    ...repeated(new Set(policies), (policy) => policy.name).map((name) => ({
      about: "policy" as const,
      name,
      message: `two policies are named '${name}', and a name owns its state: give one of them another name`,
    })),
    ...policies
      .filter((policy) => policy.name.startsWith("builtin:"))
      .map(({ name }) => ({
        about: "policy" as const,
        name,
        message: `policy '${name}': names under builtin: are taken`,
      })),
    ...repeated(agent.tools, (tool) => tool.name).map((name) => ({
      about: "tool" as const,
      name,
      message: `tool '${name}' is declared twice`,
    })),
    ...feedbackFaults(agent.feedback).map((message) => ({
      about: "feedback" as const,
      name: providers.find((name) => message.includes(`'${name}'`)) ?? "",
      message,
    })),
    ...limitProblems(agent),
    ...toldProblems(agent),
  ];
}

function limitProblems({ limits }: Agent): readonly AgentProblem[] {
  const positive = Object.entries(limits)
    .filter(([, value]) => typeof value !== "number" || !Number.isFinite(value) || value <= 0)
    .map(([name, value]) => ({ name, message: `limit '${name}' must be a positive number, and is ${value}` }));
  const shares = (["toolResultShare", "turnResultShare"] as const)
    .filter((name) => (limits[name] ?? 1) > 1)
    .map((name) => ({ name, message: `limit '${name}' is a share of the window: at most 1` }));
  return [...positive, ...shares].map((problem) => ({ about: "limit", ...problem }));
}

/** Everything that is wrong with what an agent is told. */
function toldProblems(agent: Agent): readonly AgentProblem[] {
  return [
    ...agent.sections
      .filter(({ heading }) => isReservedHeading(heading))
      .map(({ heading }) => ({ about: "agent" as const, name: agent.name, ...reservedProblem(heading) })),
    ...agent.contributors.flatMap((contributor) =>
      contributorProblems(contributor).map((problem) => ({
        about: "contributor" as const,
        name: contributor.id,
        ...problem,
      })),
    ),
    ...repeated(agent.contributors, ({ id }) => id).map((id) => ({
      about: "contributor" as const,
      name: id,
      at: ["id"],
      message: `two contributors have the id '${id}'`,
      hint: "give one of them another id; the defaults may have it already",
    })),
    ...settingProblems(agent).map((message) => ({ about: "agent" as const, name: agent.name, message })),
  ];
}

function reservedProblem(heading: string): Pick<AgentProblem, "message" | "hint"> {
  return {
    message: `the heading '${heading}' belongs to one of Conduct's own sections`,
    hint: "give the section another heading; identity and soul have keys of their own",
  };
}

/** What conduct.yaml would have refused by its form. */
function settingProblems({ model, prompt, sessionLabels, memory }: Agent): readonly string[] {
  const { budget, mode, layout } = prompt;
  const { every, wait } = sessionLabels ?? {};
  return [
    ...modelProblem("model", model),
    ...modelProblem("sessionLabels.model", sessionLabels?.model),
    ...(isPositive(budget) ? [] : [`prompt.budget must be a number of tokens above 0, and is ${budget}`]),
    ...(isPositive(every) ? [] : [`sessionLabels.every must be a number of turns above 0, and is ${every}`]),
    ...(wait === undefined || wait >= 0 ? [] : [`sessionLabels.wait must be milliseconds, and is ${wait}`]),
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

/** Names that more than one of the items have, each once. */
function repeated<T>(items: Iterable<T>, nameOf: (item: T) => string): readonly string[] {
  const seen = new Set<string>();
  const again = new Set<string>();
  for (const item of items) (seen.has(nameOf(item)) ? again : seen).add(nameOf(item));
  return [...again];
}
