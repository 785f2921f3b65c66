import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import type { Condition, Rule } from "../../../base/words/rule.ts";
import type { BuiltRule } from "./build-rule.ts";
import type { Finding, RuleNames } from "./check-names.ts";
import { EFFECTS } from "./rule-file-schema.ts";
import { onlySets } from "./write-rule.ts";

/**
 * Prerequisites that no call can ever satisfy, because what would establish them waits for itself, is forbidden, or is
 * unreachable too. Only rules that deny without `when` and `unless` are certain enough.
 */
export function checkReach(rules: readonly BuiltRule[], names: RuleNames): readonly Finding[] {
  const binding = rules.filter(({ value: { effect, when, unless, require, atMost, set } }) => {
    const objects = require !== undefined || (atMost === undefined && set === undefined);
    return (effect === "deny" || effect === "end-turn") && when === undefined && unless === undefined && objects;
  });
  const used = [...new Set([...names.callable, ...rules.flatMap(namesOf)])];
  const targets = new Map(binding.map((rule) => [rule, new Set(rule.value.on.flatMap((on) => names.matching(on)))]));
  // A call of an action is always a call of its tool too.
  const isOn = (rule: BuiltRule, name: string) => {
    const matched = targets.get(rule);
    return matched?.has(name) === true || matched?.has(names.action(name)?.tool ?? name) === true;
  };
  const rulesOn = new Map(used.map((name) => [name, binding.filter((rule) => isOn(rule, name))]));
  const reached = reachable(used, rulesOn, names);
  const reported = new Set<BuiltRule>();
  return binding.flatMap((rule): readonly Finding[] => {
    const { require } = rule.value;
    if (require === undefined || satisfiable(require, reached) || reported.has(rule)) return [];
    const opposed = contradiction(require);
    if (opposed !== undefined) {
      return [fault(rule, `this can never be met: it both requires and forbids '${opposed}'`)];
    }
    const circle = circleFrom(rule, isOn, rulesOn, reached, names);
    if (circle !== undefined) {
      for (const { by } of circle) if (by !== undefined) reported.add(by);
      const chain = circle.map(({ name }) => name).join(" needs ");
      return [fault(rule, `this is a cycle, so none of these can ever run: ${chain}`)];
    }
    const [lost = ""] = unmetNames(require, reached);
    const by = blockers(lost, rulesOn, names)[0];
    const why = by === undefined ? "because nothing establishes it" : `because rule '${by.value.id}' always denies it`;
    return [fault(rule, `this can never be met: '${lost}' cannot happen, ${why}`)];
  });
}

function fault({ draft, path, leaves, onPath }: BuiltRule, message: string): Finding {
  const inRequire = leaves[0]?.path.slice(0, path.length + 1);
  return {
    draft,
    complaint: {
      path: inRequire ?? onPath,
      message,
      hint: "change one of these rules, or add a 'when' to one",
    },
    level: "fault",
  };
}

function namesOf({ value, leaves }: BuiltRule): readonly string[] {
  return [...value.on.filter((name) => !name.includes("*")), ...leaves.map(({ value: { call } }) => call)];
}

/** The smallest fixed point: a name is reachable when every rule on it can be met by reachable names. */
function reachable(
  used: readonly string[],
  rulesOn: ReadonlyMap<string, readonly BuiltRule[]>,
  names: RuleNames,
): ReadonlySet<string> {
  const reached = new Set<string>();
  for (let before = -1; before < reached.size; ) {
    before = reached.size;
    for (const name of used) {
      if (reached.has(name)) continue;
      const callable = names.action(name) !== undefined || names.isTool(name) || !names.isFact(name);
      const open = (rulesOn.get(name) ?? []).every(
        ({ value: { require } }) => require !== undefined && satisfiable(require, reached),
      );
      if ((callable && open) || names.establishing(name).some((by) => reached.has(by))) reached.add(name);
    }
  }
  return reached;
}

function satisfiable(condition: Condition, reached: ReadonlySet<string>): boolean {
  switch (condition.kind) {
    case "all":
      return condition.of.every((one) => satisfiable(one, reached)) && contradiction(condition) === undefined;
    case "any":
      return condition.of.some((one) => satisfiable(one, reached));
    case "not":
      return true;
    case "call":
      return reached.has(condition.call);
  }
}

/** A call that an `all` both requires and forbids. */
function contradiction(condition: Condition): string | undefined {
  if (condition.kind !== "all") return undefined;
  const wanted = new Set(condition.of.filter(({ kind }) => kind !== "not").map((one) => JSON.stringify(one)));
  for (const one of condition.of) {
    if (one.kind === "not" && one.of.kind === "call" && wanted.has(JSON.stringify(one.of))) return one.of.call;
  }
  return undefined;
}

function unmetNames(condition: Condition, reached: ReadonlySet<string>): readonly string[] {
  if (condition.kind === "call") return reached.has(condition.call) ? [] : [condition.call];
  return condition.kind === "not" ? [] : condition.of.flatMap((one) => unmetNames(one, reached));
}

/** The rules that block a name, or block whatever would establish it. */
function blockers(
  name: string,
  rulesOn: ReadonlyMap<string, readonly BuiltRule[]>,
  names: RuleNames,
): readonly BuiltRule[] {
  return [name, ...names.establishing(name)].flatMap((one) => rulesOn.get(one) ?? []);
}

type Need = { readonly name: string; readonly by?: BuiltRule };

/** A cycle of unreachable names that leads back to the rule's own calls, if there is one. */
function circleFrom(
  rule: BuiltRule,
  isOn: (rule: BuiltRule, name: string) => boolean,
  rulesOn: ReadonlyMap<string, readonly BuiltRule[]>,
  reached: ReadonlySet<string>,
  names: RuleNames,
): readonly Need[] | undefined {
  const { require } = rule.value;
  if (require === undefined) return undefined;
  const seen = new Set<string>();
  const ways: Need[][] = unmetNames(require, reached).map((name) => [{ name }]);
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const last = way.at(-1);
    if (last === undefined || seen.has(last.name)) continue;
    seen.add(last.name);
    const candidates = [last.name, ...names.establishing(last.name)];
    if (candidates.some((name) => isOn(rule, name))) {
      const start = candidates.find((name) => isOn(rule, name)) ?? last.name;
      return [{ name: start, by: rule }, ...way];
    }
    for (const by of blockers(last.name, rulesOn, names)) {
      if (by.value.require === undefined) continue;
      const step = [...way.slice(0, -1), { ...last, by }];
      ways.push(...unmetNames(by.value.require, reached).map((name) => [...step, { name }]));
    }
  }
  return undefined;
}

/** Rules that share an id. */
export function checkIds(rules: readonly BuiltRule[]): readonly Finding[] {
  const byId = new Map<string, BuiltRule>();
  return rules
    .filter(({ value }) => value.id !== "")
    .flatMap((built): readonly Finding[] => {
      const { value: rule, draft, path } = built;
      const namesake = byId.get(rule.id);
      if (namesake === undefined) {
        byId.set(rule.id, built);
        return [];
      }
      const hint = `the other is at ${placeText(namesake.value)}; rename one of them`;
      const message = `two rules are named '${rule.id}'`;
      return [{ draft, complaint: { path: [...path, "id"], message, hint }, level: "fault" }];
    });
}

/** Pairs of contradictory rules on the same calls. */
export function checkEffects(rules: readonly BuiltRule[]): readonly Finding[] {
  const bySituation = new Map<string, BuiltRule[]>();
  return rules.flatMap((built): readonly Finding[] => {
    const { value: rule, draft, path } = built;
    const situation = canonicalJson([[...rule.on].sort(), rule.when ?? null, rule.unless ?? null]);
    const others = bySituation.get(situation) ?? [];
    bySituation.set(situation, [...others, built]);
    for (const { value: other } of others) {
      // A level changes effects, and packs at different levels may be combined: the strictest effect wins.
      if ([rule, other].some(({ level = "standard" }) => level !== "standard")) continue;
      const why = conflictOf(rule, other);
      if (why === undefined) continue;
      const message = `this contradicts rule '${other.id}' (${placeText(other)}): ${why}`;
      const hint = "remove one of them, or separate them with 'when'";
      return [{ draft, complaint: { path, message, hint }, level: "fault" }];
    }
    return [];
  });
}

/** Why two rules on the same calls contradict each other; `undefined` when they do not. */
function conflictOf(a: Rule, b: Rule): string | undefined {
  for (const [argument, value] of Object.entries(a.set ?? {})) {
    if (Object.hasOwn(b.set ?? {}, argument) && canonicalJson(b.set?.[argument]) !== canonicalJson(value)) {
      return `both set '${argument}', to different values`;
    }
  }
  if (onlySets(a) || onlySets(b) || a.effect === "shadow" || b.effect === "shadow") return undefined;
  if (blocks(a) && blocks(b) && areOpposite(a, b))
    return "one requires what the other forbids, so every call is denied";
  if (a.effect === b.effect) return undefined;
  const [strict, lenient] = EFFECTS.indexOf(a.effect) < EFFECTS.indexOf(b.effect) ? [a, b] : [b, a];
  if (demand(a) === demand(b))
    return `they require the same, but one has the effect '${a.effect}', the other '${b.effect}'`;
  const always = strict.require === undefined && strict.atMost === undefined;
  return always ? `'${strict.effect}' always wins, so '${lenient.effect}' never happens` : undefined;
}

function areOpposite(a: Rule, b: Rule): boolean {
  const isNot = (one: Rule, other: Rule) =>
    one.require?.kind === "not" && canonicalJson(one.require.of) === canonicalJson(other.require ?? null);
  return isNot(a, b) || isNot(b, a);
}

function blocks({ effect }: Rule): boolean {
  return effect === "deny" || effect === "end-turn";
}

function demand({ require, atMost }: Rule): string {
  return canonicalJson([require ?? null, atMost ?? null]);
}

function placeText({ place }: Rule): string {
  return place === undefined ? "in the same agent" : `${place.file}:${place.line}`;
}
