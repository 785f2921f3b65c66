import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import { parseObject } from "../../../base/kernel/json.ts";
import { cutGraphemes, neutraliseTags } from "../../../base/kernel/text.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";

/** Characters that the outline of a structured result takes at most, and those of one text in it. */
const OUTLINE = 2_000;
const TEXT = 120;

/** How a text repeats structured content: it is the whole of it as JSON, or the one field that there is. */
export type Repeat = { readonly as: "json" } | { readonly as: "field"; readonly name: string };

/**
 * Whether a text only repeats the structured content, as MCP wants servers to do. Then it is one result and not two:
 * counted once, cut once.
 */
export function repeatOf(text: string, structured: JsonObject): Repeat | undefined {
  const [field, ...more] = Object.entries(structured);
  if (field !== undefined && more.length === 0 && field[1] === text) return { as: "field", name: field[0] };
  const said = text.trimStart().startsWith("{") ? parseObject(text) : undefined;
  return said !== undefined && canonicalJson(said) === canonicalJson(structured) ? { as: "json" } : undefined;
}

/** The structured content that a repeated text now stands for; `undefined` when it was cut in the middle of its JSON. */
export function structuredOf(text: string, repeat: Repeat): JsonObject | undefined {
  return repeat.as === "field" ? { [repeat.name]: text } : parseObject(text);
}

/**
 * What stays of structured content that was cut. A client may hold it against the tool's output schema, so that its shape
 * stays: texts get shorter and lists lose their ends, until it is small.
 */
export function outlineOf(structured: JsonObject): JsonObject {
  for (let most = 16; most >= 1; most = Math.floor(most / 2)) {
    const outline = outlineObject(structured, most);
    if (JSON.stringify(outline).length <= OUTLINE) return outline;
  }
  const bare = outlineObject(structured, 0);
  return JSON.stringify(bare).length <= OUTLINE ? bare : {};
}

function outlineObject(value: JsonObject, most: number): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [neutraliseTags(key), outline(one ?? null, most)]),
  );
}

function outline(value: Json, most: number): Json {
  if (typeof value === "string") return neutraliseTags(cutGraphemes(value, Math.min(TEXT, TEXT * most)));
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.slice(0, most).map((one) => outline(one, most));
  return outlineObject(value, most);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
