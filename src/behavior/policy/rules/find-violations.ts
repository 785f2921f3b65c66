import type { ToolCall } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { PolicyContext, RuleFinding } from "../../../base/words/policy.ts";
import { tupleOf, viewsOf } from "./call-views.ts";
import type { CompiledRule, CompiledRules, RuleOn } from "./compile-rules.ts";
import { type Evaluated, evaluate } from "./evaluate.ts";
import { predicateInput } from "./predicate/predicate-input.ts";
import { isFull, type PendingSighting, type RulesState, whyUntold } from "./rules-state.ts";
import { fillSay, shownValue } from "./say.ts";

/** What a decision will have done to the state, worked out while it was made. */
export type RuleMemo = {
  readonly reserves: readonly string[];
  readonly rests: readonly string[];
  readonly records: readonly PendingSighting[];
};

type Context = PolicyContext<RulesState>;

/** The arguments with everything that matching rules set; `undefined` when nothing does. */
export function rewrittenArgs(
  matching: readonly CompiledRule[],
  call: ToolCall,
  context: Context,
  policy: string,
): JsonObject | undefined {
  let args: JsonObject | undefined;
  for (const compiled of matching) {
    if (compiled.rule.set === undefined || !applies(compiled, call, call.args, context, policy)) continue;
    args = { ...(args ?? call.args), ...compiled.rule.set };
  }
  return args;
}

/** Every rule that is not satisfied, as it is written; all are evaluated, none hides another. */
export function findingsOf(
  matching: readonly RuleOn[],
  call: ToolCall,
  context: Context,
  rules: CompiledRules,
  policy: string,
): { readonly findings: readonly RuleFinding[]; readonly memo: Omit<RuleMemo, "records"> } {
  const findings: RuleFinding[] = [];
  const reserves: string[] = [];
  const rests: string[] = [];
  for (const compiled of matching) {
    const { rule, name } = compiled;
    let found = false;
    for (const view of viewsOf(call, name)) {
      if (!applies(compiled, call, view, context, policy)) continue;
      const counter = rule.atMost === undefined ? undefined : counterOf(compiled, view, context);
      // Every call that goes ahead is counted, also one that a rule merely warns of.
      if (counter !== undefined) reserves.push(counter);
      const unmet = found ? undefined : violation(compiled, view, counter, context, rules);
      if (unmet === undefined) continue;
      const key = keyOf(compiled, name, view, context);
      if (rule.effect === "soft-deny") {
        if ((context.state.rests.get(key) ?? 0) > context.session.now) continue;
        rests.push(key);
      }
      found = true;
      findings.push(finding(compiled, name, view, key, unmet));
    }
  }
  return { findings, memo: { reserves, rests } };
}

/** `unless` exempts when it is true, `when` applies unless it is false: unknown never lets a call off. */
function applies(
  { unless, when }: CompiledRule,
  call: ToolCall,
  view: JsonObject,
  context: Context,
  policy: string,
): boolean {
  if (unless === undefined && when === undefined) return true;
  const input = predicateInput(call, view, context, policy);
  return unless?.(input) !== true && (when === undefined || when(input) !== false);
}

/** What is not satisfied; a rule that demands nothing objects to the call itself. */
function violation(
  { rule, require }: CompiledRule,
  view: JsonObject,
  counter: string | undefined,
  context: Context,
  rules: CompiledRules,
): Evaluated | undefined {
  if (require !== undefined) {
    const met = evaluate(require, view, {
      rules,
      state: context.state,
      facts: context.facts,
      now: context.session.now,
    });
    if (met.truth !== true) return met;
  }
  if (rule.atMost !== undefined) {
    const { count, per } = rule.atMost;
    const what =
      per.length === 0
        ? "a call left"
        : `a call left for ${per.map((name) => `${name} ${shownValue(view[name])}`).join(", ")}`;
    if (counter === undefined)
      return { truth: undefined, missing: [{ what, why: "this call does not say for which" }] };
    const used = context.state.counters.get(counter) ?? 0;
    if (used >= count) return { truth: false, missing: [{ what, why: `${used} of ${count} are used` }] };
    if (used === 0 && isFull(context.state))
      return { truth: false, missing: [{ what, why: whyUntold(context.state) }] };
    return undefined;
  }
  return require === undefined && rule.set === undefined ? { truth: false, missing: [] } : undefined;
}

/** What counts as the same attempt: the rule, and the values that it asks about. */
function keyOf({ rule, keys }: CompiledRule, name: string, view: JsonObject, { facts }: Context): string {
  return JSON.stringify([rule.id, name, ...keys.map((one) => tupleOf(view, [one], facts) ?? null)]);
}

function counterOf({ rule }: CompiledRule, view: JsonObject, { facts }: Context): string | undefined {
  const tuple = tupleOf(view, rule.atMost?.per ?? [], facts);
  return tuple === undefined ? undefined : JSON.stringify([rule.id, tuple]);
}

function finding(
  { rule }: CompiledRule,
  name: string,
  view: JsonObject,
  key: string,
  { missing }: Evaluated,
): RuleFinding {
  const said = rule.say === undefined ? undefined : fillSay(rule.say, view);
  const needs = missing.map(({ what }) => what).join(", ");
  const reason = said ?? (missing.length === 0 ? `'${name}' is not allowed.` : `'${name}' requires: ${needs}`);
  const [first] = missing;
  const next =
    first === undefined
      ? "Do it another way, or ask the person you work for."
      : `First: ${first.what}. Then repeat this call in a later step.`;
  return {
    rule: rule.id,
    effect: rule.effect,
    reason,
    missing,
    next,
    key,
    place: rule.place,
  };
}
