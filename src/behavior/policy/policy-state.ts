import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Objection } from "../../base/words/decision.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { State } from "../../base/words/slice.ts";

/** Denials of this turn, per rule and key, and per rule whatever the key. */
type Denials = { readonly attempts: PersistentMap<number>; readonly rules: PersistentMap<number> };

export const NO_DENIALS: Denials = { attempts: PersistentMap.empty(), rules: PersistentMap.empty() };

export const denialsSlice = defineSlice<Denials>({ name: "denials", kind: "LOG", initial: NO_DENIALS });

/** How often the same thing may be tried in a turn before it is withdrawn. */
const ATTEMPTS = 3;
/** Attempts on something withdrawn before the turn ends. */
const LAST_STRAWS = 3;
/** Denials by one rule, with ever new keys, before the turn ends. */
const MAX_PER_RULE = 24;

type Escalation = {
  readonly denials: Denials;
  readonly attemptsLeft: number;
  readonly withdrawn: boolean;
  readonly endTurn: boolean;
};

/**
 * A denied call that is tried again gets nowhere, and says so: three tries, then it is withdrawn for the turn, then the
 * turn ends. Withdrawal ends by itself when the rule is satisfied, because then nothing denies.
 */
export function escalate(denials: Denials, rule: string, key: string): Escalation {
  const attempt = `${rule}\u0000${key}`;
  const count = (denials.attempts.get(attempt) ?? 0) + 1;
  const ofRule = (denials.rules.get(rule) ?? 0) + 1;
  // A rule that has ended the turn needs no more keys: a runtime that goes on all the same must not fill the memory.
  const attempts = ofRule > MAX_PER_RULE ? denials.attempts : denials.attempts.set(attempt, count);
  return {
    denials: { attempts, rules: denials.rules.set(rule, ofRule) },
    attemptsLeft: Math.max(0, ATTEMPTS - count),
    withdrawn: count > ATTEMPTS,
    endTurn: count >= ATTEMPTS + LAST_STRAWS || ofRule >= MAX_PER_RULE,
  };
}

/** How often each rule in shadow would have objected: what an operator looks at before a rule is enforced. LOG: it happened. */
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
