import { errorText } from "../../base/kernel/error-text.ts";
import type { Fault } from "../../base/words/event.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import { policyStatesSlice, stateOf } from "../../behavior/policy/policy-states.ts";
import { evidenceSlice, recordEvidence } from "../../behavior/session/evidence.ts";
import { permissionsOf } from "../../behavior/session/modes.ts";
import { openStepSlice, type PendingProof } from "../../behavior/session/open-step.ts";
import type { Slices } from "../../behavior/session/slices.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";

export type Proven = { readonly slices: Slices; readonly faults: readonly Fault[] };

/** The step is over: what its calls achieved now counts, in the order of their results. `next` is the step that opens. */
export function closeStep(
  slices: Slices,
  agent: CompiledAgent,
  viewOf: (slices: Slices) => SessionView,
  next: string | null,
): Proven {
  const { proofs } = slices.get(openStepSlice);
  let proven: Proven = { slices: slices.with(openStepSlice, { step: next, proofs: [] }), faults: [] };
  for (const proof of proofs) {
    const more = prove(proven.slices, proof, agent, viewOf(proven.slices));
    proven = { slices: more.slices, faults: [...proven.faults, ...more.faults] };
  }
  return proven;
}

/** One ok result becomes evidence. A policy that fails keeps its old state, and no other notices. */
export function prove(slices: Slices, proof: PendingProof, agent: CompiledAgent, view: SessionView): Proven {
  const { call, result, facts, factsAtCall } = proof;
  const faults: Fault[] = [];
  let states = slices.get(policyStatesSlice);
  const context = { facts, factsAtCall, session: view, permissions: permissionsOf(view.modes) };
  for (const policy of agent.policiesFor(call)) {
    if (policy.onResult === undefined) continue;
    try {
      const before = stateOf(states, policy);
      const after = policy.onResult(call, result, { ...context, state: before });
      if (after !== before && after !== undefined) states = states.set(policy.name, after);
    } catch (error) {
      const message = errorText(error);
      faults.push({
        where: `policy ${policy.name}`,
        code: "on-result",
        message: `${message}; what this call proved was not recorded`,
      });
    }
  }
  const evidence = recordEvidence(slices.get(evidenceSlice), call, "ok", proof.at);
  return { slices: slices.with(policyStatesSlice, states).with(evidenceSlice, evidence), faults };
}
