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

/** Objects and lists with a number beyond JavaScript's precision, and their form from `parseExactly`. */
const exactForms = new WeakMap<object, Json>();
const LONG_NUMBER = /\d{16}/;

/** Like `JSON.parse`; `exactOf` gives back the digits that JavaScript's numbers have lost. */
export function parseKeepingDigits(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (LONG_NUMBER.test(text)) keepForms(value, parseExactly(text));
  return value;
}

/** Returns whether the exact form differs. */
function keepForms(value: unknown, exact: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof exact === "object" && exact !== null;
  const forms = exact as Readonly<Record<string, unknown>>;
  const isDifferent = Object.entries(value).filter(([key, one]) => keepForms(one, forms[key])).length > 0;
  if (isDifferent) exactForms.set(value, exact as Json);
  return isDifferent;
}

/** The value for serialising: its numbers are digit for digit those of the text it was parsed from. */
export function exactOf(value: Json): Json {
  return (typeof value === "object" && value !== null ? exactForms.get(value) : undefined) ?? value;
}

/** `changed` for serialising, with the digits of everything that it took over from `original`. */
export function withDigitsOf(original: JsonObject, changed: JsonObject): JsonObject {
  const exact = asObject(exactOf(original));
  if (exact === original) return changed;
  return Object.fromEntries(
    Object.entries(changed).map(([key, one]) => [key, one === original[key] ? exact[key] : one]),
  );
}

/** A number that `parseExactly` kept as text. */
export function isExactNumber(value: object): boolean {
  return (JSON as unknown as ExactJson).isRawJSON(value);
}

/** ECMAScript's access to the source text, which TypeScript does not declare yet. */
type ExactJson = {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): Json;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};
