import { canonicalJson, sha256 } from "../../../base/kernel/canonical-json.ts";
import { sliceInitial } from "../../../base/kernel/define-slice.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject } from "../../../base/kernel/json.ts";
import { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { SessionPoint } from "../../../base/words/event.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { State } from "../../../base/words/slice.ts";
import { Slices } from "./slices.ts";
import { decodeState, encodeState } from "./state-codec.ts";

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
