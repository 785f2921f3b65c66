import { stringify } from "yaml";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { CallLeaf, Condition, Rule, RuleAction, RuleSet } from "../../../base/words/rule.ts";
import { shortDuration } from "./describe-rule.ts";

/** One rule as a rule file that says the same, with the actions that it is about: whatever file it came from. */
export function writeRule(rule: Rule, actions: RuleSet["actions"]): string {
  const used = usedActions(rule, actions);
  return writeRules({
    ...(Object.keys(used).length === 0 ? {} : { actions: used as unknown as JsonObject }),
    rules: [ruleOf(rule)],
  });
}

/** What a rule file says, as its text. */
export function writeRules(file: JsonObject): string {
  return stringify(file, { lineWidth: 100, flowCollectionPadding: true });
}

function ruleOf(rule: Rule): JsonObject {
  const { id, on, unless, when, require, atMost, set, effect, say } = rule;
  const onlySets = set !== undefined && require === undefined && atMost === undefined;
  return {
    id,
    on: one(on),
    unless,
    when,
    require: require === undefined ? undefined : conditionOf(require),
    atMost:
      atMost === undefined
        ? undefined
        : { count: atMost.count, ...(atMost.per.length === 0 ? {} : { per: atMost.per }) },
    set,
    // A rule that only sets never objects: there it would be a fault to say how.
    ...(onlySets ? {} : { effect }),
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
    ...(same.length === 0 ? {} : { same: sameOf(same) }),
    ...(fresh ? { fresh } : {}),
    within: within === undefined ? undefined : shortDuration(within),
    since,
    where,
    ...(counts === "allowed" ? { counts } : {}),
  };
  return Object.keys(more).length === 0 ? call : { call, ...more };
}

function sameOf(pairs: CallLeaf["same"]): Json {
  return pairs.every(({ mine, theirs }) => mine === theirs)
    ? pairs.map(({ mine }) => mine)
    : Object.fromEntries(pairs.map(({ mine, theirs }) => [mine, theirs]));
}

function one(names: readonly string[]): Json {
  return names.length === 1 && names[0] !== undefined ? names[0] : names;
}

/** Those that it names, and those that imply something it names: without them its evidence would never come. */
function usedActions({ on, require }: Rule, actions: RuleSet["actions"]): { readonly [name: string]: RuleAction } {
  const names = new Set([...on, ...(require === undefined ? [] : namesIn(require))]);
  const used = Object.entries(actions).filter(
    ([name, { implies = [] }]) =>
      names.has(name) || implies.some((fact) => names.has(fact)) || on.some((pattern) => matches(pattern, name)),
  );
  return Object.fromEntries(used);
}

function namesIn(condition: Condition): readonly string[] {
  if (condition.kind === "call") return [condition.call, ...(condition.since === undefined ? [] : [condition.since])];
  return condition.kind === "not" ? namesIn(condition.of) : condition.of.flatMap(namesIn);
}

function matches(pattern: string, name: string): boolean {
  if (!pattern.includes("*") || pattern === "*") return false;
  const [first = "", ...rest] = pattern.split("*");
  return name.startsWith(first) && name.endsWith(rest.at(-1) ?? "");
}
