import type { Outcome, ToolCall } from "../../base/words/call.ts";
import type { StepClosed } from "../../base/words/event.ts";
import type { Settled } from "../../base/words/policy.ts";
import { countCall, feedbackSlice } from "../../behavior/feedback/feedback-state.ts";
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
import { CHECK_MS, notifyPolicies, type PolicyUpdate } from "../moments/notify-policies.ts";
import { emit, reportFault, type SessionContext, spendAmount, viewOf } from "./session-context.ts";

/** Ends the open step and begins `next`. Results of the ended step then count as evidence. */
export function endStep(context: SessionContext, next: string | null): void {
  const closed = closeStep(context, next);
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
  const updated = settlePolicies(context, context.slices, entry, outcome);
  context.slices = updated.slices;
  for (const fault of updated.faults) reportFault(context, fault);
}

/** Notifies policies immediately that a call has ended, whatever its outcome, so that they can release reservations. */
export function settlePolicies(
  context: SessionContext,
  slices: Slices,
  { call, at: began, agent: name, facts }: InflightCall,
  outcome: Outcome,
  { resultHash, exitCode, requirement, noTests }: Settled = {},
): PolicyUpdate {
  const agent = context.agentOf(name);
  const session = viewOf(context, slices);
  const permissions = permissionsOf(session.modes);
  return notifyPolicies(
    slices,
    agent.policiesFor(call),
    "onSettled",
    (policy, state) =>
      policy.onSettled?.(call, outcome, {
        state,
        facts,
        session,
        permissions,
        began,
        resultHash,
        exitCode,
        requirement,
        noTests,
      }),
    { stopwatch: context.ports.clock, limitMs: agent.agent.limits.checkMs ?? CHECK_MS },
  );
}

/** Turns the step's results into evidence, in the order of the results. `next` is the step that opens. */
function closeStep(context: SessionContext, next: string | null): PolicyUpdate {
  const open = context.slices.get(openStepSlice);
  let proven: PolicyUpdate = { slices: context.slices.with(openStepSlice, nextStep(open, next)), faults: [] };
  for (const proof of open.proofs) {
    const more = prove(context, proven.slices, proof);
    const faults = more.faults.length === 0 ? proven.faults : [...proven.faults, ...more.faults];
    proven = { slices: more.slices, faults };
  }
  return proven;
}

export function prove(context: SessionContext, slices: Slices, proof: PendingProof): PolicyUpdate {
  const { call, result, facts, factsAtCall } = proof;
  // Another agent may be active by now.
  const agent = context.agentOf(proof.agent);
  const session = viewOf(context, slices);
  const permissions = permissionsOf(session.modes);
  const updated = notifyPolicies(
    slices,
    agent.policiesFor(call),
    "onResult",
    (policy, state) => policy.onResult?.(call, result, { state, facts, factsAtCall, session, permissions }),
    { stopwatch: context.ports.clock, limitMs: agent.agent.limits.checkMs ?? CHECK_MS },
  );
  const evidence = recordEvidence(updated.slices.get(evidenceSlice), call, "ok", proof.at);
  return { slices: updated.slices.with(evidenceSlice, evidence), faults: updated.faults };
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
