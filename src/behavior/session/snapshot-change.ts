import { sha256 } from "../../base/kernel/canonical-json.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import { isObject, parseObject } from "../../base/kernel/json.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { State } from "../../base/words/slice.ts";
import { Slices } from "./slices.ts";
import { parseSnapshot, type Snapshot, type SnapshotFault, serialiseSnapshot } from "./snapshot.ts";
import { changedBy, changeOf } from "./state-change.ts";

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
