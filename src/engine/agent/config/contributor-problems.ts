import { didYouMean, nearest } from "../../../base/kernel/nearest.ts";
import type { ContributorTag, PromptContributor, TagDimension } from "../../../base/words/prompt.ts";
import { COMPLEXITIES, TOPICS } from "../../../behavior/classification/classification.ts";
import type { ConfigPath } from "./config-source.ts";
import { ID } from "./schema-fields.ts";

const DIMENSIONS: readonly TagDimension[] = ["topic", "complexity", "domain", "flag", "channel", "custom"];

/** Channels that need no declaration. */
export const CHANNELS: readonly string[] = ["web", "telegram", "slack", "scheduled", "cli"];

type TagProblem = { readonly about: "dimension" | "value"; readonly message: string; readonly hint: string };

/** Why a tag can never match; `undefined` when it can. Agents in code may pass anything. */
function tagProblem({ dimension, value }: ContributorTag): TagProblem | undefined {
  if (!DIMENSIONS.includes(dimension)) {
    const hint = hintFor(String(dimension), DIMENSIONS);
    return { about: "dimension", message: `'${dimension}' is not a dimension`, hint };
  }
  if (typeof value !== "string" || value.trim() === "") {
    return { about: "value", message: `a tag of '${dimension}' has no value`, hint: "add a value, or * for any" };
  }
  const known: readonly string[] | undefined = { topic: TOPICS, complexity: COMPLEXITIES }[String(dimension)];
  if (known === undefined || value.trim() === "*" || known.includes(normal(value))) return undefined;
  return { about: "value", message: `'${value}' is no ${dimension}`, hint: hintFor(value, known) };
}

/** Why a tag will probably never match. `channels` are those that conduct.yaml declares. */
export function tagDoubt({ dimension, value }: ContributorTag, channels: readonly string[]): TagProblem | undefined {
  if (value.trim() === "*") return undefined;
  if (dimension === "channel") {
    const known = [...CHANNELS, ...channels];
    if (known.some((name) => normal(name) === normal(value))) return undefined;
    const meant = nearest(value, known);
    const declare = "declare it under channels";
    const hint = meant === undefined ? declare : `did you mean '${meant}'? Otherwise ${declare}`;
    return { about: "value", message: `no channel '${value}' is known`, hint };
  }
  // Classification gives single words, so a value with spaces never matches.
  const classified = dimension === "domain" || dimension === "flag";
  if (!classified || /^[a-z0-9.][a-z0-9_.+#-]{0,31}$/i.test(value.trim())) return undefined;
  const message = `sessions never get the ${dimension} '${value}'`;
  return { about: "value", message, hint: "use one word of at most 32 letters a-z, digits and - _ . + #" };
}

function hintFor(written: string, known: readonly string[]): string {
  return didYouMean(written, known, `known: ${known.join(", ")}`);
}

function normal(value: string): string {
  return value.trim().toLowerCase();
}

type ContributorProblem = { readonly at: ConfigPath; readonly message: string; readonly hint?: string };

/** Everything that makes a contributor unusable. Agents in code may pass anything. */
export function contributorProblems(contributor: PromptContributor): readonly ContributorProblem[] {
  const { id, priority, tags = [], zone, contribute, shouldContribute } = contributor;
  if (typeof id !== "string" || !ID.test(id)) {
    const hint = "at most 100 letters, digits and . _ : / -, without spaces";
    return [{ at: ["id"], message: `a contributor needs an id, and ${shown(id)} is none`, hint }];
  }
  const problems: ContributorProblem[] = [];
  const add = (at: ConfigPath, what: string, hint?: string) =>
    problems.push({ at, message: `contributor '${id}': ${what}`, hint });
  if (/^builtin:/i.test(id)) add(["id"], "ids that start with builtin: are reserved", "give it another id");
  if (priority !== undefined && !Number.isFinite(priority)) add(["priority"], "'priority' must be a number");
  if (zone !== undefined && !ZONES.includes(zone)) add(["zone"], `zone is one of ${ZONES.join(", ")}`);
  if (shouldContribute !== undefined && typeof shouldContribute !== "function") {
    add([], "'shouldContribute' must be a function");
  }
  if (typeof contribute !== "function") add([], "'contribute' must be a function");
  for (const [index, tag] of tags.entries()) {
    const problem = tagProblem(tag);
    if (problem !== undefined) add(["tags", index, problem.about], problem.message, problem.hint);
  }
  return problems;
}

const ZONES: readonly string[] = ["static", "session", "turn"];

function shown(id: unknown): string {
  return typeof id === "string" ? JSON.stringify(id) : String(id);
}
