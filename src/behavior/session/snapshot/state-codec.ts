import { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { Json } from "../../../base/words/json.ts";
import type { State } from "../../../base/words/slice.ts";

const MAP = "$map";

/**
 * State as plain JSON: a persistent map becomes `{"$map": [[key, value], …]}`. Keys are in order everywhere, so that equal states give
 * equal text, and what `JSON.stringify` writes of it is canonical as it is.
 */
export function encodeState(state: State): Json {
  if (typeof state === "number" && !Number.isFinite(state))
    throw new TypeError(`${state} cannot be kept in a snapshot`);
  if (state === null || typeof state !== "object") return state;
  if (isList(state)) return state.map(encodeState);
  if (state instanceof PersistentMap) {
    const entries = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
    return { [MAP]: entries.map(([key, value]) => [key, encodeState(value)]) };
  }
  if (!isPlain(state))
    throw new TypeError(
      `a ${state.constructor?.name ?? "value"} cannot be kept in a snapshot; state is plain JSON and persistent maps`,
    );
  return encodeObject(state);
}

/** Written at every call of every kept session: no list of entries is made of what is small, and mostly in order. */
function encodeObject(state: { readonly [key: string]: State | undefined }): Json {
  const keys = Object.keys(state);
  if (keys.some((key, at) => isSpecial(key) || key < (keys[at - 1] ?? ""))) {
    const entries = Object.entries(state).flatMap(([key, value]) =>
      value === undefined ? [] : [[escapeKey(key), encodeState(value)] as const],
    );
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  const encoded: { [key: string]: Json } = {};
  for (const key of keys) {
    const value = state[key];
    if (value !== undefined) encoded[key] = encodeState(value);
  }
  return encoded;
}

/** A key that is changed, or that an assignment would not set. */
function isSpecial(key: string): boolean {
  return key.startsWith("$") || key === "__proto__";
}

/** The exact inverse; throws on what `encodeState` cannot have written. */
export function decodeState(json: Json): State {
  if (json === null || typeof json !== "object") return json;
  if (isList(json)) return json.map(decodeState);
  const entries = json[MAP];
  if (entries !== undefined) {
    if (!isList(entries)) throw new Error(`"${MAP}" must hold a list of entries`);
    return PersistentMap.from(entries.map(decodeEntry));
  }
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [unescapeKey(key), decodeState(value ?? null)]));
}

function decodeEntry(entry: Json): readonly [string, State] {
  if (!isList(entry) || entry.length !== 2 || typeof entry[0] !== "string") {
    throw new Error(`an entry of "${MAP}" must be a key and a value`);
  }
  return [entry[0], decodeState(entry[1] ?? null)];
}

/** What came from a literal or from JSON; a `Map` or a class would silently come back empty. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A user's own key that starts with `$` gets one more, so that it can never be taken for a map. */
function escapeKey(key: string): string {
  return key.startsWith("$") ? `$${key}` : key;
}

function unescapeKey(key: string): string {
  return key.startsWith("$$") ? key.slice(1) : key;
}

function isList<T>(value: T): value is T & readonly (T extends readonly (infer E)[] ? E : never)[] {
  return Array.isArray(value);
}
