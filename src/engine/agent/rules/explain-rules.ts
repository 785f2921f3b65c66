import type { ToolCall } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { PolicyContext, PolicyDecision, RuleFinding } from "../../../base/words/policy.ts";
import type { Condition, Effect, Level, Place } from "../../../base/words/rule.ts";
import { predicateInput, viewsOf } from "../../../behavior/policy/rules/call-views.ts";
import type { CompiledCondition, CompiledRule, RuleOn } from "../../../behavior/policy/rules/compile-rules.ts";
import { type EvaluationContext, evaluate, type Truth } from "../../../behavior/policy/rules/evaluate-rules.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import { type RulesState, settledFor } from "../../../behavior/policy/rules/rules-state.ts";
import { describeAtMost, describeLeaf } from "./write-rule.ts";

/** A part of a condition, its result, and why it is not true. */
export type ExplainedPart = {
  readonly text: string;
  readonly call?: string;
  readonly truth: Truth;
  readonly why?: string;
  readonly parts: readonly ExplainedPart[];
};

/** A rule that applies to the call, and its result. */
export type ExplainedRule = {
  readonly id: string;
  readonly effect: Effect;
  readonly level?: Level;
  readonly why?: string;
  readonly place?: Place;
  /** The name of the call that the rule matched. */
  readonly on: string;
  readonly unless?: { readonly source: string; readonly truth: Truth };
  readonly except?: { readonly source: string; readonly truth: Truth };
  readonly when?: { readonly source: string; readonly truth: Truth };
  readonly require?: ExplainedPart;
  readonly atMost?: string;
  readonly verdict: "exempt" | "satisfied" | "violated";
  readonly finding?: RuleFinding;
};

/** The real policy. It remembers the last call, so that it can be explained afterwards. */
export class ExplainingRulesPolicy extends RulesPolicy {
  #last:
    | { readonly call: ToolCall; readonly context: PolicyContext<RulesState>; readonly answer: PolicyDecision }
    | undefined;

  override check(call: ToolCall, context: PolicyContext<RulesState>): PolicyDecision {
    const answer = super.check(call, context);
    this.#last = { call, context, answer };
    return answer;
  }

  get lastCall(): ToolCall | undefined {
    return this.#last?.call;
  }

  /** Explains every rule that applies to the last call. */
  explainLast(): readonly ExplainedRule[] {
    if (this.#last === undefined) return [];
    const { call, context, answer } = this.#last;
    const input = answer.kind === "rules" ? answer.input : undefined;
    const final = input === undefined ? call : { ...call, args: input };
    const findings = answer.kind === "rules" ? answer.findings : [];
    const state = settledFor(context.state, call.step, this.rules.monitors);
    return this.rules.rulesOn(call).map((compiled) => {
      const finding = findings.find(({ rule }) => rule === compiled.rule.id);
      return this.#explain(compiled, final, { ...context, state }, finding);
    });
  }

  #explain(
    compiled: RuleOn,
    call: ToolCall,
    context: PolicyContext<RulesState>,
    finding: RuleFinding | undefined,
  ): ExplainedRule {
    const { rule, name: on } = compiled;
    const looks = compiled.names
      .flatMap((one) => viewsOf(call, one))
      .map((view) => this.#look(compiled, call, view, context));
    const first =
      looks.find((look) => look.applies && look.require?.truth !== true) ?? looks.find((look) => look.applies);
    const { applies = false, unless, except, when, require } = first ?? looks[0] ?? {};
    return {
      id: rule.id,
      effect: rule.effect,
      level: rule.level,
      why: rule.why,
      place: rule.place,
      on,
      unless: rule.unless === undefined ? undefined : { source: rule.unless, truth: unless },
      except: rule.except === undefined ? undefined : { source: rule.except, truth: except },
      when: rule.when === undefined ? undefined : { source: rule.when, truth: when },
      require,
      atMost: rule.atMost === undefined ? undefined : describeAtMost(rule.atMost),
      verdict: finding !== undefined ? "violated" : applies ? "satisfied" : "exempt",
      finding,
    };
  }

  #look(
    { rule, unless, except, when, require }: CompiledRule,
    call: ToolCall,
    view: JsonObject,
    context: PolicyContext<RulesState>,
  ): { readonly [part in "unless" | "except" | "when"]: Truth } & {
    readonly applies: boolean;
    readonly require?: ExplainedPart;
  } {
    const input = predicateInput(call, view, context, this.name);
    const truths = { unless: unless?.(input), except: except?.(input), when: when?.(input) };
    const exempt = truths.unless === true || truths.except === true;
    const applies = !exempt && (when === undefined || truths.when !== false);
    const look = { applies, ...truths };
    if (!applies || require === undefined || rule.require === undefined) return look;
    const evaluation = { state: context.state, facts: context.facts, now: context.session.now };
    return { ...look, require: explainPart(rule.require, require, view, evaluation) };
  }
}

/** Explains a written condition with the help of its compiled form. */
function explainPart(
  written: Condition,
  compiled: CompiledCondition,
  view: JsonObject,
  context: EvaluationContext,
): ExplainedPart {
  const { truth, missing } = evaluate(compiled, view, context);
  if (written.kind === "call") {
    const why = missing[0]?.why;
    const text = describeLeaf(written);
    return { text, call: written.call, truth, why, parts: [] };
  }
  if (written.kind === "not") {
    const below = compiled.kind === "not" ? [explainPart(written.of, compiled.of, view, context)] : [];
    return { text: "not", truth, parts: below };
  }
  const of = compiled.kind === "all" || compiled.kind === "any" ? compiled.of : [];
  const parts = written.of.flatMap((one, at) => {
    const same = of[at];
    return same === undefined ? [] : [explainPart(one, same, view, context)];
  });
  return { text: written.kind, truth, parts };
}
