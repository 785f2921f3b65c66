import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { CallRecord } from "../../base/words/call.ts";

/** At least this many of the newest calls can be looked at. */
export const RECENT_CALLS = 64;

/** The record stands apart, so that showing it copies nothing. */
type Entry = { readonly agent: string; readonly record: CallRecord };

/** How many calls each agent made, and the newest of them. Bounded, whatever the length of the session. */
export type CallLog = {
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
