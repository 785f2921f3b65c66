import { isObject } from "../../base/kernel/json.ts";
import { nearest } from "../../base/kernel/nearest.ts";
import type { ActionSpec, ToolSpec } from "../../base/words/hosting/agent.ts";
import type { EffectSpec, ProgramSpec, Programs } from "../../base/words/hosting/program.ts";
import type { Rule, RuleSet } from "../../base/words/rule.ts";
import { effectNames } from "../../behavior/commands/line-effects.ts";
import type { NamedFiles } from "./config/config-files.ts";
import type { AgentConfig } from "./config/config-schema.ts";
import type { Complaint, ConfigFault, ConfigPath } from "./config/config-source.ts";
import type { PlacedAgent } from "./config/parse-config.ts";
import { draftRules, type RuleDraft } from "./rules/build-rule.ts";
import { isParsedRuleSet, joinRules } from "./rules/parse-rules.ts";
import type { PackConfig } from "./rules/rule-file-schema.ts";

/**
 * A rule as an object, as in YAML; the text of a rule file, or that file as an object with `actions` and `rules`; or a
 * rule set from `parseRules` or `loadRules`.
 */
export type RuleInput = string | RuleSet | { readonly [key: string]: unknown };

type RulesInCode = { readonly ruleSet?: RuleSet; readonly faults: readonly string[] };

/** The file name of rules in code, in faults and denials. */
const IN_CODE = "defineAgent";

/** Parses and checks the rules of an agent in code exactly like those in YAML. */
export function rulesInCode(
  rules: readonly RuleInput[],
  tools: readonly ToolSpec[],
  actions: { readonly [name: string]: ActionSpec },
  programs: Programs | undefined,
): RulesInCode {
  if (rules.length === 0 && tools.every(({ prerequisites }) => prerequisites === undefined)) return { faults: [] };
  const unfit = rules.flatMap((rule, at) => notData(rule, `rules[${at}]`));
  if (unfit.length > 0) return { faults: unfit };
  const sets = rules.filter(isParsedRuleSet);
  const files = rules.flatMap((rule, at) => fileOf(rule, at));
  const references = files.flatMap((file) => ("fault" in file ? [file.fault] : []));
  if (references.length > 0) return { faults: references };
  const single = rules.filter((rule) => isObject(rule) && !isParsedRuleSet(rule) && !isFile(rule));
  const own = draftOf({ tools, actions, rules: single }, IN_CODE).map((draft) => ({ ...draft, own: true }));
  const drafts = files.flatMap((file) => ("text" in file ? [draftRules(file.text, file.name)] : []));
  const joined = joinRules([...sets.flatMap(actionsOf), ...drafts, ...own], { programs });
  if ("faults" in joined) return { faults: joined.faults.map(faultText) };
  const all = [...sets.flatMap((set) => set.rules), ...joined.ruleSet.rules.map(withoutPlace)];
  const faults = [...new Set(all.map(({ id }) => id))]
    .filter((id) => all.filter((rule) => rule.id === id).length > 1)
    .map((id) => `two rules have the id '${id}'; give one of them another id`);
  return faults.length > 0 ? { faults } : { ruleSet: { actions: joined.ruleSet.actions, rules: all }, faults };
}

type RuleFile = { readonly text: string; readonly name: string } | { readonly fault: string };

function fileOf(rule: RuleInput, at: number): readonly RuleFile[] {
  const name = `rules[${at}]`;
  if (typeof rule !== "string") {
    return !isParsedRuleSet(rule) && isFile(rule) ? [{ text: JSON.stringify(rule, null, 1), name }] : [];
  }
  if (/\n|:\s/.test(rule)) return [{ text: rule, name }];
  const load = `(await loadRules(${JSON.stringify(rule)}, folder)).parsed.ruleSet`;
  return [{ fault: `'${name}' is a file name, and defineAgent does not read files; pass the file's text, or ${load}` }];
}

function isFile(rule: object): boolean {
  return "rules" in rule || "actions" in rule || "tools" in rule;
}

/** Its rules were checked when it was parsed; the agent's own rules may use its actions. */
function actionsOf({ actions }: RuleSet): readonly RuleDraft[] {
  return draftOf({ actions }, "rules");
}

/** Leaves out empty parts; without any part there is no draft. */
function draftOf(parts: { readonly [key: string]: object }, file: string): readonly RuleDraft[] {
  const filled = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0);
  return filled.length === 0 ? [] : [draftRules(JSON.stringify(Object.fromEntries(filled), null, 1), file)];
}

/** A line number in generated text is useless. */
function withoutPlace({ place, ...rule }: Rule): Rule {
  return place === undefined || place.file === IN_CODE || /^rules\[/.test(place.file) ? rule : { ...rule, place };
}

function faultText({ file, line, path, message, hint }: ConfigFault): string {
  const where = file === IN_CODE ? path : [file, `line ${line}`, path].filter((part) => part !== "").join(", ");
  return [where === "" ? message : `${where}: ${message}`, ...(hint === undefined ? [] : [hint])].join("; ");
}

/** Functions would be lost in JSON, and a rule must never be dropped silently. */
function notData(value: unknown, path: string): readonly string[] {
  if (isParsedRuleSet(value)) return [];
  if (Array.isArray(value)) return value.flatMap((one, at) => notData(one, `${path}[${at}]`));
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => notData(one, `${path}.${key}`));
  const plain = value === undefined || value === null || ["string", "boolean"].includes(typeof value);
  if (plain || (typeof value === "number" && Number.isFinite(value))) return [];
  return [
    `'${path}' is ${typeof value === "number" ? value : `a ${typeof value}`}; rules must be plain data, as in YAML`,
  ];
}

/** The rule file that an entry of `rules` names, and how it is used; `undefined` for an inline rule. */
export function packOf(entry: NonNullable<AgentConfig["rules"]>[number]): PackConfig | undefined {
  if (typeof entry === "string") return { pack: entry };
  return "pack" in entry ? entry : undefined;
}

/** All rules of an agent. Without `ruleSet` there are none, or they have faults. */
type AgentRules = {
  readonly ruleSet?: RuleSet;
  readonly faults: readonly ConfigFault[];
  readonly warnings: readonly ConfigFault[];
};

/** `locate` finds the place of a complaint in the agent's own file. */
export function agentRules(
  agent: PlacedAgent,
  files: NamedFiles,
  file: string,
  locate: (complaint: Complaint) => ConfigFault,
): AgentRules {
  const needy = agent.tools.some(({ value }) => value.prerequisites !== undefined);
  if (agent.rules.length === 0 && !needy) return { faults: [], warnings: [] };
  const drafts: RuleDraft[] = [];
  const missing: Complaint[] = [];
  const named = new Set<string>();
  for (const { value, path } of agent.rules) {
    const choice = packOf(value);
    if (choice === undefined) continue;
    const found = files.get(choice.pack) ?? UNREAD;
    if ("message" in found) missing.push({ path, ...found });
    else if (named.has(found.file)) {
      const hint = "remove one of the two; 'defaults' may list it too";
      missing.push({ path, message: `'${choice.pack}' is listed twice`, hint });
    } else drafts.push({ ...draftRules(found.text, found.file), choice: { value: choice, path, locate } });
    if ("file" in found) named.add(found.file);
  }
  const own = ownDraft(agent, file, locate);
  // A missing file may declare what the others lack.
  const joined = joinRules([...drafts, { ...own, broken: missing.length > 0 }], { programs: agent.programs.value });
  const faults = [...missing, ...(missing.length === 0 ? misspeltEffects(agent, [...drafts, own]) : [])].map(locate);
  if ("faults" in joined) return { faults: [...faults, ...joined.faults], warnings: joined.warnings };
  return faults.length > 0 ? { faults, warnings: joined.warnings } : { ...joined, faults };
}

/** Effects of the agent's own programs that almost are known ones, and that no rule uses. */
function misspeltEffects({ programs }: PlacedAgent, drafts: readonly RuleDraft[]): readonly Complaint[] {
  const known = effectNames();
  const used = JSON.stringify(drafts.flatMap(({ rules }) => rules.map(({ value }) => value)));
  const inSpec = (spec: ProgramSpec, path: ConfigPath): readonly Complaint[] => [
    ...[spec.does ?? []].flat().flatMap((effects: EffectSpec, at) =>
      Object.keys(effects).flatMap((name) => {
        const meant = known.has(name) || used.includes(`"${name}"`) ? undefined : nearest(name, known);
        const place = [...path, "does", ...(Array.isArray(spec.does) ? [at] : []), name];
        const hint = `did you mean '${meant}'? An effect of your own needs a rule that uses it`;
        return meant === undefined
          ? []
          : [{ path: place, at: "key" as const, message: `no effect '${name}' is known, and no rule uses it`, hint }];
      }),
    ),
    ...Object.entries(spec.commands ?? {}).flatMap(([name, inner]) => inSpec(inner, [...path, "commands", name])),
    ...(spec.otherwise === undefined ? [] : inSpec(spec.otherwise, [...path, "otherwise"])),
    ...(spec.empty === undefined ? [] : inSpec(spec.empty, [...path, "empty"])),
  ];
  return Object.entries(programs.value).flatMap(([name, spec]) => inSpec(spec, programs.at(name)));
}

const UNREAD = { message: "rule files cannot be read here", hint: "load the file with loadConfigFile" };

function ownDraft(agent: PlacedAgent, file: string, locate: RuleDraft["locate"]): RuleDraft {
  return {
    file,
    tools: agent.tools,
    actions: Object.entries(agent.actions.value).map(([name, value]) => ({
      name,
      value,
      path: agent.actions.at(name),
    })),
    written: Object.keys(agent.actions.value),
    rules: agent.rules.flatMap(({ value, path }) =>
      typeof value === "string" || "pack" in value ? [] : [{ value, path }],
    ),
    patterns: {},
    partial: [],
    own: true,
    faults: [],
    broken: false,
    locate,
  };
}
