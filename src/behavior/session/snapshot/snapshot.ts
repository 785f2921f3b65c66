import { canonicalJson, sha256 } from "../../../base/kernel/canonical-json.ts";
import { sliceInitial, sliceNames, slicePlace } from "../../../base/kernel/define-slice.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, isObject } from "../../../base/kernel/json.ts";
import { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { SessionPoint } from "../../../base/words/event.ts";
import type { Json } from "../../../base/words/json.ts";
import type { Slice, State } from "../../../base/words/session-view.ts";

type Kind = Slice["kind"];
type Values = { readonly [slice: string]: State };

/** By the slice's place; `undefined` if it was never written. */
type Cells = readonly (State | undefined)[];

/** A session's whole state. Immutable, so that holding a reference is a snapshot. */
export class Slices {
  readonly #state: Cells;
  readonly #log: Cells;

  private constructor(state: Cells, log: Cells) {
    this.#state = state;
    this.#log = log;
  }

  static readonly empty = new Slices([], []);

  /** From a snapshot; unknown slices are kept. */
  static of(state: Values, log: Values): Slices {
    return new Slices(cellsOf("STATE", state), cellsOf("LOG", log));
  }

  get<T extends State>(slice: Slice<T>): T {
    const value = slice.kind === "STATE" ? this.#state[slice.place] : this.#log[slice.place];
    // `with` is the only writer and uses the same type.
    return value === undefined ? slice.initial : (value as T);
  }

  with<T extends State>(slice: Slice<T>, value: T): Slices {
    if (Object.is(this.get(slice), value)) return this;
    return slice.kind === "STATE"
      ? new Slices(written(this.#state, slice.place, value), this.#log)
      : new Slices(this.#state, written(this.#log, slice.place, value));
  }

  /** STATE as of `from`; LOG stays, because it records what happened. */
  restored(from: Slices): Slices {
    return new Slices(from.#state, this.#log);
  }

  named(kind: Kind): Values {
    const found: [string, State][] = [];
    for (const [place, value] of (kind === "STATE" ? this.#state : this.#log).entries()) {
      const name = sliceNames(kind)[place];
      if (value !== undefined && name !== undefined) found.push([name, value]);
    }
    return Object.fromEntries(found);
  }

  /** Every slice with another value (by identity). */
  differing(other: Slices): readonly Differing[] {
    if (this === other) return [];
    return [...differingIn("STATE", this.#state, other.#state), ...differingIn("LOG", this.#log, other.#log)];
  }
}

type Differing = {
  readonly kind: Kind;
  readonly name: string;
  readonly mine: State | undefined;
  readonly theirs: State | undefined;
};

function differingIn(kind: Kind, mine: Cells, theirs: Cells): readonly Differing[] {
  if (mine === theirs) return [];
  return sliceNames(kind).flatMap((name, place) =>
    mine[place] === theirs[place] ? [] : [{ kind, name, mine: mine[place], theirs: theirs[place] }],
  );
}

function cellsOf(kind: Kind, values: Values): Cells {
  let cells: Cells = [];
  for (const [name, value] of Object.entries(values)) cells = written(cells, slicePlace(kind, name), value);
  return cells;
}

function written(cells: Cells, place: number, value: State): Cells {
  const copy = cells.slice();
  while (copy.length < place) copy.push(undefined);
  copy[place] = value;
  return copy;
}

const MAP = "$map";

/** State as JSON with sorted keys; a persistent map becomes `{"$map": [[key, value], …]}`. */
export function encodeState(state: State): Json {
  if (typeof state === "number" && !Number.isFinite(state))
    throw new TypeError(`${state} cannot be stored in a snapshot`);
  if (state === null || typeof state !== "object") return state;
  if (isList(state)) return state.map(encodeState);
  if (state instanceof PersistentMap) {
    const entries = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
    return { [MAP]: entries.map(([key, value]) => [key, encodeState(value)]) };
  }
  if (!isPlain(state))
    throw new TypeError(
      `a ${state.constructor?.name ?? "value"} cannot be stored in a snapshot; state is plain JSON and persistent maps`,
    );
  return encodeObject(state);
}

/** Hot path: most objects are small and in order, and need no list of entries. */
function encodeObject(state: { readonly [key: string]: State | undefined }): Json {
  const keys = Object.keys(state);
  // A key that is escaped or that an assignment would not set, or keys out of order.
  if (keys.some((key, at) => key.startsWith("$") || key === "__proto__" || key < (keys[at - 1] ?? ""))) {
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

/**
 * The same JSON with keys in any order, for texts that are never compared. Returns the state itself where it is JSON
 * already.
 */
export function encodeUnordered(state: State): Json {
  if (state === null || typeof state !== "object") return encodeState(state);
  if (isList(state)) {
    const list = state.map(encodeUnordered);
    return list.every((item, at) => item === state[at]) ? (state as readonly Json[]) : list;
  }
  if (state instanceof PersistentMap || !isPlain(state)) return encodeState(state);
  const fields = state as { readonly [key: string]: State | undefined };
  for (const key in fields) {
    const value = fields[key];
    if (key.startsWith("$") || key === "__proto__") return encodeState(state);
    if (value !== undefined && encodeUnordered(value) !== value) return encodeState(state);
  }
  return fields as Json;
}

/** The inverse; throws on anything that `encodeState` cannot have written. */
export function decodeState(json: Json): State {
  if (json === null || typeof json !== "object") return json;
  if (isList(json)) return json.map(decodeState);
  const entries = json[MAP];
  if (entries !== undefined) {
    if (!isList(entries)) throw new Error(`"${MAP}" must contain a list of entries`);
    return PersistentMap.from(entries.map(decodeEntry));
  }
  const plainKey = (key: string) => (key.startsWith("$$") ? key.slice(1) : key);
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [plainKey(key), decodeState(value ?? null)]));
}

function decodeEntry(entry: Json): readonly [string, State] {
  if (!isList(entry) || entry.length !== 2 || typeof entry[0] !== "string") {
    throw new Error(`an entry of "${MAP}" must be a key and a value`);
  }
  return [entry[0], decodeState(entry[1] ?? null)];
}

/** A `Map` or a class instance would silently come back empty. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A key that starts with `$` gets another one, so that it is not taken for a map. */
function escapeKey(key: string): string {
  return key.startsWith("$") ? `$${key}` : key;
}

export function isList<T>(value: T): value is T & readonly (T extends readonly (infer E)[] ? E : never)[] {
  return Array.isArray(value);
}

const VERSION = 1;

/** A session's state at one point; costs nothing until it is serialised. */
export type Snapshot = {
  readonly session: string;
  readonly agent: string;
  readonly at: number;
  readonly slices: Slices;
  /** The last event before it. */
  readonly point?: SessionPoint;
};

export type SnapshotFault = {
  readonly code: "not-json" | "not-a-snapshot" | "version" | "checksum" | "content";
  readonly message: string;
};

/** Versioned JSON with a checksum. */
export function serialiseSnapshot(snapshot: Snapshot): string {
  const { agent, at, slices, point, session } = snapshot;
  // All keys are in order, so the text is canonical and can be hashed as it is.
  const text = JSON.stringify({
    agent,
    at,
    log: encodeState(slices.named("LOG")),
    point: point === undefined ? undefined : { run: point.run, seq: point.seq },
    session,
    state: encodeState(slices.named("STATE")),
    v: VERSION,
  });
  return withChecksum(text);
}

/** Appends a checksum to the text of an object. */
export function withChecksum(text: string): string {
  return `${text.slice(0, -1)},"checksum":"${checksumOf(text)}"}`;
}

export function checksumOf(text: string): string {
  return sha256(text).slice(0, 20);
}

/** The inverse. A damaged snapshot is a fault, never a fresh start. */
export function parseSnapshot(text: string): Snapshot | { readonly fault: SnapshotFault } {
  const json = parse(text);
  if (json === undefined)
    return fault("not-json", "the snapshot is not JSON; it was probably cut off while being written");
  if (!isObject(json) || json.v === undefined) return fault("not-a-snapshot", "this JSON is not a session snapshot");
  const { checksum: written, ...body } = json;
  if (body.v !== VERSION) {
    const found = JSON.stringify(body.v);
    return fault("version", `this snapshot has version ${found}; this Conduct reads version ${VERSION}`);
  }
  if (written !== checksumOf(canonicalJson(body)))
    return fault("checksum", "the snapshot was changed or damaged after it was written");
  const { session, agent, at, state, log, point } = body;
  if (typeof session !== "string" || typeof agent !== "string" || typeof at !== "number") {
    return fault("content", "the snapshot lacks its session, agent or time");
  }
  try {
    const slices = Slices.of(values("STATE", state), values("LOG", log));
    return { session, agent, at, slices, point: readPoint(point) };
  } catch (error) {
    return fault("content", `the snapshot's state cannot be read: ${errorText(error)}`);
  }
}

export function readPoint(json: Json | undefined): SessionPoint | undefined {
  const { run, seq } = asObject(json);
  return typeof run === "string" && typeof seq === "number" ? { run, seq } : undefined;
}

function values(kind: "STATE" | "LOG", json: Json | undefined): { readonly [slice: string]: State } {
  if (!isObject(json)) throw new Error("a part is missing");
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const state = decodeState(value ?? null);
      if (!hasShape(state, sliceInitial(kind, name))) throw new Error(`'${name}' has the wrong form`);
      return [name, state];
    }),
  );
}

/** True if the value has the same type as its slice's initial value, including common fields. */
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

export function fault(code: SnapshotFault["code"], message: string): { readonly fault: SnapshotFault } {
  return { fault: { code, message } };
}
