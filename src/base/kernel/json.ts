import type { Json, JsonObject } from "../words/json.ts";

/** True for a JSON object, false for null and for lists. What came through JSON has nothing but JSON in it. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one when it is anything else. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as a list; an empty one when it is anything else. */
export function asList(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

/** The value as a text; an empty one when it is anything else. */
export function asString(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The parsed object, or `undefined` when the text is not JSON or not an object. */
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
