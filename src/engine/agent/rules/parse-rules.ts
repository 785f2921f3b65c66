import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import { checkOptions, listOf, object, oneOf, optional } from "../../../base/kernel/check-options.ts";
import type { ActionSpec, ToolSpec } from "../../../base/words/hosting/agent.ts";
import type { Programs } from "../../../base/words/hosting/program.ts";
import type { Level, RuleSet } from "../../../base/words/rule.ts";
import { effectNames } from "../../../behavior/commands/line-effects.ts";
import { compilePredicate } from "../../../behavior/policy/rules/predicate/predicate.ts";
import { type ConfigFault, type ConfigPath, sortFaults } from "../config/config-source.ts";
import { type BuiltRule, buildPrerequisites, buildRule, draftRules, type RuleDraft } from "./build-rule.ts";
import { checkEffects, checkIds, checkReach } from "./check-conflicts.ts";
import {
  checkArguments,
  checkCommands,
  checkNames,
  type Finding,
  RuleNames,
  targetsOf,
  undeclared,
  unknownToEffects,
} from "./check-names.ts";
import { chooseRules } from "./choose-rules.ts";
import { LEVELS } from "./rule-file-schema.ts";

/** A usable rule set, or all faults. Warnings do not prevent use. */
export type ParsedRules =
  | { readonly ruleSet: RuleSet; readonly warnings: readonly ConfigFault[] }
  | { readonly faults: readonly ConfigFault[]; readonly warnings: readonly ConfigFault[] };

type RuleOptions = {
  /** The agent's tools. If any are declared, an unknown name is a fault and not a warning. */
  readonly tools?: readonly ToolSpec[];
  /** Programs that the agent adds: rules may be on their effects. */
  readonly programs?: Programs;
  readonly level?: Level;
};

/** Parses a rule file; `file` is its name in faults. */
export function parseRules(text: string, file: string, options: RuleOptions = {}): ParsedRules {
  checkOptions("parseRules", options, { tools: optional(listOf(object)), level: optional(oneOf(...LEVELS)) });
  const { level } = options;
  const draft = draftRules(text, file);
  const choice = { value: { pack: file, level }, path: [], locate: draft.locate };
  return joinRules([level === undefined ? draft : { ...draft, choice }], options);
}

/** Joins several files to one rule set: a rule may use the actions of any of them. */
export function joinRules(drafts: readonly RuleDraft[], { tools = [], programs }: RuleOptions = {}): ParsedRules {
  const { actions, findings: ofActions } = joinActions(drafts);
  const built = nameAll(
    drafts.flatMap((draft) => [
      ...draft.tools
        .filter(({ value }) => value.prerequisites !== undefined)
        .map((tool) => buildPrerequisites(tool, draft)),
      ...draft.rules.map((rule) => buildRule(rule, draft)),
    ]),
  );
  const chosen = drafts.map((draft) =>
    chooseRules(
      built.filter((rule) => rule.draft === draft),
      draft,
    ),
  );
  const rules = chosen.flatMap((one) => one.rules);
  const off = chosen.flatMap((one) => one.off);
  const partial = drafts.flatMap((draft) => draft.partial.map((rule) => buildRule(rule, draft)));
  const names = new RuleNames(
    [...tools, ...drafts.flatMap((draft) => draft.tools.map(({ value }) => value))],
    actions,
    effectNames(programs),
    programs,
  );
  const ofAgent = tools.length > 0 || drafts.some((draft) => draft.own && draft.tools.length > 0);
  const findings: readonly Finding[] = [
    ...rules.flatMap(({ draft, complaints }) =>
      complaints.map((complaint): Finding => ({ draft, complaint, level: "fault" })),
    ),
    ...ofActions,
    // The unread part of a broken file may declare what another one lacks.
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
  const faults = sortFaults([
    ...drafts.flatMap((draft) => draft.faults),
    ...chosen.flatMap((one) => one.faults),
    ...located("fault"),
  ]);
  const warnings = sortFaults(located("warning"));
  if (faults.length > 0) return { faults, warnings };
  const ruleSet: RuleSet = {
    actions,
    rules: rules.map(({ value }) => value),
    off: off.length === 0 ? undefined : off,
  };
  parsed.add(ruleSet);
  return { ruleSet, warnings };
}

const parsed = new WeakSet<object>();

/** Was it parsed here? An object of the same shape may be an unchecked rule file. */
export function isParsedRuleSet(value: unknown): value is RuleSet {
  return typeof value === "object" && value !== null && parsed.has(value);
}

/** Sorted by file and line, so that the later one of two is reported. */
function inOrder(rules: readonly BuiltRule[]): readonly BuiltRule[] {
  const files = [...new Set(rules.map(({ draft }) => draft))];
  const lineOf = ({ value: { place } }: BuiltRule) => place?.line ?? 0;
  return files.flatMap((file) => rules.filter(({ draft }) => draft === file).sort((a, b) => lineOf(a) - lineOf(b)));
}

/** Numbers generated ids that would be duplicates. */
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

/** Expressions that do not compile, or that use an argument no call can have. */
function checkExpressions(rules: readonly BuiltRule[], names: RuleNames): readonly Finding[] {
  return rules.flatMap((built) =>
    expressionsOf(built, names).flatMap(({ source, path, tools, on, draft = built.draft }): readonly Finding[] => {
      const compiled = compilePredicate(source, {}, built.value.patterns ?? built.draft.patterns);
      if (!("fault" in compiled)) {
        const unknown = compiled.args.flatMap((argument) => [
          ...undeclared({ argument, path }, tools, names, draft, "warning"),
          ...unknownToEffects(argument, path, on, names, draft),
        ]);
        return [...unknown, ...absolutePaths(source, path, draft)];
      }
      // Reported with the other choices of the agent.
      if (draft !== built.draft) return [];
      const { message, column, hint } = compiled.fault;
      const complaint = {
        path,
        message: `'${String(path.at(-1))}' cannot be used: ${message}`,
        column,
        hint,
      };
      return [{ draft: built.draft, complaint, level: "fault" }];
    }),
  );
}

const ABSOLUTE =
  /args\.path\s*(?:[=!]=\s*|\.(?:startsWith|matches)\(\s*)(["'])\^?\/(?!(?:tmp|etc|usr|var|dev|proc|sys|bin|sbin|lib|opt|root)\b)[^"']*\1/;

/** Files of the workspace never have an absolute `args.path`, so such a comparison is about files outside it only. */
function absolutePaths(source: string, path: ConfigPath, draft: RuleDraft): readonly Finding[] {
  const [found] = ABSOLUTE.exec(source) ?? [];
  if (found === undefined) return [];
  const message = `this never matches a file in the workspace: ${found}`;
  const hint = "write the path from the workspace: args.path is src/a.ts, and absolute only outside the workspace";
  return [{ draft, complaint: { path, message, hint }, level: "warning" }];
}

/** `tools` are those whose calls the expression sees. An exemption has its place in the agent's file. */
type Expression = {
  readonly source: string;
  readonly path: ConfigPath;
  readonly tools: readonly string[];
  readonly on: readonly string[];
  readonly draft?: RuleDraft;
};

function expressionsOf(built: BuiltRule, names: RuleNames): readonly Expression[] {
  const { value: rule, path, leaves, draft } = built;
  const { on } = rule;
  const tools = targetsOf(built, names);
  const { choice } = draft;
  const exempt =
    rule.except === undefined || choice === undefined
      ? []
      : [
          {
            source: rule.except,
            path: [...choice.path, "except", rule.id],
            tools,
            on,
            draft: { ...draft, locate: choice.locate },
          },
        ];
  return [
    ...exempt,
    ...(rule.unless === undefined ? [] : [{ source: rule.unless, path: [...path, "unless"], tools, on }]),
    ...(rule.when === undefined ? [] : [{ source: rule.when, path: [...path, "when"], tools, on }]),
    ...leaves.flatMap(({ value: { where, call }, path: at }) =>
      where === undefined ? [] : [{ source: where, path: [...at, "where"], tools: names.toolsOf(call), on: [call] }],
    ),
  ];
}

/** The actions of all files with `implies` closed. The agent's own win; conflicting files are a fault. */
function joinActions(drafts: readonly RuleDraft[]): {
  readonly actions: { readonly [name: string]: ActionSpec };
  readonly findings: readonly Finding[];
} {
  const joined = new Map<string, { readonly action: ActionSpec; readonly draft: RuleDraft; readonly place: string }>();
  const findings: Finding[] = [];
  // The agent's own come first, so that they are known when the others are checked.
  for (const draft of [...drafts].sort((a, b) => Number(b.own) - Number(a.own))) {
    for (const { name, value, path } of draft.actions) {
      const known = joined.get(name);
      if (known === undefined) {
        const { file, line } = draft.locate({ path, at: "key", message: "" });
        joined.set(name, { action: value, draft, place: `${file}:${line}` });
      } else if (!known.draft.own && canonicalJson(known.action) !== canonicalJson(value)) {
        const message = `action '${name}' has another definition at ${known.place}`;
        const hint = "rename one of them, or define the action in the agent's own 'actions'";
        findings.push({ draft, complaint: { path, at: "key", message, hint }, level: "fault" });
      }
    }
  }
  const actions = Object.fromEntries([...joined].map(([name, { action }]) => [name, action]));
  return { actions: closeImplies(actions), findings };
}

/** Closes `implies` transitively; cycles are fine. */
function closeImplies(actions: { readonly [name: string]: ActionSpec }): {
  readonly [name: string]: ActionSpec;
} {
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => {
      const closed = new Set(action.implies);
      for (const one of closed) {
        const more = Object.hasOwn(actions, one) ? actions[one]?.implies : undefined;
        for (const fact of more ?? []) closed.add(fact);
      }
      closed.delete(name);
      const { implies: _, ...spec } = action;
      return [name, closed.size === 0 ? spec : { ...spec, implies: [...closed] }];
    }),
  );
}
