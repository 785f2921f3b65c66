import type { BoundedMap } from "../../base/kernel/bounded-map.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { State } from "../../base/words/slice.ts";
import { policyStatesSlice } from "../../behavior/policy/policy-states.ts";
import { NO_RULES_STATE, type RulesState, type Sighting } from "../../behavior/policy/rules/rules-state.ts";
import { callLogSlice } from "../../behavior/session/call-log.ts";
import { evidenceSlice } from "../../behavior/session/evidence.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import { turnSlice } from "../../behavior/session/turn.ts";

/** Kept for people, feedback, budgets and checkers: no policy of ours decides on a call by it. */
const UNREAD: ReadonlySet<string> = new Set([
  callLogSlice.name,
  evidenceSlice.name,
  policyStatesSlice.name,
  "feedback",
  "shadows",
  "spending",
  "results",
]);

const LOOP_GUARD = "builtin:loop-guard";

/**
 * What is known of the calls to come. `calm`: none of this turn is made so often that the loop guard could speak. `asked`: the monitors
 * that rules on them ask; `undefined`: any.
 */
export type Ahead = { readonly calm: boolean; readonly asked: ReadonlySet<string> | undefined };

/**
 * Whatever comes, both decide the same: all that our own policies decide by is equal, up to the names of places in an order. Only
 * for agents that have no policies of others, and sessions that never go back to an earlier state.
 */
export function sameAhead(a: Slices, b: Slices, ahead: Ahead): boolean {
  if (a === b) return true;
  if (a.differing(b).some(({ name, mine, theirs }) => !UNREAD.has(name) && !same(mine, theirs))) return false;
  const { number } = a.get(turnSlice);
  const [one, other] = [a.get(policyStatesSlice), b.get(policyStatesSlice)];
  if (one === other) return true;
  for (const name of new Set([...namesOf(one), ...namesOf(other)])) {
    const [mine, theirs] = [one.get(name), other.get(name)];
    if (mine === theirs) continue;
    if (name === LOOP_GUARD) {
      if (!ahead.calm && !(isPast(mine, number) && isPast(theirs, number)) && !same(mine, theirs)) return false;
    } else if (isRules(mine) || isRules(theirs)) {
      // Rules that have taken note of nothing yet have no state of their own.
      const [rules, others] = [mine ?? NO_RULES_STATE, theirs ?? NO_RULES_STATE];
      if (!isRules(rules) || !isRules(others) || !sameRules(rules, others, ahead.asked)) return false;
    } else if (!same(mine, theirs)) return false;
  }
  return true;
}

function* namesOf(states: PersistentMap<State>): Generator<string> {
  for (const [name] of states) yield name;
}

/** The loop guard looks at nothing but the turn that goes on. */
function isPast(state: State | undefined, turn: number): boolean {
  return typeof state === "object" && state !== null && "turn" in state && state.turn !== turn;
}

function isRules(state: unknown): state is RulesState {
  return typeof state === "object" && state !== null && "seq" in state && "kept" in state && "held" in state;
}

/** Places in the order may have other numbers: only which comes first counts. */
function sameRules(a: RulesState, b: RulesState, asked: Ahead["asked"]): boolean {
  const { seq: _mine, evidence, kept, ...rest } = a;
  const { seq: _theirs, evidence: otherEvidence, kept: otherKept, ...others } = b;
  if (!same(rest, others)) return false;
  if (evidence === otherEvidence && kept === otherKept) return true;
  const places = new Order();
  const sameSighting = ({ seq: one, ...mine }: Sighting, { seq: other, ...theirs }: Sighting): boolean => {
    places.add(one, other);
    return same(mine, theirs);
  };
  const counts = asked === undefined ? all : (key: string) => isAsked(key, asked);
  return (
    sameMaps(kept, otherKept, sameSighting, counts) &&
    sameBounded(evidence, otherEvidence, sameSighting, counts) &&
    places.holds()
  );
}

function all(): boolean {
  return true;
}

/** A key is a monitor's id, which no other begins with, and the values. */
function isAsked(key: string, asked: ReadonlySet<string>): boolean {
  for (const id of asked) if (key.startsWith(id)) return true;
  return false;
}

/** Numbers that stand for each other. */
class Order {
  readonly #pairs: (readonly [number, number])[] = [];

  add(one: number, other: number): void {
    this.#pairs.push([one, other]);
  }

  /** What is before, beside or after another is so on both sides. */
  holds(): boolean {
    const sorted = this.#pairs.sort(([a], [b]) => a - b);
    return sorted.every(([one, other], at) => {
      const before = sorted[at - 1];
      return before === undefined || Math.sign(one - before[0]) === Math.sign(other - before[1]);
    });
  }
}

type Counts = (key: string) => boolean;
type Alike<V> = (a: V, b: V) => boolean;

/** Equal under every key that counts. */
function sameMaps<V>(a: PersistentMap<V>, b: PersistentMap<V>, alike: Alike<V>, counts: Counts = all): boolean {
  if (counts === all && a.size !== b.size) return false;
  for (const [key, value] of a) {
    if (!counts(key)) continue;
    const other = b.get(key);
    if (other === undefined || !alike(value, other)) return false;
  }
  if (counts !== all) for (const [key] of b) if (counts(key) && !a.has(key)) return false;
  return true;
}

/** Equal values, and what would be forgotten first on one side would be on the other. */
function sameBounded<V>(a: BoundedMap<V>, b: BoundedMap<V>, alike: Alike<V>, counts: Counts = all): boolean {
  const order = new Order();
  const pair = (one: { readonly value: V; readonly at: number }, other: { readonly value: V; readonly at: number }) => {
    order.add(one.at, other.at);
    return alike(one.value, other.value);
  };
  return (
    sameMaps(a.entries, b.entries, pair, counts) && a.max === b.max && a.forgotten === b.forgotten && order.holds()
  );
}

function isBounded(value: object): value is BoundedMap<unknown> {
  return "entries" in value && "order" in value && "oldest" in value;
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof PersistentMap || b instanceof PersistentMap) {
    return a instanceof PersistentMap && b instanceof PersistentMap && sameMaps<unknown>(a, b, same);
  }
  if (isBounded(a) && isBounded(b)) return sameBounded(a, b, same);
  const [mine, theirs] = [Object.entries(a), new Map(Object.entries(b))];
  return mine.length === theirs.size && mine.every(([key, value]) => theirs.has(key) && same(value, theirs.get(key)));
}
