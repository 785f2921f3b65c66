import { nearest } from "../../../base/kernel/nearest.ts";
import type { OffRule, Patterns, Rule } from "../../../base/words/rule.ts";
import { compilePredicate } from "../../../behavior/policy/rules/predicate/predicate.ts";
import type { ConfigFault } from "../config/config-source.ts";
import type { BuiltRule, RuleDraft } from "./build-rule.ts";
import type { PackConfig } from "./rule-file-schema.ts";

/** How a rule file is used if nothing else is written. */
const AS_IS: Omit<PackConfig, "pack"> = {};

/** The rules of one file at the chosen level, those that are off, and the faults of the choice. */
export type ChosenRules = {
  readonly rules: readonly BuiltRule[];
  readonly off: readonly OffRule[];
  readonly faults: readonly ConfigFault[];
};

/** Applies the level, `off`, `shadow`, `except` and `patterns` with which an agent uses a rule file. */
export function chooseRules(built: readonly BuiltRule[], draft: RuleDraft): ChosenRules {
  const { level = "standard", off = [], shadow = [], except = {} } = draft.choice?.value ?? AS_IS;
  const patterns = { ...draft.patterns, ...draft.choice?.value.patterns };
  const chosen = built.map((one): BuiltRule & { readonly away?: OffRule } => {
    const atLevel = one.levels[level];
    const effect = atLevel !== "off" && shadow.includes(one.value.id) ? "shadow" : atLevel;
    const { id, on, why, place } = one.value;
    const named = off.indexOf(id);
    const by = named < 0 ? undefined : placeOf(draft, named);
    if (named >= 0 || effect === "off") return { ...one, away: { id, on, why, place, level, by } };
    return { ...one, value: { ...one.value, ...additions(one.value, draft, patterns), effect } };
  });
  return {
    rules: chosen.filter(({ away }) => away === undefined),
    off: chosen.flatMap(({ away }) => away ?? []),
    faults: faultsOf(
      built.map(({ value }) => value),
      draft,
      [
        ...off.map((id, at) => ({ id, key: "off", at })),
        ...shadow.map((id, at) => ({ id, key: "shadow", at })),
        ...Object.keys(except).map((id) => ({ id, key: "except", at: id })),
      ],
    ),
  };
}

function additions(rule: Rule, { choice }: RuleDraft, patterns: Patterns) {
  const { level, except = {} } = choice?.value ?? AS_IS;
  const exempt = Object.hasOwn(except, rule.id) ? except[rule.id] : undefined;
  const written = JSON.stringify([rule.unless, rule.when, rule.require, exempt]);
  const used = Object.entries(patterns).filter(([name]) => new RegExp(`\\bpatterns\\W+${name}\\b`).test(written));
  return { level, except: exempt, patterns: used.length === 0 ? undefined : Object.fromEntries(used) };
}

function placeOf({ choice }: RuleDraft, at: number): OffRule["by"] {
  if (choice === undefined) return undefined;
  const { file, line } = choice.locate({ path: [...choice.path, "off", at], message: "" });
  return { file, line };
}

type Use = { readonly id: string; readonly key: string; readonly at: string | number };

/** Unknown rules and patterns, and exemptions that are no expressions. */
function faultsOf(rules: readonly Rule[], draft: RuleDraft, uses: readonly Use[]): readonly ConfigFault[] {
  const { choice, broken } = draft;
  if (choice === undefined || broken) return [];
  const { pack, except = {}, patterns = {} } = choice.value;
  const ids = rules.map(({ id }) => id);
  const known = Object.keys(draft.patterns);
  const fault = (key: string, at: string | number, message: string, hint: string, column?: number) =>
    choice.locate({
      path: [...choice.path, key, at],
      at: typeof at === "string" && column === undefined ? "key" : undefined,
      message,
      hint,
      column,
    });
  return [
    ...uses
      .filter(({ id }) => !ids.includes(id))
      .map(({ id, key, at }) => fault(key, at, `${pack} has no rule '${id}'`, nearestText(id, ids, pack))),
    ...Object.keys(patterns)
      .filter((name) => !known.includes(name))
      .map((name) => fault("patterns", name, `${pack} has no pattern '${name}'`, nearestText(name, known, pack))),
    ...Object.entries(except).flatMap(([id, source]) => {
      const compiled = compilePredicate(source, {}, draft.patterns);
      if (!("fault" in compiled)) return [];
      const {
        message,
        hint = 'write a CEL expression, such as args.path.matches("(^|/)tmp/")',
        column,
      } = compiled.fault;
      return [fault("except", id, `'${id}' cannot be used: ${message}`, hint, column ?? 1)];
    }),
  ];
}

/** The names that look most like the written one. */
function nearestText(written: string, names: readonly string[], pack: string): string {
  const close: string[] = [];
  for (let next = nearest(written, names); next !== undefined && close.length < 3; ) {
    close.push(next);
    next = nearest(
      written,
      names.filter((name) => !close.includes(name)),
    );
  }
  // A part of a name is a good guess too.
  const parts = written.split("-").filter((part) => part.length > 3);
  const alike = names.filter((name) => parts.some((part) => name.includes(part)) && !close.includes(name));
  const all = [...close, ...alike].slice(0, 3);
  if (all.length === 0) return `conduct policy check ${pack} lists its rules`;
  return `did you mean ${all.map((name) => `'${name}'`).join(", ")}?`;
}
