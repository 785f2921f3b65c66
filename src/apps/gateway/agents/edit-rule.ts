import { asList, asObject, isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { RuleSet } from "../../../base/words/rule.ts";
import { type FoundRules, loadRules } from "../../../edge/host/opening/load-rules.ts";

/** What an operator does with one rule of an agent. `when`: a CEL expression on the calls to leave alone. */
export type RuleEdit =
  | { readonly kind: "shadow" }
  | { readonly kind: "enforce"; readonly effect?: string }
  | { readonly kind: "exempt"; readonly when: string };

/** A rule of a definition: one written in it, or one of a rule file that it names. */
type PlacedRule =
  | { readonly kind: "own"; readonly at: number }
  | ({ readonly kind: "file"; readonly at: number } & RulesInFile);

export type RulesInFile = FoundRules & { readonly text: string; readonly ruleSet: RuleSet };

/** Finds a rule by id among the rules and rule files of a definition; `home` is the folder of relative names. */
export async function findRule(definition: JsonObject, rule: string, home: string): Promise<PlacedRule | undefined> {
  const entries = asList(definition.rules);
  const own = entries.findIndex((entry) => isObject(entry) && entry.id === rule);
  if (own >= 0) return { kind: "own", at: own };
  for (const [at, entry] of entries.entries()) {
    const name = referenceOf(entry);
    const read = name === undefined ? undefined : await readRuleFile(name, home);
    const { rules = [], off = [] } = read?.ruleSet ?? {};
    if (read !== undefined && [...rules, ...off].some(({ id }) => id === rule)) return { kind: "file", at, ...read };
  }
  return undefined;
}

export async function readRuleFile(reference: string, home: string): Promise<RulesInFile | undefined> {
  const read = await loadRules(reference, home);
  if ("error" in read || "faults" in read.parsed) return undefined;
  const { path, shown, text, parsed } = read;
  return { path, shown, text, ruleSet: parsed.ruleSet };
}

/** Returns the definition with the rule in shadow mode, enforced, or with one more exemption. */
export function editRule(definition: JsonObject, rule: string, place: PlacedRule, edit: RuleEdit): JsonObject {
  const rules = asList(definition.rules).map((entry, at) => {
    if (at !== place.at) return entry;
    return place.kind === "own" ? editOwn(asObject(entry), edit) : editUse(useOf(entry), rule, edit);
  });
  return { ...definition, rules };
}

function editOwn(rule: JsonObject, edit: RuleEdit): JsonObject {
  if (edit.kind === "shadow") return { ...rule, effect: "shadow" };
  if (edit.kind === "enforce") return { ...rule, effect: edit.effect ?? "deny" };
  return { ...rule, unless: either(rule.unless, edit.when) };
}

function editUse(use: JsonObject, rule: string, edit: RuleEdit): JsonObject {
  const without = (list: Json | undefined) => asList(list).filter((id) => id !== rule);
  switch (edit.kind) {
    case "shadow":
      return { ...use, shadow: [...without(use.shadow), rule] };
    case "enforce": {
      const [shadow, off] = [without(use.shadow), without(use.off)];
      return {
        ...use,
        shadow: shadow.length === 0 ? undefined : shadow,
        off: off.length === 0 ? undefined : off,
      };
    }
    case "exempt": {
      const except = asObject(use.except);
      return { ...use, except: { ...except, [rule]: either(except[rule], edit.when) } };
    }
  }
}

function either(before: Json | undefined, when: string): string {
  return typeof before === "string" && before.trim() !== "" ? `(${before}) || (${when})` : when;
}

function referenceOf(entry: Json): string | undefined {
  const name = isObject(entry) ? entry.pack : entry;
  return typeof name === "string" ? name : undefined;
}

function useOf(entry: Json): JsonObject {
  return isObject(entry) ? entry : { pack: entry };
}
