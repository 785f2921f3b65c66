import { nearest } from "../../../base/kernel/nearest.ts";
import type {
  ContributorSource,
  ContributorTag,
  PromptCut,
  PromptMode,
  TagDimension,
  TraceReason,
} from "../../../base/words/prompt.ts";
import type { ContributorClash } from "../contributor-registry.ts";
import { type ContributorText, type KnownNames, lintGuidance, lintToolNames, proseOf } from "./lint-guidance.ts";

/** `{{x}}` and `${x}`; `$x` in lower case only, because `$HOME` is literal. */
const LEFT = /\{\{\s*[A-Za-z_][\w.-]*\s*\}\}|\$\{[A-Za-z_][\w.]*\}|(?<![\w\\$])\$[a-z_]\w*/g;

/** Finds placeholders that nothing fills in. */
function lintTemplates({ id, text }: ContributorText): readonly LintFinding[] {
  const prose = proseOf(text).replace(/`[^`\n]*`/g, "``");
  return [...new Set(prose.match(LEFT) ?? [])].map((quote) => ({
    level: "warning",
    rule: "template-left",
    contributor: id,
    quote,
    message: `'${quote}' is not filled in; the agent reads it literally`,
    fix: "write the value, or put it in backticks if it is meant literally",
  }));
}

export type LintRule =
  | "unknown-tool"
  | "duplicate"
  | "near-duplicate"
  | "different-tools"
  | "contradiction"
  | "never-selected"
  | "template-left"
  | "empty"
  | "failed"
  | "cut"
  | "over-budget"
  | "id-clash";

/** error: certainly wrong. warning: probably wrong. hint: only the operator knows. */
type LintLevel = "error" | "warning" | "hint";

/** `quote`: the text it is about, verbatim. `other`: the other contributor. */
export type LintFinding = {
  readonly level: LintLevel;
  readonly rule: LintRule;
  readonly contributor: string;
  readonly other?: string;
  readonly quote?: string;
  readonly message: string;
  readonly fix: string;
};

/** A contributor and its result in a session that selects it. */
export type LintedContributor = {
  readonly id: string;
  readonly source: ContributorSource;
  readonly tags: readonly ContributorTag[];
  readonly text?: string;
  readonly tokens: number;
  readonly reason: TraceReason;
  readonly detail?: string;
};

/** `cuts`: those of a session that no tag matches. */
export type LintInput = {
  readonly contributors: readonly LintedContributor[];
  readonly cuts: readonly PromptCut[];
  readonly clashes: readonly ContributorClash[];
  readonly names: KnownNames;
  readonly tags: KnownTags;
  readonly mode: PromptMode;
};

/** Built-in sections without words of the operator. */
const OWN: ReadonlySet<string> = new Set(
  ["safety", "memory", "user-instructions", "tools", "checkpoints", "runtime", "reasoning", "time"].map(
    (name) => `builtin:${name}`,
  ),
);

/** Lints all contributors of an agent. Errors come first, then prompt order. */
export function lintPrompt(input: LintInput): readonly LintFinding[] {
  const { contributors, names, tags } = input;
  const told = contributors.flatMap(({ id, text }) => (text === undefined ? [] : [{ id, text, own: OWN.has(id) }]));
  const findings = [
    ...told.flatMap((one) => (one.own ? [] : [...lintToolNames(one, names), ...lintTemplates(one)])),
    ...lintGuidance(told, names.known),
    ...contributors.flatMap((one) => lintTags(one, tags)),
    ...contributors.flatMap((one) => [...lintMode(one, input.mode), ...lintSilence(one)]),
    ...input.cuts.map(cutFinding),
    ...input.clashes.map(clashFinding),
  ];
  const place = new Map(contributors.map(({ id }, at) => [id, at]));
  const rank = { error: 0, warning: 1, hint: 2 } as const;
  return findings
    .map((finding, at) => ({ finding, at }))
    .sort(
      (a, b) =>
        rank[a.finding.level] - rank[b.finding.level] ||
        (place.get(a.finding.contributor) ?? 0) - (place.get(b.finding.contributor) ?? 0) ||
        a.at - b.at,
    )
    .map(({ finding }) => finding);
}

/** `minimal` and `none` leave out configured contributors, whatever their tags. */
function lintMode({ id, source }: LintedContributor, mode: PromptMode): readonly LintFinding[] {
  if (mode === "full" || source === "builtin" || (mode === "minimal" && source === "agent")) return [];
  const message = `no session includes it: the agent's prompt mode is ${mode}`;
  const fix = "set prompt.mode to full, or remove the contributor";
  return [{ level: "warning", rule: "never-selected", contributor: id, message, fix }];
}

function lintSilence({ id, source, reason, detail }: LintedContributor): readonly LintFinding[] {
  if (source === "builtin") return [];
  if (reason === "failed") {
    const message = `it failed: ${detail ?? "no reason given"}`;
    return [{ level: "error", rule: "failed", contributor: id, message, fix: "fix its code" }];
  }
  if (reason !== "empty") return [];
  const message = detail === undefined ? "it is empty" : `none of it is shown: ${detail}`;
  return [{ level: "warning", rule: "empty", contributor: id, message, fix: "give it a text, or remove it" }];
}

function cutFinding({ contributor, limit, kept, of }: PromptCut): LintFinding {
  const rule = limit === "budget" ? "over-budget" : "cut";
  const by = limit === "budget" ? "the budget of the prompt" : limit;
  const message = `only ${kept} of its ${of} characters are shown because of ${by}`;
  const fix = limit === "budget" ? "shorten it, or raise prompt.budget" : `shorten it, or raise its ${limit}`;
  return { level: "warning", rule, contributor, message, fix };
}

function clashFinding({ id, kept, held }: ContributorClash): LintFinding {
  const message = `${kept} and ${held} both have a contributor with this id; the one of ${held} is never used`;
  return { level: "error", rule: "id-clash", contributor: id, message, fix: "give one of them another id" };
}

/** The possible values by dimension; any value without a list. `classified`: sessions are classified at all. */
type KnownTags = {
  readonly values: { readonly [dimension in TagDimension]?: readonly string[] };
  readonly classified: boolean;
};

type Doubt = { readonly level: LintLevel; readonly why: string; readonly fix: string };

/** Finds tags that no session has. */
function lintTags({ id, tags }: LintedContributor, known: KnownTags): readonly LintFinding[] {
  const doubts = tags.map((tag) => ({ tag, doubt: doubtOf(tag, known) }));
  const dead = doubts.flatMap(({ tag, doubt }) => (doubt === undefined ? [] : [{ tag, ...doubt }]));
  const never = dead.length === tags.length;
  return dead.map(({ tag, level, why, fix }) => ({
    level: never || level === "hint" ? level : "warning",
    rule: "never-selected",
    contributor: id,
    quote: tag.value,
    message: never && level !== "hint" ? `no session selects it: ${why}` : why,
    fix,
  }));
}

function doubtOf({ dimension, value }: ContributorTag, { values, classified }: KnownTags): Doubt | undefined {
  const needsClass = dimension !== "channel" && dimension !== "custom";
  if (needsClass && !classified) {
    const fix = "add sessionLabels: { enabled: true, model: local/rules }, or drop the tags";
    return { level: "warning", why: `${dimension}:${value} needs a classification, but the agent has none`, fix };
  }
  const wanted = value.trim().toLowerCase();
  if (wanted === "*") return undefined;
  if (dimension === "custom") {
    const why = `custom:${value} is matched only where the host sets it on the session`;
    return { level: "hint", why, fix: "set it in your host: custom: [...] when it opens a session" };
  }
  const list = values[dimension];
  if (list === undefined || list.some((one) => one.toLowerCase() === wanted)) return undefined;
  const fix = (otherwise: string) => {
    const meant = nearest(wanted, list);
    return meant === undefined
      ? `use one of ${list.join(", ")}, or ${otherwise}`
      : `did you mean '${meant}'? Otherwise ${otherwise}`;
  };
  switch (dimension) {
    case "channel":
      return { level: "warning", why: `no channel '${value}' is known`, fix: fix("declare it under channels") };
    case "topic":
    case "complexity":
      return { level: "error", why: `there is no ${dimension} '${value}'`, fix: fix("use a domain or a custom tag") };
    default: {
      const why = `local/rules never assigns the ${dimension} '${value}'`;
      return { level: "warning", why, fix: fix("name a model under sessionLabels") };
    }
  }
}
