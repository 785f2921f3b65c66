import { type BoundedMap, boundedGet, boundedMap, boundedSet } from "../../base/kernel/bounded-map.ts";
import { defineSlice } from "../../base/kernel/define-slice.ts";
import type { Outcome, ToolCall } from "../../base/words/call.ts";
import type { Evidence } from "../../base/words/session-view.ts";

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
