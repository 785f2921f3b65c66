import { checkOptions, listOf, object, optional } from "../../../base/kernel/check-options.ts";
import type { ToolSpec } from "../../../base/words/agent.ts";
import type { RuleSet } from "../../../base/words/rule.ts";
import { type ConfigFault, sortFaults } from "../config-fault.ts";
import { type BuiltRule, buildPrerequisites, buildRule } from "./build-rule.ts";
import { checkArguments, checkCommands } from "./check-arguments.ts";
import { checkEffects, checkIds } from "./check-effects.ts";
import { checkExpressions } from "./check-expressions.ts";
import { checkNames, type Finding } from "./check-names.ts";
import { checkReach } from "./check-reach.ts";
import { joinActions } from "./join-actions.ts";
import { draftRules, type RuleDraft } from "./rule-draft.ts";
import { RuleNames } from "./rule-names.ts";

/** Rules that can be used, or everything that keeps them from it. Warnings keep nothing from working. */
export type ParsedRules =
  | { readonly ruleSet: RuleSet; readonly warnings: readonly ConfigFault[] }
  | { readonly faults: readonly ConfigFault[]; readonly warnings: readonly ConfigFault[] };

export type RuleOptions = {
  /** The tools that the agent has. With any declared, a name that is not among them is a fault and not a warning. */
  readonly tools?: readonly ToolSpec[];
};

/** Reads the text of a rule file; `file` is only what faults call it. */
export function parseRules(text: string, file: string, options: RuleOptions = {}): ParsedRules {
  checkOptions("parseRules", options, { tools: optional(listOf(object)) });
  return joinRules([draftRules(text, file)], options);
}

/** Several files as one rule set: a rule may use the actions of any of them, and all are checked together. */
export function joinRules(drafts: readonly RuleDraft[], { tools = [] }: RuleOptions = {}): ParsedRules {
  const { actions, findings: ofActions } = joinActions(drafts);
  const rules = nameAll(
    drafts.flatMap((draft) => [
      ...draft.tools
        .filter(({ value }) => value.prerequisites !== undefined)
        .map((tool) => buildPrerequisites(tool, draft)),
      ...draft.rules.map((rule) => buildRule(rule, draft)),
    ]),
  );
  const partial = drafts.flatMap((draft) => draft.partial.map((rule) => buildRule(rule, draft)));
  const names = new RuleNames([...tools, ...drafts.flatMap((draft) => draft.tools.map(({ value }) => value))], actions);
  const ofAgent = tools.length > 0 || drafts.some((draft) => draft.own && draft.tools.length > 0);
  const findings: readonly Finding[] = [
    ...rules.flatMap(({ draft, complaints }) =>
      complaints.map((complaint): Finding => ({ draft, complaint, level: "fault" })),
    ),
    ...ofActions,
    // What one file is missing may stand in the unread part of another.
    ...(drafts.some(({ broken }) => broken)
      ? []
      : [
          ...checkNames(drafts, rules, names, (draft) => ofAgent || draft.tools.length > 0),
          ...checkReach(rules, names),
        ]),
    ...checkCommands(drafts, names),
    ...checkArguments(rules, names),
    ...checkEffects(rules),
    ...checkIds(inOrder([...rules, ...partial])),
    ...checkExpressions([...rules, ...partial], names),
  ];
  const located = (level: Finding["level"]) =>
    findings.filter((one) => one.level === level).map(({ draft, complaint }) => draft.locate(complaint));
  const faults = sortFaults([...drafts.flatMap((draft) => draft.faults), ...located("fault")]);
  const warnings = sortFaults(located("warning"));
  if (faults.length > 0) return { faults, warnings };
  const ruleSet: RuleSet = { actions, rules: rules.map(({ value }) => value) };
  parsed.add(ruleSet);
  return { ruleSet, warnings };
}

const parsed = new WeakSet<object>();

/** Was it made here? An object of the same form may be a rule file that nobody has checked. */
export function isParsedRuleSet(value: unknown): value is RuleSet {
  return typeof value === "object" && value !== null && parsed.has(value);
}

/** File by file, each from top to bottom, so that of two the later one is told. */
function inOrder(rules: readonly BuiltRule[]): readonly BuiltRule[] {
  const files = [...new Set(rules.map(({ draft }) => draft))];
  const lineOf = ({ value: { place } }: BuiltRule) => place?.line ?? 0;
  return files.flatMap((file) => rules.filter(({ draft }) => draft === file).sort((a, b) => lineOf(a) - lineOf(b)));
}

/** Ids that were made up are numbered where they would be there twice. */
function nameAll(rules: readonly BuiltRule[]): readonly BuiltRule[] {
  const taken = new Set(rules.filter(({ unnamed }) => !unnamed).map(({ value }) => value.id));
  return rules.map((built) => {
    if (!built.unnamed) return built;
    let { id } = built.value;
    for (let number = 2; taken.has(id); number++) id = `${built.value.id}-${number}`;
    taken.add(id);
    return id === built.value.id ? built : { ...built, value: { ...built.value, id } };
  });
}
