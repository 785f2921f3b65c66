import type { Agent, AgentSection, Limits } from "../../base/words/agent.ts";
import type { RuleSet } from "../../base/words/rule.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { buildCompletion } from "./build-completion.ts";
import { buildFeedback } from "./build-feedback.ts";
import { buildPolicy } from "./build-policy.ts";
import { buildTold } from "./build-told.ts";
import type { Complaint, ConfigPath } from "./config-fault.ts";
import type { LimitsConfig } from "./config-schema.ts";
import { type AgentProblem, agentProblems, fillAgent } from "./define-agent.ts";
import type { PlacedAgent } from "./merge-defaults.ts";

/** An agent as the file describes it, and what `defineAgent` would have against it, each with its place. */
export function buildAgent(
  config: PlacedAgent,
  ruleSet: RuleSet | undefined,
): { readonly agent: Agent; readonly complaints: readonly Complaint[] } {
  const completion = buildCompletion(config.completion.value);
  const agent = fillAgent({
    name: config.name,
    sections: config.sections.map(({ value }) => buildSection(value)),
    tools: config.tools.map(({ value }) => value),
    actions: ruleSet?.actions ?? config.actions.value,
    policies: [
      ...config.policies.map(({ value }) => buildPolicy(value)),
      ...(ruleSet === undefined ? [] : [new RulesPolicy(ruleSet)]),
    ],
    feedback: config.feedback.map(({ value }) => buildFeedback(value)),
    completion,
    limits: buildLimits(config.limits.value),
    trustedTools: config.trustedTools.map(({ value }) => value),
    ...buildTold(config),
  });
  const complaints = agentProblems(agent).map((problem) => ({
    path: [...placeOf(problem, agent, config), ...(problem.at ?? [])],
    at: "value" as const,
    message: problem.message,
    hint: problem.hint,
  }));
  return { agent, complaints };
}

function buildSection({ policies, ...section }: PlacedAgent["sections"][number]["value"]): AgentSection {
  return { ...section, ...(policies === undefined ? {} : { policies: policies.map(buildPolicy) }) };
}

function buildLimits({ gather, check, completion, ...limits }: LimitsConfig): Limits {
  return {
    ...limits,
    ...(gather === undefined ? {} : { gatherMs: gather }),
    ...(check === undefined ? {} : { checkMs: check }),
    ...(completion === undefined ? {} : { completionMs: completion }),
  };
}

/** Of things that share a name the last is shown: it is the one that came to the name when it was taken. */
function placeOf({ about, name }: AgentProblem, agent: Agent, config: PlacedAgent): ConfigPath {
  if (about === "limit") return config.limits.at(name);
  const parts: readonly { readonly about: AgentProblem["about"]; readonly name: string; readonly path: ConfigPath }[] =
    [
      ...agent.sections.flatMap(({ policies = [] }, section) =>
        policies.map((policy, at) => ({
          about: "policy" as const,
          name: policy.name,
          path: [...pathOf(config.sections[section]), "policies", at],
        })),
      ),
      // The rules' own policy stands nowhere in the file: who took its name is meant.
      ...config.policies.map(({ path }, at) => ({
        about: "policy" as const,
        name: agent.policies[at]?.name ?? "",
        path,
      })),
      ...agent.tools.map((tool, at) => ({ about: "tool" as const, name: tool.name, path: pathOf(config.tools[at]) })),
      ...agent.feedback.map(({ provider }, at) => ({
        about: "feedback" as const,
        name: provider.name,
        path: pathOf(config.feedback[at]),
      })),
      ...agent.contributors.map(({ id }, at) => ({
        about: "contributor" as const,
        name: id,
        path: pathOf(config.promptContributors[at]),
      })),
    ];
  return parts.findLast((part) => part.about === about && part.name === name)?.path ?? config.path;
}

function pathOf(placed: { readonly path: ConfigPath } | undefined): ConfigPath {
  return placed?.path ?? [];
}
