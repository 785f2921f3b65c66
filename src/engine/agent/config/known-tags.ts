import { nearest } from "../../../base/kernel/nearest.ts";
import type { ContributorTag, TagDimension } from "../../../base/words/prompt.ts";
import { COMPLEXITIES, TOPICS } from "../../../behavior/classification/classification.ts";

const DIMENSIONS: readonly TagDimension[] = ["topic", "complexity", "domain", "flag", "channel", "custom"];

/** The channels there are without a word in conduct.yaml. */
const CHANNELS = ["web", "telegram", "scheduled", "cli"];

/** What is wrong with a tag, and what may have been meant. */
export type TagProblem = { readonly about: "dimension" | "value"; readonly message: string; readonly hint: string };

/** Why a tag can never match; `undefined` when it can. Agents from code may have anything here. */
export function tagProblem({ dimension, value }: ContributorTag): TagProblem | undefined {
  if (!DIMENSIONS.includes(dimension)) {
    const hint = hintFor(String(dimension), DIMENSIONS);
    return { about: "dimension", message: `'${dimension}' is no dimension`, hint };
  }
  if (typeof value !== "string" || value.trim() === "") {
    return { about: "value", message: `a tag of '${dimension}' has no value`, hint: "give it one, or * for any" };
  }
  const known: readonly string[] | undefined = { topic: TOPICS, complexity: COMPLEXITIES }[String(dimension)];
  if (known === undefined || value.trim() === "*" || known.includes(normal(value))) return undefined;
  return { about: "value", message: `'${value}' is no ${dimension}`, hint: hintFor(value, known) };
}

/** Why a tag will most likely never match; `channels` are those that conduct.yaml declares. */
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
  // Classification gives short words; what has spaces in it is never among them.
  const classified = dimension === "domain" || dimension === "flag";
  if (!classified || /^[a-z0-9.][a-z0-9_.+#-]{0,31}$/i.test(value.trim())) return undefined;
  const message = `no session is ever classified with the ${dimension} '${value}'`;
  return { about: "value", message, hint: "write one word of at most 32 letters a-z, digits and - _ . + #" };
}

function hintFor(written: string, known: readonly string[]): string {
  const meant = nearest(written, known);
  return meant === undefined ? `known: ${known.join(", ")}` : `did you mean '${meant}'?`;
}

function normal(value: string): string {
  return value.trim().toLowerCase();
}
