import { stringify } from "yaml";
import { globMatches } from "../../../base/kernel/glob.ts";
import type { ActionSpec } from "../../../base/words/hosting/agent.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { AtMost, CallLeaf, Condition, Rule, RuleSet } from "../../../base/words/rule.ts";

/** Writes one rule as a rule file, with the actions that it uses. */
export function writeRule(rule: Rule, actions: RuleSet["actions"]): string {
  const used = usedActions(rule, actions);
  const actionsOf = Object.keys(used).length === 0 ? undefined : (used as unknown as JsonObject);
  return writeRules({ patterns: rule.patterns, actions: actionsOf, rules: [ruleOf(rule)] });
}

export function writeRules(file: JsonObject): string {
  return stringify(file, { lineWidth: 100, flowCollectionPadding: true });
}

function ruleOf(rule: Rule): JsonObject {
  const { id, on, when, require, atMost, set, effect, why, say, remember, tag } = rule;
  return {
    id,
    why,
    on: one(on),
    unless: unlessOf(rule),
    when,
    require: require && conditionOf(require),
    atMost: atMost && { count: atMost.count, per: atMost.per.length === 0 ? undefined : atMost.per },
    set,
    effect: onlySets(rule) ? undefined : effect,
    say,
    remember,
    tag: tag && one(tag),
  };
}

/** An exemption is written by the file that uses the rule, so a rule alone has it in its own condition. */
function unlessOf({ unless, except }: Rule): string | undefined {
  return unless === undefined || except === undefined ? (unless ?? except) : `(${unless}) || (${except})`;
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
function usedActions({ on, require }: Rule, actions: RuleSet["actions"]): { readonly [name: string]: ActionSpec } {
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

/** One rule in a line: `on deploy · needs test and build · deny`. */
export function describeRule(rule: Rule): string {
  const { on, when, unless, require, atMost, set, effect } = rule;
  const parts = [
    `on ${on.join(", ")}`,
    unless && `unless ${oneLine(unless)}`,
    when && `when ${oneLine(when)}`,
    require && `needs ${describeCondition(require)}`,
    atMost && describeAtMost(atMost),
    set && `sets ${Object.keys(set).join(", ")}`,
    onlySets(rule) ? undefined : effect,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

/** A rule that only sets arguments never objects, so it has no effect. */
export function onlySets({ set, require, atMost }: Rule): boolean {
  return set !== undefined && require === undefined && atMost === undefined;
}

/** Every name that a condition looks for. */
export function namesIn(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return [];
  if (condition.kind === "call") return [condition.call, condition.since].filter((name) => name !== undefined);
  return condition.kind === "not" ? namesIn(condition.of) : condition.of.flatMap(namesIn);
}

/** `test and (build or deploy)`. */
function describeCondition(condition: Condition, inner = false): string {
  switch (condition.kind) {
    case "call":
      return describeLeaf(condition);
    case "not":
      return `no ${describeCondition(condition.of, true)}`;
    case "all":
    case "any": {
      const text = condition.of
        .map((one) => describeCondition(one, true))
        .join(condition.kind === "all" ? " and " : " or ");
      return inner && condition.of.length > 1 ? `(${text})` : text;
    }
  }
}

/** `read_file with the same path, fresh`. */
export function describeLeaf({ call, same, fresh, within, since, where, counts }: CallLeaf): string {
  const pairs = same.map(({ mine, theirs }) => (mine === theirs ? mine : `${theirs} as ${mine}`));
  const parts = [
    call,
    pairs.length > 0 && `with the same ${pairs.join(", ")}`,
    fresh && "fresh",
    within !== undefined && `within ${shortDuration(within)}`,
    since !== undefined && `since ${since}`,
    where !== undefined && `where ${oneLine(where)}`,
    counts === "allowed" && "allowed",
  ];
  return parts.filter((part) => part !== false).join(" ");
}

export function describeAtMost({ count, per }: AtMost): string {
  return `at most ${count}${per.length === 0 ? " in a session" : ` per ${per.join(", ")}`}`;
}

/** As written in a rule file: `90s`, `10m`. */
function shortDuration(ms: number): string {
  for (const [unit, size] of [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1_000],
  ] as const) {
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

function oneLine(source: string): string {
  const text = source.replace(/\s+/g, " ").trim();
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
