import { canonicalJson } from "../../../../base/kernel/canonical-json.ts";
import type { Rule } from "../../../../base/words/rule.ts";
import type { BuiltRule } from "../build-rule.ts";
import { onlySets } from "../describe-rule.ts";
import { EFFECTS } from "../rule-file-schema.ts";
import type { Finding } from "./check-names.ts";

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
      const hint = `the other is at ${placeText(namesake.value)}; give one of them another name`;
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
      const why = contradiction(rule, other);
      if (why === undefined) continue;
      const message = `this contradicts rule '${other.id}' (${placeText(other)}): ${why}`;
      const hint = "remove one of them, or tell them apart with 'when'";
      return [{ draft, complaint: { path, message, hint }, level: "fault" }];
    }
    return [];
  });
}

/** Why two rules on the same calls contradict each other; `undefined` when they do not. */
function contradiction(a: Rule, b: Rule): string | undefined {
  for (const [argument, value] of Object.entries(a.set ?? {})) {
    if (Object.hasOwn(b.set ?? {}, argument) && canonicalJson(b.set?.[argument]) !== canonicalJson(value)) {
      return `both set '${argument}', to different values`;
    }
  }
  if (onlySets(a) || onlySets(b) || a.effect === "shadow" || b.effect === "shadow") return undefined;
  if (blocks(a) && blocks(b) && areOpposite(a, b)) return "one wants what the other forbids, so every call is denied";
  if (a.effect === b.effect) return undefined;
  const [strict, lenient] = EFFECTS.indexOf(a.effect) < EFFECTS.indexOf(b.effect) ? [a, b] : [b, a];
  if (demand(a) === demand(b)) return `they ask for the same, and one says '${a.effect}', the other '${b.effect}'`;
  const always = strict.require === undefined && strict.atMost === undefined;
  return always ? `'${strict.effect}' always comes first, so '${lenient.effect}' never happens` : undefined;
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
