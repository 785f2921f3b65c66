import { errorText } from "../../base/kernel/error-text.ts";
import type { Fault } from "../../base/words/event.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { State } from "../../base/words/session-view.ts";
import { ATTEMPTS, Laps, type Stopwatch } from "../../behavior/policy/check-policies.ts";
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
  { stopwatch, limitMs }: Time,
): PolicyUpdate {
  let laps: Laps | undefined;
  let faults = NO_FAULTS;
  let states = slices.get(policyStatesSlice);
  let broken = slices.get(brokenSlice);
  for (const policy of policies) {
    if (policy[hook] === undefined) continue;
    const before = stateOf(states, policy);
    laps ??= new Laps(stopwatch);
    const after = guarded(policy, before, note, laps, limitMs);
    if ("fault" in after) {
      broken = broken.set(policy.name, after.fault);
      const message = `${after.fault}; every call that it applies to is denied from now on`;
      faults = [...faults, { where: `policy ${policy.name}`, code: "policy-broken", message }];
    } else if (after.state !== before) states = states.set(policy.name, after.state);
  }
  return { slices: slices.with(policyStatesSlice, states).with(brokenSlice, broken), faults };
}

function guarded(
  policy: AnyPolicy,
  before: State,
  note: Note,
  laps: Laps,
  limitMs: number,
): { readonly state: State } | { readonly fault: string } {
  let took = 0;
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const state = note(policy, before);
      took = laps.lap();
      // The fault already covers a rejection.
      if (state instanceof Promise) state.catch(() => {});
      const fault = stateFault(state);
      if (fault !== undefined) return { fault };
      if (took <= limitMs) return { state: state as State };
    }
    return { fault: `it took ${Math.round(took)} ms to take note; the limit is ${limitMs} ms` };
  } catch (error) {
    return { fault: errorText(error) };
  }
}
