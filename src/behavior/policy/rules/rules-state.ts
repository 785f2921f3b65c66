import { type BoundedMap, boundedGet, boundedMap, boundedSet } from "../../../base/kernel/bounded-map.ts";
import { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { Outcome } from "../../../base/words/call.ts";
import type { WorkspaceState } from "../../../base/words/facts.ts";
import type { Monitor } from "./compile-rules.ts";

/** What a monitor has seen for one combination of values. `seq` orders sightings without a clock. */
type Sighting = Seen & { readonly seq: number };
type Seen = {
  readonly at: number;
  readonly version?: string;
  /** The state of the workspace that the evidence is about. */
  readonly files?: Pick<WorkspaceState, "at" | "mark">;
  /** The files that a change names. */
  readonly changed?: string;
};

/** `ok`: the command ended well, which does not show that this part of it did. */
export type Attempt = { readonly at: number; readonly outcome: Outcome; readonly exitCode?: number };

/** A sighting that counts once the step of its call is over. */
export type PendingSighting = Seen & {
  /** The call; all sightings of one call share one `seq`. */
  readonly of: string;
  readonly monitor: string;
  readonly tuple: string;
};

export type Held = { readonly counters: readonly string[]; readonly sightings: readonly PendingSighting[] };

/** Evidence is evicted oldest first; `kept` sightings never are, because losing one would allow a call. */
export type RulesState = {
  readonly seq: number;
  readonly evidence: BoundedMap<Sighting>;
  readonly kept: PersistentMap<Sighting>;
  /** A `kept` sighting had no room (`true`), or the state was damaged (`lost`): from then on missing sightings are unknown. */
  readonly overflow: boolean | "lost";
  readonly counters: PersistentMap<number>;
  /** The last call that did not succeed, by monitor: what is missing is told exactly. Absent in older states. */
  readonly attempts?: PersistentMap<Attempt>;
  /** Until when a soft denial is not repeated. */
  readonly rests: PersistentMap<number>;
  /** Reservations of running calls, released if they never run, and sightings that wait for a person's answer. */
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

/** For a session whose state was damaged: no evidence, and every limit is used up. */
export const LOST_RULES_STATE: RulesState = { ...NO_RULES_STATE, overflow: "lost" };

/** No room for another key that is never evicted. */
export function isFull(state: RulesState): boolean {
  return state.overflow === "lost" || state.kept.size + state.counters.size + state.rests.size >= MAX_KEYS;
}

export function whyUntold({ overflow }: RulesState): string {
  return overflow === "lost"
    ? "the session's earlier state was damaged and lost; start a new session"
    : "this session has reached its memory limit; start a new session";
}

export function sightingOf(state: RulesState, monitor: Monitor, tuple: string): Sighting | undefined {
  const key = monitor.id + tuple;
  return monitor.kept ? state.kept.get(key) : boundedGet(state.evidence, key);
}

/** All sightings of one call share one `seq`. */
export function nextPlace(state: RulesState): RulesState {
  return { ...state, seq: state.seq + 1 };
}

/** Records a sighting at the current `seq`. */
export function sight(state: RulesState, monitor: Monitor, tuple: string, seen: Seen): RulesState {
  const key = monitor.id + tuple;
  const sighting: Sighting = { ...seen, seq: state.seq };
  if (!monitor.kept) return { ...state, evidence: boundedSet(state.evidence, key, sighting) };
  if (isFull(state) && !state.kept.has(key)) return { ...state, overflow: state.overflow || true };
  return { ...state, kept: state.kept.set(key, sighting) };
}

/** The state for a call of this step: pending sightings of earlier steps count now. */
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
