import type { Json, JsonObject } from "../words/json.ts";

/** True for a JSON object, false for null and lists. Assumes that the value came from JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, else an empty one. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the value if it is a list, else an empty one. */
export function asList(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

/** Returns the value if it is a string, else an empty one. */
export function asString(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the parsed object; `undefined` if the text is not JSON or not an object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * Parses so that serialising gives the same numbers digit for digit: a number beyond JavaScript's precision stays
 * text. For messages that are changed in one place; decisions use plain values.
 */
export function parseExactly(text: string): Json {
  const exact = JSON as unknown as ExactJson;
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value,
  );
}

/** ECMAScript's access to the source text, which TypeScript does not declare yet. */
type ExactJson = {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): Json;
  rawJSON(text: string): unknown;
};
