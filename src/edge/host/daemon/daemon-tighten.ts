import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { PromptContributor } from "../../../base/words/prompt.ts";
import type { Condition, Rule, RuleSet } from "../../../base/words/rule.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";

/** Before the names of a workspace's actions and contributors: none of them is taken for one of the operator's. */
const PREFIX = "workspace:";

export type Tightening = {
  readonly contributors: readonly PromptContributor[];
  readonly rules?: RuleSet;
};

/**
 * The operator's agent with what a workspace adds to it. Its rules are a policy of their own, and its actions have names of their
 * own: whatever they say, nothing that the operator's rules ask for is proven by them, and no effect becomes weaker.
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
  // A pattern stands for tools, for the operator's actions and for those of the workspace.
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
