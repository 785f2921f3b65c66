import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";

/** Denials of this turn, per rule and key, and per rule whatever the key. */
export type Denials = { readonly attempts: PersistentMap<number>; readonly rules: PersistentMap<number> };

export const NO_DENIALS: Denials = { attempts: PersistentMap.empty(), rules: PersistentMap.empty() };

export const denialsSlice = defineSlice<Denials>({ name: "denials", kind: "LOG", initial: NO_DENIALS });

/** How often the same thing may be tried in a turn before it is withdrawn. */
const ATTEMPTS = 3;
/** Attempts on something withdrawn before the turn ends. */
const LAST_STRAWS = 3;
/** Denials by one rule, with ever new keys, before the turn ends. */
const MAX_PER_RULE = 24;

export type Escalation = {
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
