import { nearest } from "../../base/kernel/nearest.ts";
import type { ContributorTag, TagDimension } from "../../base/words/prompt.ts";
import type { LintedContributor, LintFinding, LintLevel } from "./lint-prompt.ts";

/**
 * The values that sessions of the agent can have, by dimension; any value where a list is missing. `classified` is false
 * where nothing ever classifies them.
 */
export type KnownTags = {
  readonly values: { readonly [dimension in TagDimension]?: readonly string[] };
  readonly classified: boolean;
};

type Doubt = { readonly level: LintLevel; readonly why: string; readonly fix: string };

/** Tags that no session has. A contributor with none but such is never told. */
export function lintTags({ id, tags }: LintedContributor, known: KnownTags): readonly LintFinding[] {
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
    return { level: "warning", why: `${dimension}:${value} needs a classification, and the agent has none`, fix };
  }
  const wanted = value.trim().toLowerCase();
  if (wanted === "*") return undefined;
  if (dimension === "custom") {
    const why = `custom:${value} is matched only where the host sets it on the session`;
    return { level: "hint", why, fix: "see that your host does: custom: [...] when a session is opened" };
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
      const why = `local/rules never gives the ${dimension} '${value}'`;
      return { level: "warning", why, fix: fix("name a model under sessionLabels") };
    }
  }
}
