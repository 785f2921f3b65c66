/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; a key may be absent. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** The value as an object; an empty one when it is anything else. */
export function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as a list; an empty one when it is anything else. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

/** The value as a string; an empty one when it is anything else. */
export function asString(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** True for a JSON object, false for null and for lists. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

/** The parsed object, or `undefined` when the text is not JSON or not an object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
