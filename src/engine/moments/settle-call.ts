import type { Outcome, ToolCall } from "../../base/words/call.ts";
import { countCall, feedbackSlice } from "../../behavior/feedback/feedback-state.ts";
import { appendCall, callLogSlice } from "../../behavior/session/call-log.ts";
import { evidenceSlice, recordEvidence } from "../../behavior/session/evidence.ts";
import { inflightSlice } from "../../behavior/session/inflight.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";

/**
 * The call is over, one way or another: logged, counted for feedback, no longer under way. An outcome that is not ok
 * spoils evidence at once; what an ok outcome proves waits for the end of its step.
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
    ...(exitCode === undefined ? {} : { exitCode }),
  };
  const next = slices
    .with(callLogSlice, appendCall(slices.get(callLogSlice), agent, record))
    .with(feedbackSlice, countCall(slices.get(feedbackSlice), agent))
    .with(inflightSlice, slices.get(inflightSlice).delete(call.id));
  if (outcome === "ok") return next;
  return next.with(evidenceSlice, recordEvidence(next.get(evidenceSlice), call, outcome, now));
}
