import { asList, asObject } from "../../../base/kernel/json.ts";
import type { ToolSpec } from "../../../base/words/hosting/agent.ts";
import type { CallLeaf, Condition, LevelEffects, Patterns, Place, Rule } from "../../../base/words/rule.ts";
import { type Complaint, type ConfigFault, type ConfigPath, ConfigSource } from "../config/config-source.ts";
import type { Placed } from "../config/parse-config.ts";
import { readForm, validKeys } from "../config/schema-faults.ts";
import {
  actionSchema,
  type ConditionConfig,
  type ConditionMap,
  type PackConfig,
  type RuleActionConfig,
  type RuleConfig,
  ruleFileSchema,
  ruleSchema,
  toolSchema,
} from "./rule-file-schema.ts";

/** The valid parts of one file and their places. */
export type RuleDraft = {
  readonly file: string;
  readonly tools: readonly Placed<ToolSpec>[];
  readonly actions: readonly (Placed<RuleActionConfig> & { readonly name: string })[];
  /** Names of all actions in the file, invalid ones too. */
  readonly written: readonly string[];
  readonly rules: readonly Placed<RuleConfig>[];
  /** Valid keys of invalid rules, enough to check ids and expressions. */
  readonly partial: readonly Placed<RuleConfig>[];
  readonly patterns: Patterns;
  /** How the agent's own file uses this one. */
  readonly choice?: Placed<PackConfig> & Pick<RuleDraft, "locate">;
  /** The agent's own file: its actions override those of rule files. */
  readonly own: boolean;
  /** Schema faults. */
  readonly faults: readonly ConfigFault[];
  /** The text could not be parsed completely, so missing parts may only be unread. */
  readonly broken: boolean;
  locate(complaint: Complaint): ConfigFault;
};

/** Parses a rule file; `file` is its name in faults. */
export function draftRules(text: string, file: string): RuleDraft {
  const source = new ConfigSource(text, file);
  const { locate } = source;
  const read = readForm(source, { schema: ruleFileSchema });
  const nothing = { own: false, tools: [], actions: [], written: [], rules: [], partial: [], patterns: {} };
  if ("faults" in read) return { file, ...nothing, faults: read.faults, broken: true, locate };
  const content = asObject(source.value);
  const actions = Object.entries(asObject(content.actions));
  const empty = read.data !== undefined && Object.keys(content).length === 0;
  return {
    file,
    tools: asList(content.tools).flatMap((item, at) => valid(toolSchema.safeParse(item), ["tools", at])),
    actions: actions.flatMap(([name, action]) =>
      valid(actionSchema.safeParse(action), ["actions", name]).map((placed) => ({ ...placed, name })),
    ),
    written: actions.map(([name]) => name),
    rules: asList(content.rules).flatMap((item, at) => valid(ruleSchema.safeParse(item), ["rules", at])),
    partial: asList(content.rules).flatMap((item, at) =>
      ruleSchema.safeParse(item).success ? [] : [{ value: validKeys(ruleSchema.shape, item), path: ["rules", at] }],
    ),
    patterns: read.data?.patterns ?? {},
    faults: [...read.complaints, ...(empty ? [EMPTY] : [])].map(locate),
    own: false,
    broken: false,
    locate,
  };
}

const EMPTY: Complaint = {
  path: [],
  message: "the file is empty",
  hint: "start with rules: and one rule below it: - id: NAME, on: TOOL, require: ACTION",
};

function valid<T>(
  read: { readonly success: true; readonly data: T } | { readonly success: false },
  path: Placed<T>["path"],
): readonly Placed<T>[] {
  return read.success ? [{ value: read.data, path }] : [];
}

/** A condition, its leaves with their places, and structural faults. */
type BuiltCondition = {
  readonly condition: Condition;
  readonly leaves: readonly PlacedLeaf[];
  readonly complaints: readonly Complaint[];
};

/** A leaf and its place; `pairs` are the places of the entries of `same`. */
export type PlacedLeaf = Placed<CallLeaf> & { readonly pairs: readonly ConfigPath[] };

/** Settings that a group passes on to its calls; the nearest one wins. */
type Inherited = Pick<ConditionMap, "fresh" | "within" | "since" | "counts">;

const OF_A_CALL = ["same", "where"] as const;

function buildCondition(written: ConditionConfig, path: ConfigPath, above: Inherited = {}): BuiltCondition {
  if (typeof written === "string") return leafOf({ call: written }, path, above);
  const { fresh, within, since, counts, all, any, not } = written;
  const own: Inherited = {
    fresh: fresh ?? above.fresh,
    within: within ?? above.within,
    since: since ?? above.since,
    counts: counts ?? above.counts,
  };
  const strays = written.call === undefined ? strayKeys(written, path) : [];
  if (not !== undefined) {
    const below = buildCondition(not, [...path, "not"], own);
    return { ...below, condition: { kind: "not", of: below.condition }, complaints: [...strays, ...below.complaints] };
  }
  const kind = all === undefined ? "any" : "all";
  const group = all ?? any;
  if (group === undefined) return leafOf(written, path, own);
  const below = group.map((one, at) => buildCondition(one, [...path, kind, at], own));
  return {
    condition: { kind, of: below.map(({ condition }) => condition) },
    leaves: below.flatMap(({ leaves }) => leaves),
    complaints: [...strays, ...below.flatMap(({ complaints }) => complaints)],
  };
}

function leafOf({ call = "", same, where }: ConditionMap, path: ConfigPath, inherited: Inherited): BuiltCondition {
  const { fresh = false, within, since, counts = "succeeded" } = inherited;
  const pairs = Array.isArray(same) ? same.map((name: string) => [name, name] as const) : Object.entries(same ?? {});
  const equal = pairs.map(([mine, theirs]) => ({ mine, theirs }));
  const leaf: CallLeaf = { kind: "call", call, same: equal, fresh, within, since, where, counts };
  const isEmpty = same !== undefined && pairs.length === 0;
  const complaints = isEmpty ? [{ path: [...path, "same"], message: "'same' must not be empty" }] : [];
  const placesOf = pairs.map(([mine], at) => [...path, "same", Array.isArray(same) ? at : mine]);
  return { condition: leaf, leaves: [{ value: leaf, path, pairs: placesOf }], complaints };
}

function strayKeys(written: ConditionMap, path: ConfigPath): readonly Complaint[] {
  return OF_A_CALL.filter((key) => written[key] !== undefined).map((key) => ({
    path: [...path, key],
    at: "key" as const,
    message: `'${key}' applies to a single call, not to a group`,
    hint: `write it with each call: { call: NAME, ${key}: … }`,
  }));
}

/** A rule, its place, and the places of its requirements. */
export type BuiltRule = Placed<Rule> & {
  readonly draft: RuleDraft;
  readonly levels: LevelEffects;
  readonly leaves: readonly PlacedLeaf[];
  /** Place of `on`, or of the key that stands for it. */
  readonly onPath: ConfigPath;
  /** The id is generated and may be changed. */
  readonly unnamed: boolean;
  readonly complaints: readonly Complaint[];
};

const SHORT_FORM = ["requiredPrior", "blockMessage"] as const;
const LONG_FORM = ["unless", "when", "require", "atMost", "set", "effect", "why", "say", "remember", "tag"] as const;

export function buildRule({ value, path }: Placed<RuleConfig>, draft: RuleDraft): BuiltRule {
  return value.toolName === undefined ? longForm(value, path, draft) : shortForm(value, path, draft);
}

/** The rule for a tool's `prerequisites`. */
export function buildPrerequisites({ value: tool, path }: Placed<ToolSpec>, draft: RuleDraft): BuiltRule {
  const { name, prerequisites = [] } = tool;
  return needing(name, prerequisites, draft, path, ["name", "prerequisites"]);
}

function placeOf(draft: RuleDraft, path: ConfigPath): Place {
  const { file, line } = draft.locate({ path, message: "" });
  return { file, line };
}

function longForm(value: RuleConfig, path: ConfigPath, draft: RuleDraft): BuiltRule {
  const { id, on = [], unless, when, require, atMost, set, effect = "deny", why, say, remember, tag } = value;
  const built = require === undefined ? undefined : buildCondition(require, [...path, "require"]);
  const complaints: Complaint[] = [...(built?.complaints ?? []), ...badPlaceholders(value, path)];
  if (id === undefined) {
    const hint = "add an id; every decision of the rule shows it";
    complaints.push({ path, message: "'id' is missing", hint });
  }
  for (const key of SHORT_FORM) {
    if (value[key] === undefined) continue;
    const hint = key === "requiredPrior" ? "with 'on', use require: { all: [ … ] }" : "with 'on', use 'say'";
    complaints.push({ path: [...path, key], at: "key", message: `'${key}' can only be used with 'toolName'`, hint });
  }
  if (set !== undefined && require === undefined && atMost === undefined) {
    const idle = (["effect", "say", "tag"] as const).filter((key) => value[key] !== undefined);
    const message = "has no effect: a rule that only sets arguments is never violated";
    const hint = "remove it, or add 'require' or 'atMost'";
    for (const key of idle) complaints.push({ path: [...path, key], at: "key", message: `'${key}' ${message}`, hint });
  }
  if (remember !== undefined && effect !== "ask") {
    const message = "'remember' can only be used with effect: ask";
    complaints.push({ path: [...path, "remember"], at: "key", message, hint: "remove it, or set effect: ask" });
  }
  const rule: Rule = {
    id: id ?? "",
    on: list(on),
    unless,
    when,
    require: built?.condition,
    atMost: atMost && { count: atMost.count, per: list(atMost.per ?? []) },
    set,
    effect: "deny",
    why,
    say,
    remember,
    tag: tag === undefined ? undefined : list(tag),
    place: placeOf(draft, path),
  };
  const leaves = built?.leaves ?? [];
  const levels = levelsOf(effect);
  return { value: rule, levels, path, draft, leaves, onPath: [...path, "on"], unnamed: false, complaints };
}

/** What is not written follows from `standard`: gentle never stops a call, strict asks nobody. */
function levelsOf(written: NonNullable<RuleConfig["effect"]>): LevelEffects {
  const given = typeof written === "string" ? { standard: written } : written;
  const { standard } = given;
  const gentle = standard === "deny" || standard === "ask" || standard === "soft-deny" || standard === "end-turn";
  const strict = standard === "ask" ? "deny" : standard === "warn" ? "ask" : standard;
  return { gentle: gentle ? "warn" : standard, strict, ...given };
}

/** `{toolName, requiredPrior, blockMessage}`. */
function shortForm(value: RuleConfig, path: ConfigPath, draft: RuleDraft): BuiltRule {
  const { id, toolName = "", requiredPrior = [], blockMessage } = value;
  const complaints: Complaint[] = LONG_FORM.filter((key) => value[key] !== undefined).map((key) => ({
    path: [...path, key],
    at: "key" as const,
    message: `'${key}' can only be used with 'on'`,
    hint: "write the rule with on:, require: and say:",
  }));
  if (value.requiredPrior === undefined) complaints.push({ path, message: "'requiredPrior' is missing" });
  complaints.push(...badPlaceholders(value, path));
  const built = needing(toolName, requiredPrior, draft, path, ["toolName", "requiredPrior"]);
  const rule = { ...built.value, id: id ?? built.value.id, say: blockMessage };
  return { ...built, value: rule, unnamed: id === undefined, complaints };
}

/** A rule that requires other names to have succeeded before this one. */
function needing(
  name: string,
  needs: readonly string[],
  draft: RuleDraft,
  path: ConfigPath,
  [onKey, needsKey]: readonly [string, string],
): BuiltRule {
  const leaves = needs.map(succeeded);
  const [only, ...more] = leaves;
  return {
    value: {
      id: `${name}-prerequisites`,
      on: [name],
      require: only !== undefined && more.length === 0 ? only : { kind: "all", of: leaves },
      effect: "deny",
      place: placeOf(draft, path),
    },
    levels: levelsOf("deny"),
    path,
    draft,
    leaves: leaves.map((value, index) => ({ value, path: [...path, needsKey, index], pairs: [] })),
    onPath: [...path, onKey],
    unnamed: true,
    complaints: [],
  };
}

function succeeded(call: string): CallLeaf {
  return { kind: "call", call, same: [], fresh: false, counts: "succeeded" };
}

function list(written: string | readonly string[]): readonly string[] {
  return typeof written === "string" ? [written] : written;
}

function badPlaceholders({ say, blockMessage }: RuleConfig, path: ConfigPath): readonly Complaint[] {
  const key = say === undefined ? "blockMessage" : "say";
  const text = say ?? blockMessage ?? "";
  return [...text.matchAll(/\{\{(.*?)\}\}/gs)]
    .filter(([, inside = ""]) => !/^\s*(args|repo)\.[\w-]+\s*$/.test(inside))
    .map((found) => ({
      path: [...path, key],
      column: found.index + 1,
      message: `'${found[0]}' is not replaced by a value`,
      hint: "use an argument: {{args.NAME}}",
    }));
}
