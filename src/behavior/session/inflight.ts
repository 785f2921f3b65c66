import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";

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
