import type { SessionView } from "../../base/words/session-view.ts";
import type { Stopwatch } from "../../behavior/policy/builtin/ask-policy.ts";
import { evidenceSlice, recordEvidence } from "../../behavior/session/evidence.ts";
import { permissionsOf } from "../../behavior/session/modes/modes.ts";
import { nextStep, openStepSlice, type PendingProof } from "../../behavior/session/open-step.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { CHECK_MS, type Told, tellPolicies } from "./policy-hooks.ts";

export type ProofEnvironment = {
  /** The agent that made a call; another one may be at work by now. */
  readonly agentOf: (name: string) => CompiledAgent;
  readonly viewOf: (slices: Slices) => SessionView;
  readonly stopwatch: Stopwatch;
};

/** The step is over: what its calls achieved now counts, in the order of their results. `next` is the step that opens. */
export function closeStep(slices: Slices, env: ProofEnvironment, next: string | null): Told {
  const open = slices.get(openStepSlice);
  let proven: Told = { slices: slices.with(openStepSlice, nextStep(open, next)), faults: [] };
  for (const proof of open.proofs) {
    const more = prove(proven.slices, proof, env);
    const faults = more.faults.length === 0 ? proven.faults : [...proven.faults, ...more.faults];
    proven = { slices: more.slices, faults };
  }
  return proven;
}

/** One ok result becomes evidence. */
export function prove(slices: Slices, proof: PendingProof, env: ProofEnvironment): Told {
  const { call, result, facts, factsAtCall } = proof;
  const agent = env.agentOf(proof.agent);
  const session = env.viewOf(slices);
  const permissions = permissionsOf(session.modes);
  const told = tellPolicies(
    slices,
    agent.policiesFor(call),
    "onResult",
    (policy, state) => policy.onResult?.(call, result, { state, facts, factsAtCall, session, permissions }),
    { stopwatch: env.stopwatch, limitMs: agent.agent.limits.checkMs ?? CHECK_MS },
  );
  const evidence = recordEvidence(told.slices.get(evidenceSlice), call, "ok", proof.at);
  return { slices: told.slices.with(evidenceSlice, evidence), faults: told.faults };
}
