import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Objection } from "../../base/words/decision.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { State } from "../../base/words/session-view.ts";

/** Denials of this turn: by rule and key, and by rule alone. */
type Denials = { readonly attempts: PersistentMap<number>; readonly rules: PersistentMap<number> };

export const NO_DENIALS: Denials = { attempts: PersistentMap.empty(), rules: PersistentMap.empty() };

export const denialsSlice = defineSlice<Denials>({ name: "denials", kind: "LOG", initial: NO_DENIALS });
const ATTEMPTS = 3;

/** Attempts on a withdrawn call before the turn ends. */
const LAST_STRAWS = 3;

/** Denials by one rule, with ever new keys, before the turn ends. */
const MAX_PER_RULE = 24;

type Escalation = {
  readonly denials: Denials;
  readonly attemptsLeft: number;
  readonly withdrawn: boolean;
  readonly endTurn: boolean;
};

/** Three denials of the same call withdraw it for the turn; three more end the turn. A satisfied rule denies nothing. */
export function escalate(denials: Denials, rule: string, key: string): Escalation {
  const attempt = `${rule}\u0000${key}`;
  const count = (denials.attempts.get(attempt) ?? 0) + 1;
  const ofRule = (denials.rules.get(rule) ?? 0) + 1;
  // Bounds memory when a runtime ignores the end of the turn.
  const attempts = ofRule > MAX_PER_RULE ? denials.attempts : denials.attempts.set(attempt, count);
  return {
    denials: { attempts, rules: denials.rules.set(rule, ofRule) },
    attemptsLeft: Math.max(0, ATTEMPTS - count),
    withdrawn: count > ATTEMPTS,
    endTurn: count >= ATTEMPTS + LAST_STRAWS || ofRule >= MAX_PER_RULE,
  };
}

/** How often each shadow rule would have objected, for the operator who decides whether to enforce it. */
export const shadowsSlice = defineSlice<PersistentMap<number>>({
  name: "shadows",
  kind: "LOG",
  initial: PersistentMap.empty(),
});

export function countShadows(counts: PersistentMap<number>, shadows: readonly Objection[]): PersistentMap<number> {
  let next = counts;
  for (const { rule } of shadows) next = next.set(rule, (next.get(rule) ?? 0) + 1);
  return next;
}

/** The state of each policy, by policy name. */
export type PolicyStates = PersistentMap<State>;

export const policyStatesSlice = defineSlice<PolicyStates>({
  name: "policies",
  kind: "STATE",
  initial: PersistentMap.empty(),
});

/** Policies that failed to record a result, with the error. Their state is outdated, so calls they govern are denied. */
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

/** Resets policies with `rearmOnCompaction`: compaction has removed what the agent had seen. */
export function rearm(states: PolicyStates, policies: Iterable<AnyPolicy>): PolicyStates {
  let next = states;
  for (const policy of policies) if (policy.rearmOnCompaction === true) next = next.delete(policy.name);
  return next;
}
