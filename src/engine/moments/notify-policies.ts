import { errorText } from "../../base/kernel/error-text.ts";
import type { Fault } from "../../base/words/event.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { State } from "../../base/words/session-view.ts";
import { type Stopwatch, type Timer, timedTogether } from "../../behavior/policy/check-policies.ts";
import { brokenSlice, policyStatesSlice, stateFault, stateOf } from "../../behavior/policy/policy-state.ts";
import type { Slices } from "../../behavior/session/snapshot/snapshot.ts";

export type PolicyUpdate = { readonly slices: Slices; readonly faults: readonly Fault[] };

export const CHECK_MS = 250;

type Note = (policy: AnyPolicy, state: State) => unknown;
type Time = { readonly stopwatch: Stopwatch; readonly limitMs: number };

const NO_FAULTS: readonly Fault[] = [];

/**
 * Calls a hook on all policies that have it, each with its own state. A policy that fails keeps its old state and is
 * broken from then on, because it may have missed a reason to deny; other policies are unaffected.
 */
export function notifyPolicies(
  slices: Slices,
  policies: readonly AnyPolicy[],
  hook: "onDecided" | "onSettled" | "onResult",
  note: Note,
  time: Time,
): PolicyUpdate {
  return timedTogether(time, (timer) => notifyAll(slices, policies, hook, note, timer));
}

function notifyAll(
  slices: Slices,
  policies: readonly AnyPolicy[],
  hook: "onDecided" | "onSettled" | "onResult",
  note: Note,
  timer: Timer | undefined,
): PolicyUpdate {
  let faults = NO_FAULTS;
  const before = slices.get(policyStatesSlice);
  let states = before;
  let broken = slices.get(brokenSlice);
  for (const policy of policies) {
    if (policy[hook] === undefined) continue;
    const state = stateOf(before, policy);
    const after = guarded(policy, state, note, timer);
    if (after instanceof PolicyFault) {
      broken = broken.set(policy.name, after.why);
      const message = `${after.why}; every call that it applies to is denied from now on`;
      faults = [...faults, { where: `policy ${policy.name}`, code: "policy-broken", message }];
    } else if (after !== state) states = states.set(policy.name, after);
  }
  return { slices: slices.with(policyStatesSlice, states).with(brokenSlice, broken), faults };
}

/** Why a policy has no new state. */
class PolicyFault {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

function guarded(policy: AnyPolicy, before: State, note: Note, timer: Timer | undefined): State | PolicyFault {
  try {
    const state = note(policy, before);
    const took = timer?.laps.lap() ?? 0;
    // The fault already covers a rejection.
    if (state instanceof Promise) state.catch(() => {});
    const fault = stateFault(state);
    if (fault !== undefined) return new PolicyFault(fault);
    if (timer === undefined || took <= timer.limitMs) return state as State;
    return new PolicyFault(`it took ${Math.round(took)} ms to take note; the limit is ${timer.limitMs} ms`);
  } catch (error) {
    return new PolicyFault(errorText(error));
  }
}
