import { parseObject } from "../../../base/kernel/json.ts";
import { didYouMean } from "../../../base/kernel/nearest.ts";
import type { SessionClassification } from "../../../base/words/classification.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import {
  DOMAIN_MAX,
  FLAGS_MAX,
  LABEL_MAX,
  readClassification,
} from "../../../behavior/classification/classification.ts";

const KEYS: readonly string[] = ["label", "topic", "complexity", "domain", "flags"];
const MOST = { domain: DOMAIN_MAX, flags: FLAGS_MAX } as const;

/**
 * Parses a classification written by a person: topic and complexity; the rest gets defaults. Uses the parser for model
 * answers, but reports as a fault what that one drops silently, so the preview matches the request.
 */
export function parseClassification(text: string): SessionClassification | { readonly fault: string } {
  const given = parseObject(text);
  if (given === undefined) return { fault: "it is not a JSON object" };
  const read = readClassification(JSON.stringify(given));
  if ("fault" in read) return { fault: unknownKey(given) ?? read.fault };
  const fault =
    unknownKey(given) ?? labelFault(given) ?? tagsFault("domain", given, read) ?? tagsFault("flags", given, read);
  return fault === undefined ? read : { fault };
}

function unknownKey(given: JsonObject): string | undefined {
  const strange = Object.keys(given).find((key) => !KEYS.includes(key));
  return strange && `unknown key "${strange}"; ${didYouMean(strange, KEYS, `the keys are ${KEYS.join(", ")}`)}`;
}

function labelFault({ label }: JsonObject): string | undefined {
  if (label === undefined) return undefined;
  if (typeof label !== "string") return '"label" must be a text';
  return label.length > LABEL_MAX ? `"label" has ${label.length} characters; at most ${LABEL_MAX}` : undefined;
}

function tagsFault(key: "domain" | "flags", given: JsonObject, read: SessionClassification): string | undefined {
  const tags = given[key];
  if (tags === undefined) return undefined;
  if (!Array.isArray(tags))
    return `"${key}" must be a list, such as ["${key === "domain" ? "security" : "production"}"]`;
  if (tags.length > MOST[key]) return `"${key}" has ${tags.length} tags; at most ${MOST[key]}`;
  const strange = tags.find((tag) => typeof tag !== "string" || !read[key].includes(tag.trim().toLowerCase()));
  if (strange === undefined) return undefined;
  return `${JSON.stringify(strange)} is not a valid tag for "${key}"; use one word of letters a-z, digits and - _ . + #`;
}
