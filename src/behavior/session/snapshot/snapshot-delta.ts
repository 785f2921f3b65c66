import { errorText } from "../../../base/kernel/error-text.ts";
import { parseObject } from "../../../base/kernel/json.ts";
import { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { State } from "../../../base/words/session-view.ts";
import {
  checksumOf,
  decodeState,
  encodeUnordered,
  fault,
  isList,
  isPlain,
  parseSnapshot,
  readPoint,
  Slices,
  type Snapshot,
  type SnapshotFault,
  serialiseSnapshot,
  withChecksum,
} from "./snapshot.ts";

const VERSION = 1;

/** The end of a serialised text, and its length. */
const END = /^,"checksum":"([0-9a-f]{20})"\}$/;
const END_LENGTH = 35;

/** Serialises the changes since a snapshot; costs what has changed. `onto`: the text it comes after. */
export function serialiseChange(before: Snapshot, after: Snapshot, onto: string): string {
  const { agent, at, point, session, slices } = after;
  const text = JSON.stringify({
    agent,
    at,
    change: slicesChange(before.slices, slices),
    onto: checksumIn(onto),
    point: point === undefined ? undefined : { run: point.run, seq: point.seq },
    session,
    v: VERSION,
  });
  return withChecksum(text);
}

/** The change of the slices by their kind and name. Slices are compared by identity, so the rest costs nothing. */
function slicesChange(before: Slices, after: Slices): Json {
  const kinds: { readonly LOG: Json[]; readonly STATE: Json[] } = { LOG: [], STATE: [] };
  for (const { kind, name, mine, theirs } of after.differing(before)) {
    const change = mine === undefined ? null : entryChange(theirs, mine);
    if (change !== undefined) kinds[kind].push([name, change]);
  }
  const log: Json[] = kinds.LOG.length === 0 ? [] : [["log", ["{", kinds.LOG]]];
  const state: Json[] = kinds.STATE.length === 0 ? [] : [["state", ["{", kinds.STATE]]];
  return log.length + state.length === 0 ? null : ["{", [...log, ...state]];
}

/** Applies changes to a snapshot's text. A missing, damaged or foreign change is a fault. */
export function mergeChanges(text: string, changes: readonly string[]): string | { readonly fault: SnapshotFault } {
  let snapshot = parseSnapshot(text);
  if ("fault" in snapshot) return snapshot;
  let before = text;
  for (const next of changes) {
    const body = readChange(next);
    if (body === undefined)
      return fault("checksum", "a change of the session's state was damaged after it was written");
    if (body.session !== snapshot.session || body.onto !== checksumIn(before))
      return fault("content", "a change of the session's state does not follow the stored state");
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
  return { session: snapshot.session, agent, at, slices: Slices.of(state, log), point: readPoint(point) };
}

type Values = { readonly [slice: string]: State };

function partsOf(slices: Slices): { readonly log: Values; readonly state: Values } {
  return { log: slices.named("LOG"), state: slices.named("STATE") };
}

/** `undefined` for a damaged change. */
function readChange(text: string): JsonObject | undefined {
  const body = `${text.slice(0, -END_LENGTH)}}`;
  if (checksumIn(text) !== checksumOf(body)) return undefined;
  const json = parseObject(body);
  return json?.v === VERSION ? json : undefined;
}

function checksumIn(text: string): string {
  return END.exec(text.slice(-END_LENGTH))?.[1] ?? "";
}

/**
 * A state change as JSON: `["=", state]` replaces, `["{", entries]` and `["map", entries]` change keys (`null` deletes one),
 * `["[", first, last, states]` keeps so many items at either end and puts others between. `["move", from, count, states]`
 * keeps so many items from a place on and puts others after them, as in a list that drops its oldest.
 */
type StateChange = readonly Json[];

/** `undefined` if nothing changed. Identical parts are skipped. */
export function changeOf(before: State, after: State): StateChange | undefined {
  if (Object.is(before, after)) return undefined;
  if (before instanceof PersistentMap && after instanceof PersistentMap) return mapChange(before, after);
  if (isList(before) && isList(after)) return listChange(before, after);
  if (isRecord(before) && isRecord(after)) return recordChange(before, after);
  return ["=", encodeUnordered(after)];
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
  // A field without a value counts as absent.
  for (const [key, value] of Object.entries(before))
    if (value !== undefined && fieldOf(after, key) === undefined) entries.push([key, null]);
  return entries.length === 0 ? undefined : ["{", entries];
}

function listChange(before: readonly State[], after: readonly State[]): StateChange | undefined {
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && Object.is(before[first], after[first])) first += 1;
  let last = 0;
  while (last < shorter - first && Object.is(before.at(-1 - last), after.at(-1 - last))) last += 1;
  if (first === before.length && first === after.length) return undefined;
  const from = first === 0 && last === 0 && after.length > 1 ? before.indexOf(after[0] as State) : -1;
  let count = 0;
  while (from > 0 && from + count < before.length && Object.is(before[from + count], after[count])) count += 1;
  if (count > 1) return ["move", from, count, after.slice(count).map(encodeUnordered)];
  return ["[", first, last, after.slice(first, after.length - last).map(encodeUnordered)];
}

function entryChange(before: State | undefined, after: State): Json | undefined {
  return before === undefined ? ["=", encodeUnordered(after)] : changeOf(before, after);
}

/** The inverse of `changeOf`. Throws if the change does not fit. */
export function changedBy(before: State | undefined, change: Json): State {
  if (!isList(change)) throw new Error("a change is not a list");
  const [kind, what = null, last, states] = change;
  if (kind === "=") return decodeState(what);
  if (kind === "[" && isList(before) && isCount(what) && isCount(last) && isList(states)) {
    if (what + last > before.length) throw new Error("a change keeps more list items than exist");
    return [...before.slice(0, what), ...states.map(decodeState), ...before.slice(before.length - last)];
  }
  if (kind === "move" && isList(before) && isCount(what) && isCount(last) && isList(states)) {
    if (what + last > before.length) throw new Error("a change keeps more list items than exist");
    return [...before.slice(what, what + last), ...states.map(decodeState)];
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
  throw new Error("a change does not match the state");
}

type Fields = { readonly [key: string]: State | undefined };

function* entriesOf(entries: readonly Json[]): Generator<readonly [string, Json]> {
  for (const entry of entries) {
    if (!isList(entry) || typeof entry[0] !== "string" || entry[1] === undefined)
      throw new Error("a change has an invalid entry");
    yield [entry[0], entry[1]];
  }
}

/** Own fields only. */
function fieldOf(fields: Fields, key: string): State | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isRecord(value: State | undefined): value is Fields {
  return typeof value === "object" && value !== null && !isList(value) && isPlain(value);
}
