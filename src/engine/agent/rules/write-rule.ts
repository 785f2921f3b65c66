import { stringify } from "yaml";
import { globMatches } from "../../../base/kernel/glob.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { CallLeaf, Condition, Rule, RuleAction, RuleSet } from "../../../base/words/rule.ts";
import { namesIn, onlySets, shortDuration } from "./describe-rule.ts";

/** Writes one rule as a rule file, with the actions that it uses. */
export function writeRule(rule: Rule, actions: RuleSet["actions"]): string {
  const used = usedActions(rule, actions);
  const actionsOf = Object.keys(used).length === 0 ? undefined : (used as unknown as JsonObject);
  return writeRules({ actions: actionsOf, rules: [ruleOf(rule)] });
}

export function writeRules(file: JsonObject): string {
  return stringify(file, { lineWidth: 100, flowCollectionPadding: true });
}

function ruleOf(rule: Rule): JsonObject {
  const { id, on, unless, when, require, atMost, set, effect, say } = rule;
  return {
    id,
    on: one(on),
    unless,
    when,
    require: require && conditionOf(require),
    atMost: atMost && { count: atMost.count, per: atMost.per.length === 0 ? undefined : atMost.per },
    set,
    effect: onlySets(rule) ? undefined : effect,
    say,
  };
}

function conditionOf(condition: Condition): Json {
  switch (condition.kind) {
    case "call":
      return leafOf(condition);
    case "not":
      return { not: conditionOf(condition.of) };
    case "all":
    case "any":
      return { [condition.kind]: condition.of.map(conditionOf) };
  }
}

function leafOf({ call, same, fresh, within, since, where, counts }: CallLeaf): Json {
  const more: JsonObject = {
    same: same.length === 0 ? undefined : sameOf(same),
    fresh: fresh || undefined,
    within: within === undefined ? undefined : shortDuration(within),
    since,
    where,
    counts: counts === "allowed" ? counts : undefined,
  };
  return Object.values(more).every((value) => value === undefined) ? call : { call, ...more };
}

function sameOf(pairs: CallLeaf["same"]): Json {
  return pairs.every(({ mine, theirs }) => mine === theirs)
    ? pairs.map(({ mine }) => mine)
    : Object.fromEntries(pairs.map(({ mine, theirs }) => [mine, theirs]));
}

function one(names: readonly string[]): Json {
  return names.length === 1 && names[0] !== undefined ? names[0] : names;
}

/** Actions that the rule names, and those that imply a name it uses: without them its evidence would never come. */
function usedActions({ on, require }: Rule, actions: RuleSet["actions"]): { readonly [name: string]: RuleAction } {
  const names = new Set([...on, ...namesIn(require)]);
  const used = Object.entries(actions).filter(
    ([name, { implies = [] }]) =>
      names.has(name) || implies.some((fact) => names.has(fact)) || on.some((pattern) => isMatch(pattern, name)),
  );
  return Object.fromEntries(used);
}

function isMatch(pattern: string, name: string): boolean {
  return pattern !== "*" && pattern.includes("*") && globMatches(pattern, name);
}
