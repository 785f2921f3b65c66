import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { PromptContributor } from "../../../base/words/prompt.ts";
import type { Condition, Rule, RuleSet } from "../../../base/words/rule.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";

/** Prefix for names of workspace actions and contributors, so none can pass for one of the operator's. */
const PREFIX = "workspace:";

export type Tightening = {
  readonly contributors: readonly PromptContributor[];
  readonly rules?: RuleSet;
};

/**
 * Adds the workspace's rules to the operator's agent as a separate policy with separate action names. They can never
 * satisfy an operator's rule or weaken an effect.
 */
export function tighten(agent: Agent, { contributors, rules }: Tightening): Agent {
  const own = contributors.map((one) => ({ ...one, id: `${PREFIX}${one.id}` }));
  const more = { ...agent, contributors: [...agent.contributors, ...own] };
  if (rules === undefined || rules.rules.length === 0) return more;
  const renamed = renameActions(rules);
  return {
    ...more,
    actions: { ...agent.actions, ...renamed.actions },
    policies: [...agent.policies, new RulesPolicy(renamed, { name: `${PREFIX}rules` })],
  };
}

function renameActions({ actions, rules }: RuleSet): RuleSet {
  const own = (name: string) => (Object.hasOwn(actions, name) ? `${PREFIX}${name}` : name);
  const entries = Object.entries(actions).map(([name, { implies, ...action }]) => [
    own(name),
    { ...action, ...(implies === undefined ? {} : { implies: implies.map(own) }) },
  ]);
  return { actions: Object.fromEntries(entries), rules: rules.map((rule) => renameRule(rule, own)) };
}

function renameRule(rule: Rule, own: (name: string) => string): Rule {
  // A pattern matches tools, the operator's actions and the workspace's actions.
  const on = rule.on.flatMap((name) => (name.includes("*") ? [name, `${PREFIX}${name}`] : [own(name)]));
  return { ...rule, on, ...(rule.require === undefined ? {} : { require: renameCondition(rule.require, own) }) };
}

function renameCondition(condition: Condition, own: (name: string) => string): Condition {
  switch (condition.kind) {
    case "all":
    case "any":
      return { ...condition, of: condition.of.map((one) => renameCondition(one, own)) };
    case "not":
      return { ...condition, of: renameCondition(condition.of, own) };
    case "call":
      return {
        ...condition,
        call: own(condition.call),
        ...(condition.since === undefined ? {} : { since: own(condition.since) }),
      };
  }
}
