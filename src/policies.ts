/**
 * Policies and rules: decide which calls an agent may make.
 * @module policies
 */

export type { PolicyContext, PolicyDecision, RuleFinding, ToolPolicy } from "./base/words/policy.ts";
export type { CallLeaf, Condition, Effect, Rule, RuleSet } from "./base/words/rule.ts";
export { ReadBeforeWritePolicy } from "./behavior/policy/builtin/read-before-write-policy.ts";
export { SequentialDependencyPolicy } from "./behavior/policy/builtin/sequential-dependency-policy.ts";
export { allow, ask, deny } from "./behavior/policy/policy-decision.ts";
export { renderDenial, renderQuestion } from "./behavior/policy/render-denial.ts";
export { renderPrerequisites } from "./behavior/policy/render-prerequisites.ts";
export { RulesPolicy } from "./behavior/policy/rules/rules-policy.ts";
export { type LoadedRules, loadRules } from "./edge/host/opening/load-rules.ts";
export { parseRules } from "./engine/agent/rules/parse-rules.ts";
