import type { Missing } from "../../../base/words/decision.ts";
import type { Facts } from "../../../base/words/facts.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { tupleOf, versionOf } from "./call-views.ts";
import type { CompiledCondition, CompiledRules, Leaf } from "./compile-rules.ts";
import { type RulesState, sightingOf, whyUntold } from "./rules-state.ts";
import { shownValue } from "./say.ts";

/** `undefined` is unknown. */
export type Truth = boolean | undefined;

/** What a condition came to, and what would have to change. */
export type Evaluated = { readonly truth: Truth; readonly missing: readonly Missing[] };

export type EvaluationContext = {
  readonly rules: CompiledRules;
  readonly state: RulesState;
  readonly facts: Facts;
  readonly now: number;
};

/** Kleene's three values through all, any and not. `missing` names what is not true. */
export function evaluate(condition: CompiledCondition, view: JsonObject, context: EvaluationContext): Evaluated {
  switch (condition.kind) {
    case "all": {
      const parts = condition.of.map((one) => evaluate(one, view, context));
      return { truth: allOf(parts), missing: parts.flatMap((part) => part.missing) };
    }
    case "any": {
      const parts = condition.of.map((one) => evaluate(one, view, context));
      const truth = anyOf(parts);
      return { truth, missing: truth === true ? [] : alternatives(parts) };
    }
    case "not":
      return negate(condition.of, evaluate(condition.of, view, context));
    case "leaf":
      return evaluateLeaf(condition, view, context);
  }
}

function evaluateLeaf(leaf: Leaf, view: JsonObject, { rules, state, facts, now }: EvaluationContext): Evaluated {
  const unmet = (truth: Truth, why: string): Evaluated => {
    const what = [leaf.call, ...leaf.mine.map((name) => `${name} ${shownValue(view[name])}`)].join(" with ");
    return { truth, missing: [{ what, why }] };
  };
  const tuple = tupleOf(view, leaf.mine, facts);
  if (tuple === undefined) return unmet(undefined, "this call does not say which");
  const monitor = rules.monitors.get(leaf.monitor);
  const seen = monitor === undefined ? undefined : sightingOf(state, monitor, tuple);
  if (seen === undefined && monitor?.kept === true && state.overflow) return unmet(undefined, whyUntold(state));
  if (seen === undefined) {
    return unmet(
      false,
      state.evidence.forgotten > 0 ? "not seen in this session, or forgotten since" : "not seen in this session",
    );
  }
  if (leaf.since !== undefined) {
    const since = rules.monitors.get(leaf.since);
    const last = since === undefined ? undefined : sightingOf(state, since, "[]");
    if (last === undefined && state.overflow) return unmet(undefined, whyUntold(state));
    if (last !== undefined && last.seq > seen.seq) return unmet(false, `not since the last ${since?.call}`);
  }
  if (leaf.within !== undefined && now - seen.at > leaf.within) return unmet(false, "too long ago");
  if (!leaf.fresh) return MET;
  const version = versionOf(view, facts);
  if (version === undefined || seen.version === undefined) return unmet(undefined, "the file's version cannot be told");
  return version === seen.version ? MET : unmet(false, "the file has changed since");
}

const MET: Evaluated = { truth: true, missing: [] };

function allOf(parts: readonly Evaluated[]): Truth {
  if (parts.some(({ truth }) => truth === false)) return false;
  return parts.every(({ truth }) => truth === true) ? true : undefined;
}

function anyOf(parts: readonly Evaluated[]): Truth {
  if (parts.some(({ truth }) => truth === true)) return true;
  return parts.every(({ truth }) => truth === false) ? false : undefined;
}

function negate(of: CompiledCondition, { truth }: Evaluated): Evaluated {
  if (truth === false) return MET;
  const what = `no ${namesIn(of).join(", ")}`;
  return {
    truth: truth === undefined ? undefined : false,
    missing: [{ what, why: truth === undefined ? "cannot be told" : "was seen in this session" }],
  };
}

/** One line for a choice: `test or build`. */
function alternatives(parts: readonly Evaluated[]): readonly Missing[] {
  const missing = parts.flatMap((part) => part.missing);
  if (missing.length < 2) return missing;
  const reasons = [...new Set(missing.map(({ why }) => why))];
  return [{ what: missing.map(({ what }) => what).join(" or "), why: reasons.join("; ") }];
}

function namesIn(condition: CompiledCondition): readonly string[] {
  if (condition.kind === "leaf") return [condition.call];
  return condition.kind === "not" ? namesIn(condition.of) : condition.of.flatMap(namesIn);
}
