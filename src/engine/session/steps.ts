import type { Outcome, ToolCall } from "../../base/words/call.ts";
import type { StepClosed } from "../../base/words/event.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import { countCall, feedbackSlice } from "../../behavior/feedback/feedback-state.ts";
import type { Stopwatch } from "../../behavior/policy/check-policies.ts";
import {
  appendCall,
  callLogSlice,
  evidenceSlice,
  type InflightCall,
  inflightSlice,
  nextStep,
  openStepSlice,
  type PendingProof,
  recordEvidence,
} from "../../behavior/session/calls.ts";
import { permissionsOf } from "../../behavior/session/modes/modes.ts";
import type { Slices } from "../../behavior/session/snapshot/snapshot.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { tellSettled } from "../moments/result.ts";
import { CHECK_MS, type Told, tellPolicies } from "../moments/tell-policies.ts";
import { emit, reportFault, type SessionContext, spendAmount, viewOf } from "./session-context.ts";

export function proofEnvironment(context: SessionContext): ProofEnvironment {
  return {
    agentOf: context.agentOf,
    viewOf: (slices) => viewOf(context, slices),
    stopwatch: context.ports.clock,
  };
}

/** Ends the open step and begins `next`. Results of the ended step then count as evidence. */
export function endStep(context: SessionContext, next: string | null): void {
  const closed = closeStep(context.slices, proofEnvironment(context), next);
  context.slices = closed.slices;
  for (const fault of closed.faults) reportFault(context, fault);
}

/** Ends the open step at the start of an asynchronous moment. Put the result into the moment's event. */
export function endStepFirst(context: SessionContext): { readonly closed?: StepClosed } {
  return context.clock.atOnce(() => {
    const { step } = context.slices.get(openStepSlice);
    endStep(context, null);
    return step === null ? {} : { closed: { seq: context.seq, at: context.clock.now() } };
  });
}

/** Cancels calls without a result at the end of their turn. */
export function cancelOpenCalls(context: SessionContext): void {
  for (const [id, entry] of [...context.slices.get(inflightSlice)]) {
    endCall(context, entry, "cancelled");
    spendAmount(context, id, {});
    const { tool, step } = entry.call;
    emit(context, { type: "result", call: id, tool, outcome: "cancelled", truncation: [], feedback: [] }, { step });
  }
}

/** Ends an open call that has no result to examine. */
export function endCall(context: SessionContext, entry: InflightCall, outcome: "cancelled" | "unknown"): void {
  const { call, argsHash, agent } = entry;
  context.slices = settleCall(context.slices, agent, { call, argsHash, outcome }, context.clock.now());
  notifySettled(context, entry, outcome);
}

export function notifySettled(context: SessionContext, entry: InflightCall, outcome: Outcome): void {
  const told = tellSettled(context.slices, entry, outcome, proofEnvironment(context));
  context.slices = told.slices;
  for (const fault of told.faults) reportFault(context, fault);
}

export type ProofEnvironment = {
  /** Finds the agent that made a call; another one may be active by now. */
  readonly agentOf: (name: string) => CompiledAgent;
  readonly viewOf: (slices: Slices) => SessionView;
  readonly stopwatch: Stopwatch;
};

/** Turns the step's results into evidence, in the order of the results. `next` is the step that opens. */
function closeStep(slices: Slices, env: ProofEnvironment, next: string | null): Told {
  const open = slices.get(openStepSlice);
  let proven: Told = { slices: slices.with(openStepSlice, nextStep(open, next)), faults: [] };
  for (const proof of open.proofs) {
    const more = prove(proven.slices, proof, env);
    const faults = more.faults.length === 0 ? proven.faults : [...proven.faults, ...more.faults];
    proven = { slices: more.slices, faults };
  }
  return proven;
}

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

/**
 * Ends a call: logs it, counts it for feedback and removes it from the open calls. Any outcome but ok invalidates
 * evidence immediately; proof from an ok outcome waits for the end of its step.
 */
export function settleCall(
  slices: Slices,
  agent: string,
  settled: {
    readonly call: ToolCall;
    readonly argsHash: string;
    readonly outcome: Outcome;
    readonly exitCode?: number;
  },
  now: number,
): Slices {
  const { call, argsHash, outcome, exitCode } = settled;
  const record = {
    id: call.id,
    tool: call.tool,
    actions: call.actions,
    outcome,
    at: now,
    argsHash,
    exitCode,
  };
  const next = slices
    .with(callLogSlice, appendCall(slices.get(callLogSlice), agent, record))
    .with(feedbackSlice, countCall(slices.get(feedbackSlice), agent))
    .with(inflightSlice, slices.get(inflightSlice).delete(call.id));
  if (outcome === "ok") return next;
  return next.with(evidenceSlice, recordEvidence(next.get(evidenceSlice), call, outcome, now));
}
