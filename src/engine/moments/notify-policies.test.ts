import { describe, expect, it } from "vitest";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import { allow } from "../../behavior/policy/policy-decision.ts";
import { brokenSlice, policyStatesSlice } from "../../behavior/policy/policy-state.ts";
import { Slices } from "../../behavior/session/snapshot/snapshot.ts";
import { notifyPolicies } from "./notify-policies.ts";

const counting: AnyPolicy = {
  name: "counting",
  initial: 0,
  check: allow,
  onDecided: (_call, _decided, { state }) => Number(state) + 1,
};
const silent: AnyPolicy = { name: "silent", check: allow };

/** `took`: the time between two looks at the clock: all policies together, nothing, then each policy alone. */
function told(policies: readonly AnyPolicy[], took: readonly number[], note = (state: unknown) => Number(state) + 1) {
  let [now, looks] = [0, 0];
  const monotonic = () => {
    now += took[looks - 1] ?? 0;
    looks += 1;
    return now;
  };
  const time = { stopwatch: { monotonic }, limitMs: 250 };
  return notifyPolicies(Slices.empty, policies, "onDecided", (_policy, state) => note(state), time);
}

describe("policies that take note", () => {
  it.each([
    { what: "in time", took: [250], state: 1, broken: 0 },
    { what: "once too late, because the machine stood still", took: [9_000, 0, 3], state: 1, broken: 0 },
    { what: "too late again and again", took: [251, 0, 251], state: undefined, broken: 1 },
  ])("HK-1 of policies that handle an event $what, $broken are marked as broken", ({ took, state, broken }) => {
    const { slices, faults } = told([counting, silent], took);
    expect(slices.get(policyStatesSlice).get("counting")).toBe(state);
    expect(slices.get(brokenSlice).size).toBe(broken);
    expect(faults.map(({ code }) => code)).toEqual(broken === 0 ? [] : ["policy-broken"]);
  });

  it("HK-2 a policy without the hook is skipped, and one that fails is broken while the others continue", () => {
    const failing: AnyPolicy = { ...counting, name: "failing" };
    let calls = 0;
    const { slices, faults } = told([silent, failing, counting], [], (state) => {
      calls += 1;
      if (calls === 1) throw new Error("no room");
      return Number(state) + 1;
    });
    expect(calls).toBe(2);
    expect([...slices.get(brokenSlice)]).toEqual([["failing", "no room"]]);
    expect(slices.get(policyStatesSlice).get("counting")).toBe(1);
    expect(faults).toHaveLength(1);
  });
});
