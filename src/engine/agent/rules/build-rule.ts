import type { ToolSpec } from "../../../base/words/hosting/agent.ts";
import type { CallLeaf, Place, Rule } from "../../../base/words/rule.ts";
import type { Complaint, ConfigPath } from "../config/config-fault.ts";
import type { Placed } from "../config/merge-defaults.ts";
import { buildCondition, type PlacedLeaf } from "./build-condition.ts";
import type { RuleDraft } from "./rule-draft.ts";
import type { RuleConfig } from "./rule-file-schema.ts";

/** A rule, where it stands, and the places of what it requires. */
export type BuiltRule = Placed<Rule> & {
  readonly draft: RuleDraft;
  readonly leaves: readonly PlacedLeaf[];
  /** Where `on` stands, whatever it is called there. */
  readonly onPath: ConfigPath;
  /** The id was made up, so it may be changed. */
  readonly unnamed: boolean;
  readonly complaints: readonly Complaint[];
};

const SHORT_FORM = ["requiredPrior", "blockMessage"] as const;
const LONG_FORM = ["unless", "when", "require", "atMost", "set", "effect", "say"] as const;

/** Reads one rule, in either form. */
export function buildRule({ value, path }: Placed<RuleConfig>, draft: RuleDraft): BuiltRule {
  return value.toolName === undefined ? longForm(value, path, draft) : shortForm(value, path, draft);
}

/** What a tool's `prerequisites` stand for. */
export function buildPrerequisites({ value: tool, path }: Placed<ToolSpec>, draft: RuleDraft): BuiltRule {
  const { name, prerequisites = [] } = tool;
  return needing(name, prerequisites, {
    draft,
    path,
    needsPath: [...path, "prerequisites"],
    onPath: [...path, "name"],
  });
}

function placeOf(draft: RuleDraft, path: ConfigPath): Place {
  const { file, line } = draft.locate({ path, at: "value", message: "" });
  return { file, line };
}

function longForm(value: RuleConfig, path: ConfigPath, draft: RuleDraft): BuiltRule {
  const { id, on = [], unless, when, require, atMost, set, effect = "deny", say } = value;
  const built = require === undefined ? undefined : buildCondition(require, [...path, "require"]);
  const complaints: Complaint[] = [...(built?.complaints ?? []), ...badPlaceholders(value, path)];
  if (id === undefined) {
    const hint = "give it a name; it is shown in every decision of the rule";
    complaints.push({ path, at: "value", message: "'id' is missing", hint });
  }
  for (const key of SHORT_FORM) {
    if (value[key] === undefined) continue;
    const hint = key === "requiredPrior" ? "here it is require: { all: [ … ] }" : "here it is 'say'";
    complaints.push({ path: [...path, key], at: "key", message: `'${key}' belongs beside 'toolName'`, hint });
  }
  if (set !== undefined && require === undefined && atMost === undefined) {
    const idle = (["effect", "say"] as const).filter((key) => value[key] !== undefined);
    const message = "never happens: a rule that only sets arguments is always satisfied";
    const hint = "remove it, or say with 'require' or 'atMost' what the rule wants";
    for (const key of idle) complaints.push({ path: [...path, key], at: "key", message: `'${key}' ${message}`, hint });
  }
  const rule: Rule = {
    id: id ?? "",
    on: list(on),
    unless,
    when,
    require: built === undefined ? undefined : built.condition,
    atMost: atMost === undefined ? undefined : { count: atMost.count, per: list(atMost.per ?? []) },
    set,
    effect,
    say,
    place: placeOf(draft, path),
  };
  const leaves = built?.leaves ?? [];
  return { value: rule, path, draft, leaves, onPath: [...path, "on"], unnamed: false, complaints };
}

/** `{toolName, requiredPrior, blockMessage}`. */
function shortForm(value: RuleConfig, path: ConfigPath, draft: RuleDraft): BuiltRule {
  const { id, toolName = "", requiredPrior = [], blockMessage } = value;
  const complaints: Complaint[] = LONG_FORM.filter((key) => value[key] !== undefined).map((key) => ({
    path: [...path, key],
    at: "key" as const,
    message: `'${key}' belongs beside 'on'`,
    hint: "write the rule with on:, require: and say:",
  }));
  if (value.requiredPrior === undefined) complaints.push({ path, at: "value", message: "'requiredPrior' is missing" });
  complaints.push(...badPlaceholders(value, path));
  const built = needing(toolName, requiredPrior, {
    draft,
    path,
    needsPath: [...path, "requiredPrior"],
    onPath: [...path, "toolName"],
  });
  const rule = {
    ...built.value,
    ...(id === undefined ? {} : { id }),
    ...(blockMessage === undefined ? {} : { say: blockMessage }),
  };
  return { ...built, value: rule, unnamed: id === undefined, complaints };
}

/** A name, and what must have succeeded before it. */
function needing(
  name: string,
  needs: readonly string[],
  at: {
    readonly draft: RuleDraft;
    readonly path: ConfigPath;
    readonly needsPath: ConfigPath;
    readonly onPath: ConfigPath;
  },
): BuiltRule {
  const leaves = needs.map(succeeded);
  const [only, ...more] = leaves;
  return {
    value: {
      id: `${name}-prerequisites`,
      on: [name],
      require: only !== undefined && more.length === 0 ? only : { kind: "all", of: leaves },
      effect: "deny",
      place: placeOf(at.draft, at.path),
    },
    path: at.path,
    draft: at.draft,
    leaves: leaves.map((value, index) => ({ value, path: [...at.needsPath, index], pairs: [] })),
    onPath: at.onPath,
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
    .filter(([, inside = ""]) => !/^\s*args\.[\w-]+\s*$/.test(inside))
    .map((found) => ({
      path: [...path, key],
      at: "value" as const,
      column: found.index + 1,
      message: `'${found[0]}' would be said as it stands`,
      hint: "only an argument is filled in: {{args.NAME}}",
    }));
}
