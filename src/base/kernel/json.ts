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
