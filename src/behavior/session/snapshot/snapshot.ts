import { canonicalJson, sha256 } from "../../../base/kernel/canonical-json.ts";
import { sliceInitial } from "../../../base/kernel/define-slice.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject } from "../../../base/kernel/json.ts";
import { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { SessionPoint } from "../../../base/words/event.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { State } from "../../../base/words/slice.ts";
import { Slices } from "./slices.ts";

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

const VERSION = 1;

/** A handle on a session's state at one point; costs nothing until it is serialised. */
export type Snapshot = {
  readonly session: string;
  readonly agent: string;
  readonly at: number;
  readonly slices: Slices;
  /** Which of its events was the last by then. */
  readonly point?: SessionPoint;
};

export type SnapshotFault = {
  readonly code: "not-json" | "not-a-snapshot" | "version" | "checksum" | "content";
  readonly message: string;
};

/** Plain, versioned JSON with a checksum over all of it. */
export function serialiseSnapshot(snapshot: Snapshot): string {
  const { agent, at, slices, point, session } = snapshot;
  // Canonical, because every key is in order; and what the checksum is over is the text itself: it is written once.
  const text = JSON.stringify({
    agent,
    at,
    log: encodeState(slices.named("LOG")),
    point: point === undefined ? undefined : { run: point.run, seq: point.seq },
    session,
    state: encodeState(slices.named("STATE")),
    v: VERSION,
  });
  return `${text.slice(0, -1)},"checksum":"${sha256(text).slice(0, 20)}"}`;
}

/** The exact inverse. Anything else than an intact snapshot is a fault, never a fresh start. */
export function parseSnapshot(text: string): Snapshot | { readonly fault: SnapshotFault } {
  const json = parse(text);
  if (json === undefined)
    return fault("not-json", "the snapshot is not JSON; it was probably cut off while being written");
  if (!isObject(json) || json.v === undefined) return fault("not-a-snapshot", "this JSON is not a session snapshot");
  const { checksum: written, ...body } = json;
  if (body.v !== VERSION) {
    return fault(
      "version",
      `this snapshot has version ${JSON.stringify(body.v)}; this Conduct reads version ${VERSION}`,
    );
  }
  if (written !== checksum(body)) return fault("checksum", "the snapshot was changed or damaged after it was written");
  const { session, agent, at, state, log, point } = body;
  if (typeof session !== "string" || typeof agent !== "string" || typeof at !== "number") {
    return fault("content", "the snapshot lacks its session, agent or time");
  }
  try {
    const slices = Slices.of(values("STATE", state), values("LOG", log));
    return { session, agent, at, slices, ...pointOf(point) };
  } catch (error) {
    return fault("content", `the snapshot's state cannot be read: ${errorText(error)}`);
  }
}

function pointOf(json: Json | undefined): { readonly point?: SessionPoint } {
  if (!isObject(json)) return {};
  const { run, seq } = json;
  return typeof run === "string" && typeof seq === "number" ? { point: { run, seq } } : {};
}

function checksum(body: JsonObject): string {
  return sha256(canonicalJson(body)).slice(0, 20);
}

function values(kind: "STATE" | "LOG", json: Json | undefined): { readonly [slice: string]: State } {
  if (!isObject(json)) throw new Error("a part is missing");
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const state = decodeState(value ?? null);
      if (!hasShape(state, sliceInitial(kind, name))) throw new Error(`'${name}' is not what it should be`);
      return [name, state];
    }),
  );
}

/** Is it of the same kind as what its slice begins with, and so are the fields that both have? Whoever reads it goes by that. */
function hasShape(value: State, initial: State | undefined): boolean {
  if (initial === undefined || initial === null) return true;
  if (shapeOf(value) !== shapeOf(initial)) return false;
  if (shapeOf(initial) !== "fields") return true;
  const [fields, first] = [value as Fields, initial as Fields];
  return Object.keys(first).every((name) => fields[name] === undefined || hasShape(fields[name], first[name]));
}

type Fields = { readonly [name: string]: State };

function shapeOf(value: State): string {
  if (value === null || typeof value !== "object") return typeof value;
  if (value instanceof PersistentMap) return "map";
  return Array.isArray(value) ? "list" : "fields";
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fault(code: SnapshotFault["code"], message: string): { readonly fault: SnapshotFault } {
  return { fault: { code, message } };
}
