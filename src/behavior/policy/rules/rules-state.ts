import { type BoundedMap, boundedGet, boundedMap, boundedSet } from "../../../base/kernel/bounded-map.ts";
import { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { Monitor } from "./compile-rules.ts";

/** What a monitor knows of one combination of values. `seq` orders facts without a clock. */
export type Sighting = { readonly at: number; readonly seq: number; readonly count: number; readonly version?: string };

/** A sighting that waits for the end of the step in which its call was let through. */
export type PendingSighting = {
  /** The call: all that one call shows has one place in the order. */
  readonly of: string;
  readonly monitor: string;
  readonly tuple: string;
  readonly at: number;
  readonly version?: string;
};

export type Held = { readonly counters: readonly string[]; readonly sightings: readonly PendingSighting[] };

/** All that the rules of a session remember. Evidence may be forgotten, oldest first; what would let something through may not. */
export type RulesState = {
  readonly seq: number;
  readonly evidence: BoundedMap<Sighting>;
  readonly kept: PersistentMap<Sighting>;
  /**
   * Something that must not be forgotten found no room (`true`), or all of it was lost with a damaged state (`lost`): whoever asks for
   * such a thing gets no answer from here on.
   */
  readonly overflow: boolean | "lost";
  readonly counters: PersistentMap<number>;
  /** Soft denials that rest, and until when. */
  readonly rests: PersistentMap<number>;
  /** What calls under way have reserved, to be given back if they never run, and what one put to a person will have shown. */
  readonly held: PersistentMap<Held>;
  readonly pending: { readonly step: string | null; readonly sightings: readonly PendingSighting[] };
};

const MAX_KEYS = 10_000;

export const NO_RULES_STATE: RulesState = {
  seq: 0,
  evidence: boundedMap(MAX_KEYS),
  kept: PersistentMap.empty(),
  overflow: false,
  counters: PersistentMap.empty(),
  rests: PersistentMap.empty(),
  held: PersistentMap.empty(),
  pending: { step: null, sightings: [] },
};

/** What a session was before is lost: no evidence, and every limit counts as used up. */
export const LOST_RULES_STATE: RulesState = { ...NO_RULES_STATE, overflow: "lost" };

/** No room for another key of those that are never forgotten: whatever would need one is denied. */
export function isFull(state: RulesState): boolean {
  return state.overflow === "lost" || state.kept.size + state.counters.size + state.rests.size >= MAX_KEYS;
}

/** Why nobody can tell whether, or how often, something was done before. */
export function whyUntold({ overflow }: RulesState): string {
  return overflow === "lost"
    ? "what this session did before was lost with a damaged state; start a new session"
    : "this session remembers too much already to tell";
}

export function sightingOf(state: RulesState, monitor: Monitor, tuple: string): Sighting | undefined {
  const key = monitor.id + tuple;
  return monitor.kept ? state.kept.get(key) : boundedGet(state.evidence, key);
}

/** The next place in the order of things; everything that one call shows shares it. */
export function nextPlace(state: RulesState): RulesState {
  return { ...state, seq: state.seq + 1 };
}

/** Something that is watched for has happened, at the newest place in the order. */
export function sight(
  state: RulesState,
  monitor: Monitor,
  tuple: string,
  seen: { readonly at: number; readonly version?: string },
): RulesState {
  const { seq } = state;
  const key = monitor.id + tuple;
  const before = sightingOf(state, monitor, tuple);
  const version = seen.version === undefined ? {} : { version: seen.version };
  const sighting: Sighting = { at: seen.at, seq, count: (before?.count ?? 0) + 1, ...version };
  if (!monitor.kept) return { ...state, evidence: boundedSet(state.evidence, key, sighting) };
  if (before === undefined && isFull(state)) return { ...state, overflow: state.overflow || true };
  return { ...state, kept: state.kept.set(key, sighting) };
}

/** The state as a call of this step sees it: what earlier steps let through counts now. */
export function settledFor(
  state: RulesState,
  step: string | undefined,
  monitors: ReadonlyMap<string, Monitor>,
): RulesState {
  const { pending } = state;
  if (pending.sightings.length === 0 || (step !== undefined && step === pending.step)) return state;
  let next: RulesState = { ...state, pending: NO_RULES_STATE.pending };
  let last: string | undefined;
  for (const { monitor: id, tuple, of, ...seen } of pending.sightings) {
    if (of !== last) next = nextPlace(next);
    last = of;
    const monitor = monitors.get(id);
    if (monitor !== undefined) next = sight(next, monitor, tuple, seen);
  }
  return next;
}
