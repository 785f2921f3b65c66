import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { State } from "../../base/words/slice.ts";

/** Each policy's own state, by policy name. No policy sees another's. */
export type PolicyStates = PersistentMap<State>;

export const policyStatesSlice = defineSlice<PolicyStates>({
  name: "policies",
  kind: "STATE",
  initial: PersistentMap.empty(),
});

/** Policies that failed to record a result, and how: what they know is no longer true, so calls they govern are denied. */
export const brokenSlice = defineSlice<PersistentMap<string>>({
  name: "broken-policies",
  kind: "STATE",
  initial: PersistentMap.empty(),
});

/** Why a value cannot be a policy's state; foreign code returns anything. */
export function stateFault(value: unknown): string | undefined {
  if (value === undefined) return "it returned no state";
  if (typeof value === "object" && value !== null && "then" in value) return "it returned a promise";
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint")
    return `it returned a ${typeof value}`;
  return undefined;
}

export function stateOf(states: PolicyStates, policy: AnyPolicy): State {
  return states.get(policy.name) ?? policy.initial ?? null;
}

/** Compaction took the evidence out of the agent's sight: policies that say so start over. */
export function rearm(states: PolicyStates, policies: Iterable<AnyPolicy>): PolicyStates {
  let next = states;
  for (const policy of policies) if (policy.rearmOnCompaction === true) next = next.delete(policy.name);
  return next;
}
