import { type BoundedMap, boundedGet, boundedMap, boundedSet } from "../../base/kernel/bounded-map.ts";
import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { CallRecord, Outcome, ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Json } from "../../base/words/json.ts";
import type { Evidence } from "../../base/words/session-view.ts";

/** A result as it is kept until its step closes: what the agent was given, without pictures. */
export type KeptResult = {
  readonly outcome: "ok";
  readonly exitCode?: number;
  readonly parts: readonly (
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "json"; readonly value: Json }
  )[];
};

/** An ok result that proves nothing yet, because the model chose its siblings before it saw it. */
export type PendingProof = {
  readonly agent: string;
  readonly call: ToolCall;
  readonly result: KeptResult;
  readonly factsAtCall: Facts;
  readonly facts: Facts;
  readonly at: number;
};

/**
 * The step whose calls are being made, what will have been proven when it closes, and the steps that are over: a call that
 * names one of these was chosen before what has been proven since was seen.
 */
type OpenStep = {
  readonly step: string | null;
  readonly proofs: readonly PendingProof[];
  readonly closed: readonly string[];
};

/** More results than this in one step prove nothing: a runtime that never closes a step must not fill the memory. */
export const MAX_PROOFS = 1_000;
const CLOSED_KEPT = 16;

export const openStepSlice = defineSlice<OpenStep>({
  name: "step",
  kind: "STATE",
  initial: { step: null, proofs: [], closed: [] },
});

/** The next step begins; the one that was open is over for good. */
export function nextStep({ step, closed }: OpenStep, next: string | null): OpenStep {
  const over = step === null || step === next ? closed : [...closed, step].slice(-CLOSED_KEPT);
  return { step: next, proofs: [], closed: over };
}

/** At least this many of the newest calls can be looked at. */
export const RECENT_CALLS = 64;

/** The record stands apart, so that showing it copies nothing. */
type Entry = { readonly agent: string; readonly record: CallRecord };

/** How many calls each agent made, and the newest of them. Bounded, whatever the length of the session. */
type CallLog = {
  readonly counts: PersistentMap<number>;
  readonly older: readonly Entry[];
  readonly newer: readonly Entry[];
};

export const callLogSlice = defineSlice<CallLog>({
  name: "calls",
  kind: "LOG",
  initial: { counts: PersistentMap.empty(), older: [], newer: [] },
});

/** Appends in constant time: the newest calls are kept in two generations, and the older one goes as a whole. */
export function appendCall(log: CallLog, agent: string, record: CallRecord): CallLog {
  const counts = log.counts.set(agent, callCount(log, agent) + 1);
  const entry = { agent, record };
  if (log.newer.length >= RECENT_CALLS) return { counts, older: log.newer, newer: [entry] };
  return { counts, older: log.older, newer: [...log.newer, entry] };
}

export function callCount(log: CallLog, agent: string): number {
  return log.counts.get(agent) ?? 0;
}

/** The newest `n` calls of the agent (as many of them as are kept), oldest first. */
export function recentCalls(log: CallLog, agent: string, n: number): readonly CallRecord[] {
  const found: CallRecord[] = [];
  for (const generation of [log.newer, log.older]) {
    for (let i = generation.length - 1; i >= 0 && found.length < n; i--) {
      const entry = generation[i];
      if (entry?.agent === agent) found.push(entry.record);
    }
  }
  return found.reverse();
}

/** Names of tools and actions that a session remembers; the one proven longest ago is forgotten first. */
const MAX_NAMES = 10_000;

export const evidenceSlice = defineSlice<BoundedMap<Evidence>>({
  name: "evidence",
  kind: "STATE",
  initial: boundedMap(MAX_NAMES),
});

export function evidenceOf(map: BoundedMap<Evidence>, action: string): Evidence | undefined {
  return boundedGet(map, action);
}

/** An ok outcome proves the tool and what the call strictly is; any other spoils all that it looked like. */
export function recordEvidence(
  map: BoundedMap<Evidence>,
  call: ToolCall,
  outcome: Outcome,
  at: number,
): BoundedMap<Evidence> {
  if (outcome === "denied" || outcome === "cancelled") return map;
  const names = new Set([call.tool, ...(outcome === "ok" ? call.proves : call.actions)]);
  let next = map;
  for (const name of names) {
    const before = boundedGet(next, name) ?? { ok: 0, lastOkAt: 0, last: "unknown" as const };
    next = boundedSet(
      next,
      name,
      outcome === "ok" ? { ok: before.ok + 1, lastOkAt: at, last: "ok" } : { ...before, last: outcome },
    );
  }
  return next;
}

/** A call that was let through, or put to a person, and has no result yet. */
export type InflightCall = {
  readonly call: ToolCall;
  readonly facts: Facts;
  readonly at: number;
  readonly decision: string;
  readonly argsHash: string;
  /** Who made the call: another agent may have taken over when its result comes. */
  readonly agent: string;
  /** Its result is being looked at: a second one is not its result. */
  readonly settling?: true;
  /** Set when the runtime itself asks a person. */
  readonly approval?: string;
};

/** Calls that may be under way at once in one session. */
export const MAX_INFLIGHT = 1_000;

export const inflightSlice = defineSlice<PersistentMap<InflightCall>>({
  name: "inflight",
  kind: "LOG",
  initial: PersistentMap.empty(),
});
