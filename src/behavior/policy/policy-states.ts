import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { AnyPolicy } from "../../base/words/agent.ts";
import type { Slice, State } from "../../base/words/slice.ts";

/** Each policy's own state, by policy name. No policy sees another's. */
export type PolicyStates = PersistentMap<State>;

export const policyStatesSlice: Slice<PolicyStates> = {
  name: "policies",
  kind: "STATE",
  initial: PersistentMap.empty(),
};

export function stateOf(states: PolicyStates, policy: AnyPolicy): State {
  return states.get(policy.name) ?? policy.initial ?? null;
}

/** Compaction took the evidence out of the agent's sight: policies that say so start over. */
export function rearm(states: PolicyStates, policies: Iterable<AnyPolicy>): PolicyStates {
  let next = states;
  for (const policy of policies) if (policy.rearmOnCompaction === true) next = next.delete(policy.name);
  return next;
}
