import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject, parseObject } from "../../../base/kernel/json.ts";
import { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { State } from "../../../base/words/slice.ts";
import { Slices } from "./slices.ts";
import { parseSnapshot, type Snapshot, type SnapshotFault, serialiseSnapshot } from "./snapshot.ts";
import { decodeState, encodeState } from "./state-codec.ts";

const VERSION = 1;
/** How what is serialised ends, and how long that is. */
const END = /^,"checksum":"([0-9a-f]{20})"\}$/;
const END_LENGTH = 35;

/** What has happened to a session since a snapshot, as text; costs what has changed, and not what is there. `onto`: the text that it comes after. */
export function serialiseChange(before: Snapshot, after: Snapshot, onto: string): string {
  const { agent, at, point, session, slices } = after;
  const text = JSON.stringify({
    agent,
    at,
    change: changeOf(partsOf(before.slices), partsOf(slices)) ?? null,
    onto: checksumIn(onto),
    point: point === undefined ? undefined : { run: point.run, seq: point.seq },
    session,
    v: VERSION,
  });
  return `${text.slice(0, -1)},"checksum":"${checksumOver(text)}"}`;
}

/**
 * A snapshot's text with what has happened since, in order: the very text that the last snapshot would have had. A change that is
 * missing, damaged or of something else is a fault, never a state that was not there.
 */
export function mergeChanges(text: string, changes: readonly string[]): string | { readonly fault: SnapshotFault } {
  let snapshot = parseSnapshot(text);
  if ("fault" in snapshot) return snapshot;
  let before = text;
  for (const next of changes) {
    const body = readChange(next);
    if (body === undefined)
      return fault("checksum", "a change of the session's state was damaged after it was written");
    if (body.session !== snapshot.session || body.onto !== checksumIn(before))
      return fault("content", "a change of the session's state comes after something else than what is kept");
    try {
      snapshot = changed(snapshot, body);
    } catch (error) {
      return fault("content", `a change of the session's state cannot be used: ${errorText(error)}`);
    }
    before = next;
  }
  return serialiseSnapshot(snapshot);
}

function changed(snapshot: Snapshot, { agent, at, change, point }: JsonObject): Snapshot {
  if (typeof agent !== "string" || typeof at !== "number") throw new Error("it lacks its agent or time");
  const parts =
    change === null || change === undefined ? partsOf(snapshot.slices) : changedBy(partsOf(snapshot.slices), change);
  const { log, state } = parts as { readonly log: Values; readonly state: Values };
  const { run, seq } = isObject(point) ? point : {};
  const { session } = snapshot;
  const slices = Slices.of(state, log);
  return typeof run === "string" && typeof seq === "number"
    ? { session, agent, at, slices, point: { run, seq } }
    : { session, agent, at, slices };
}

type Values = { readonly [slice: string]: State };

function partsOf(slices: Slices): { readonly log: Values; readonly state: Values } {
  return { log: slices.named("LOG"), state: slices.named("STATE") };
}

/** `undefined` for what is not as it was written. */
function readChange(text: string): JsonObject | undefined {
  const body = `${text.slice(0, -END_LENGTH)}}`;
  if (checksumIn(text) !== checksumOver(body)) return undefined;
  const json = parseObject(body);
  return isObject(json) && json.v === VERSION ? json : undefined;
}

function checksumIn(text: string): string {
  return END.exec(text.slice(-END_LENGTH))?.[1] ?? "";
}

function checksumOver(text: string): string {
  return sha256(text).slice(0, 20);
}

function fault(code: SnapshotFault["code"], message: string): { readonly fault: SnapshotFault } {
  return { fault: { code, message } };
}

/**
 * What makes one state of another, as plain JSON: `["=", state]` puts another in its place, `["{", entries]` and `["map", entries]` change
 * some keys (`null` takes one away), `["[", first, last, states]` keeps so many at either end and puts others between.
 */
type StateChange = readonly Json[];

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
