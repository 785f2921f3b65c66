import type { Outcome } from "../../base/words/call.ts";
import type { StepClosed } from "../../base/words/event.ts";
import { type InflightCall, inflightSlice, openStepSlice } from "../../behavior/session/calls.ts";
import { closeStep, type ProofEnvironment } from "../moments/close-step.ts";
import { tellSettled } from "../moments/on-result.ts";
import { settleCall } from "../moments/settle-call.ts";
import { emit, reportFault, type SessionContext, viewOf } from "./session-context.ts";
import { spendAmount } from "./spending.ts";

/** What deciding on results needs of the session. */
export function proofEnvironment(context: SessionContext): ProofEnvironment {
  return {
    agentOf: context.agentOf,
    viewOf: (slices) => viewOf(context, slices),
    stopwatch: context.ports.clock,
  };
}

/** Ends the open step and begins `next`. From here on, results of the ended step count as evidence. */
export function endStep(context: SessionContext, next: string | null): void {
  const closed = closeStep(context.slices, proofEnvironment(context), next);
  context.slices = closed.slices;
  for (const fault of closed.faults) reportFault(context, fault);
}

/** Ends the open step at the beginning of a moment that has to wait. The result belongs into the moment's event. */
export function endStepFirst(context: SessionContext): { readonly closed?: StepClosed } {
  return context.clock.atOnce(() => {
    const { step } = context.slices.get(openStepSlice);
    endStep(context, null);
    return step === null ? {} : { closed: { seq: context.seq, at: context.clock.now() } };
  });
}

/** Cancels the calls that never got a result, at the end of their turn. */
export function cancelOpenCalls(context: SessionContext): void {
  for (const [id, entry] of [...context.slices.get(inflightSlice)]) {
    endCall(context, entry, "cancelled");
    spendAmount(context, id, {});
    const { tool, step } = entry.call;
    emit(context, { type: "result", call: id, tool, outcome: "cancelled", truncation: [], feedback: [] }, { step });
  }
}

/** Ends an open call without a result that could be examined. */
export function endCall(context: SessionContext, entry: InflightCall, outcome: "cancelled" | "unknown"): void {
  const { call, argsHash, agent } = entry;
  context.slices = settleCall(context.slices, agent, { call, argsHash, outcome }, context.clock.now());
  notifySettled(context, entry, outcome);
}

/** Tells the policies that an open call is over. */
export function notifySettled(context: SessionContext, entry: InflightCall, outcome: Outcome): void {
  const told = tellSettled(context.slices, entry, outcome, proofEnvironment(context));
  context.slices = told.slices;
  for (const fault of told.faults) reportFault(context, fault);
}
