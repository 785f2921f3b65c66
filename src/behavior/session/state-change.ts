import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Json } from "../../base/words/json.ts";
import type { State } from "../../base/words/slice.ts";
import { decodeState, encodeState } from "./state-codec.ts";

/**
 * What makes one state of another, as plain JSON: `["=", state]` puts another in its place, `["{", entries]` and `["map", entries]` change
 * some keys (`null` takes one away), `["[", first, last, states]` keeps so many at either end and puts others between.
 */
export type StateChange = readonly Json[];

/** `undefined` when they are the same. Parts that are the very same are not looked into: it costs what has changed. */
export function changeOf(before: State, after: State): StateChange | undefined {
  if (Object.is(before, after)) return undefined;
  if (before instanceof PersistentMap && after instanceof PersistentMap) return mapChange(before, after);
  if (isList(before) && isList(after)) return listChange(before, after);
  if (isRecord(before) && isRecord(after)) return recordChange(before, after);
  return ["=", encodeState(after)];
}

function mapChange(before: PersistentMap<State>, after: PersistentMap<State>): StateChange | undefined {
  const entries: Json[] = [];
  for (const [key, value] of after.since(before)) {
    const change = value === undefined ? null : entryChange(before.get(key), value);
    if (change !== undefined) entries.push([key, change]);
  }
  return entries.length === 0 ? undefined : ["map", entries];
}

function recordChange(before: Fields, after: Fields): StateChange | undefined {
  const entries: Json[] = [];
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const change = entryChange(fieldOf(before, key), value);
    if (change !== undefined) entries.push([key, change]);
  }
  // What has no value is not kept, and counts as not there.
  for (const [key, value] of Object.entries(before))
    if (value !== undefined && fieldOf(after, key) === undefined) entries.push([key, null]);
  return entries.length === 0 ? undefined : ["{", entries];
}

function listChange(before: readonly State[], after: readonly State[]): StateChange | undefined {
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && isSame(before[first], after[first])) first += 1;
  let last = 0;
  while (last < shorter - first && isSame(before.at(-1 - last), after.at(-1 - last))) last += 1;
  if (first === before.length && first === after.length) return undefined;
  return ["[", first, last, after.slice(first, after.length - last).map(encodeState)];
}

function entryChange(before: State | undefined, after: State): Json | undefined {
  return before === undefined ? ["=", encodeState(after)] : changeOf(before, after);
}

/** The exact inverse: what `changeOf` was given second. Throws on what does not fit. */
export function changedBy(before: State | undefined, change: Json): State {
  if (!isList(change)) throw new Error("a change is not one");
  const [kind, what = null, last, states] = change;
  if (kind === "=") return decodeState(what);
  if (kind === "[" && isList(before) && isCount(what) && isCount(last) && isList(states)) {
    if (what + last > before.length) throw new Error("a change keeps more of a list than there is");
    return [...before.slice(0, what), ...states.map(decodeState), ...before.slice(before.length - last)];
  }
  if (kind === "map" && before instanceof PersistentMap && isList(what)) {
    let map = before;
    for (const [key, value] of entriesOf(what))
      map = value === null ? map.delete(key) : map.set(key, changedBy(map.get(key), value));
    return map;
  }
  if (kind === "{" && isRecord(before) && isList(what)) {
    const fields = new Map(Object.entries(before));
    for (const [key, value] of entriesOf(what)) {
      if (value === null) fields.delete(key);
      else fields.set(key, changedBy(fieldOf(before, key), value));
    }
    return Object.fromEntries(fields);
  }
  throw new Error("a change does not fit what it is of");
}

type Fields = { readonly [key: string]: State | undefined };

function* entriesOf(entries: readonly Json[]): Generator<readonly [string, Json]> {
  for (const entry of entries) {
    if (!isList(entry) || typeof entry[0] !== "string" || entry[1] === undefined)
      throw new Error("a change has an entry that is none");
    yield [entry[0], entry[1]];
  }
}

/** Not what every object has. */
function fieldOf(fields: Fields, key: string): State | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function isSame(one: State | undefined, other: State | undefined): boolean {
  return Object.is(one, other);
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isRecord(value: State | undefined): value is Fields {
  if (typeof value !== "object" || value === null || isList(value) || value instanceof PersistentMap) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isList<T>(value: T): value is T & readonly (T extends readonly (infer E)[] ? E : never)[] {
  return Array.isArray(value);
}
