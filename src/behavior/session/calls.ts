import { type BoundedMap, boundedGet, boundedMap, boundedSet } from "../../base/kernel/bounded-map.ts";
import { defineSlice } from "../../base/kernel/define-slice.ts";
import { appended, PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { CallRecord, Outcome, ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Json } from "../../base/words/json.ts";
import type { Evidence } from "../../base/words/session-view.ts";

/** A result as stored until its step closes, without images. */
export type KeptResult = {
  readonly outcome: "ok";
  readonly exitCode?: number;
  readonly parts: readonly (
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "json"; readonly value: Json }
  )[];
};

/** An ok result that proves nothing until its step closes, because the model chose its siblings before it saw it. */
export type PendingProof = {
  readonly agent: string;
  readonly call: ToolCall;
  readonly result: KeptResult;
  readonly factsAtCall: Facts;
  readonly facts: Facts;
  readonly at: number;
};

/** The current step, the proofs that count when it closes, and earlier steps, whose late calls must not use newer proofs. */
type OpenStep = {
  readonly step: string | null;
  readonly proofs: readonly PendingProof[];
  readonly closed: readonly string[];
};

/** Results that count in one step; bounds memory if a runtime never closes a step. */
export const MAX_PROOFS = 1_000;
const CLOSED_KEPT = 16;
const NO_PROOFS: readonly PendingProof[] = [];

export const openStepSlice = defineSlice<OpenStep>({
  name: "step",
  kind: "STATE",
  initial: { step: null, proofs: [], closed: [] },
});

/** Starts the next step and closes the current one. */
export function nextStep({ step, closed }: OpenStep, next: string | null): OpenStep {
  if (step === null || step === next) return { step: next, proofs: NO_PROOFS, closed };
  const kept = closed.length < CLOSED_KEPT ? appended(closed, step) : closed.slice(-CLOSED_KEPT);
  if (closed.length >= CLOSED_KEPT) {
    kept.copyWithin(0, 1);
    kept[CLOSED_KEPT - 1] = step;
  }
  return { step: next, proofs: NO_PROOFS, closed: kept };
}

/** At least this many recent calls are available. */
export const RECENT_CALLS = 64;

/** The record is a separate object so that returning it needs no copy. */
type Entry = { readonly agent: string; readonly record: CallRecord };

/** Call counts by agent, and the newest calls in two bounded generations. */
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

/** Constant time: the older generation is dropped as a whole. */
export function appendCall(log: CallLog, agent: string, record: CallRecord): CallLog {
  const counts = log.counts.set(agent, callCount(log, agent) + 1);
  const entry = { agent, record };
  if (log.newer.length >= RECENT_CALLS) return { counts, older: log.newer, newer: [entry] };
  return { counts, older: log.older, newer: appended(log.newer, entry) };
}

export function callCount(log: CallLog, agent: string): number {
  return log.counts.get(agent) ?? 0;
}

function countOf(entries: readonly Entry[], agent: string): number {
  let count = 0;
  for (let at = 0; at < entries.length; at++) if (entries[at]?.agent === agent) count += 1;
  return count;
}

/** Up to `n` of the agent's newest calls, oldest first. */
export function recentCalls(log: CallLog, agent: string, n: number): readonly CallRecord[] {
  const { older, newer } = log;
  const inNewer = countOf(newer, agent);
  const inOlder = inNewer >= n ? 0 : Math.min(countOf(older, agent), n - inNewer);
  const found: CallRecord[] = new Array(Math.max(0, Math.min(n, inNewer + inOlder)));
  let at = found.length;
  for (const entries of [newer, older])
    for (let next = entries.length - 1; next >= 0 && at > 0; next--) {
      const entry = entries[next];
      if (entry?.agent === agent) found[--at] = entry.record;
    }
  return found;
}

/** Tools and actions that a session remembers; the oldest is evicted first. */
const MAX_NAMES = 10_000;

export const evidenceSlice = defineSlice<BoundedMap<Evidence>>({
  name: "evidence",
  kind: "STATE",
  initial: boundedMap(MAX_NAMES),
});

export function evidenceOf(map: BoundedMap<Evidence>, action: string): Evidence | undefined {
  return boundedGet(map, action);
}

/** An ok outcome proves the tool, `proves` and the proven effects; any other marks the tool, `actions` and all effects. */
export function recordEvidence(
  map: BoundedMap<Evidence>,
  call: ToolCall,
  outcome: Outcome,
  at: number,
): BoundedMap<Evidence> {
  if (outcome === "denied" || outcome === "cancelled") return map;
  const names = [call.tool];
  for (const name of outcome === "ok" ? call.proves : call.actions) if (!names.includes(name)) names.push(name);
  for (const { name, proven } of call.effects ?? [])
    if ((proven || outcome !== "ok") && !names.includes(name)) names.push(name);
  let next = map;
  for (const name of names) {
    const before = boundedGet(next, name) ?? NO_EVIDENCE;
    const proven = { ok: before.ok + 1, lastOkAt: at, last: "ok" as const };
    next = boundedSet(next, name, outcome === "ok" ? proven : { ...before, last: outcome });
  }
  return next;
}

const NO_EVIDENCE: Evidence = { ok: 0, lastOkAt: 0, last: "unknown" };

/** A call that was allowed, or waits for a person, and has no result yet. */
export type InflightCall = {
  readonly call: ToolCall;
  readonly facts: Facts;
  readonly at: number;
  readonly decision: string;
  /** Why the call was allowed, if not by the rules alone. */
  readonly because?: string;
  readonly argsHash: string;
  /** The agent that made the call; another one may be active when its result comes. */
  readonly agent: string;
  /** Its result is being processed; a second one is ignored. */
  readonly settling?: true;
  /** Set when the runtime itself asks a person. */
  readonly approval?: string;
  /** A program of this call that ended with 0 and proves what the call does, for a runtime that loses the exit code. */
  readonly passed?: { readonly call: ToolCall; readonly cwd: string };
};

/** Calls that may run at once in one session. */
export const MAX_INFLIGHT = 1_000;

export const inflightSlice = defineSlice<PersistentMap<InflightCall>>({
  name: "inflight",
  kind: "LOG",
  initial: PersistentMap.empty(),
});
