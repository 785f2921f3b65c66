import type { Notice } from "../../base/words/event.ts";
import { seenSlice } from "../../behavior/instructions/judge-change.ts";
import { policyStatesSlice, rearm } from "../../behavior/policy/policy-state.ts";
import { openStepSlice } from "../../behavior/session/calls.ts";
import { turnSlice } from "../../behavior/session/session-identity.ts";
import { classifyAfterCompaction, stopClassifying } from "../moments/classify.ts";
import { resultsSlice } from "../moments/shorten-result.ts";
import { emit, reportFault, type SessionContext, spendAmount, viewOf } from "./session-context.ts";
import { cancelOpenCalls, endStep } from "./steps.ts";

/** Handles what the runtime reports outside the five moments. */
export function onNotice(context: SessionContext, notice: Notice): void {
  switch (notice.kind) {
    case "started":
      if (notice.window !== undefined && notice.window > 0) context.window = notice.window;
      context.reasons = notice.reasons ?? context.reasons;
      context.adapter = notice.adapter ?? context.adapter;
      context.model = notice.model ?? context.model;
      break;
    case "step-closed":
      if (notice.step === undefined || notice.step === context.slices.get(openStepSlice).step) endStep(context, null);
      break;
    case "usage": {
      const { reservation = "usage", inputTokens, outputTokens, cost } = notice;
      spendAmount(context, reservation, { inputTokens, outputTokens, cost });
      break;
    }
    case "compacted":
      endStep(context, null);
      // Compaction freed the space of this turn's results.
      context.slices = context.slices
        .with(resultsSlice, resultsSlice.initial)
        .with(seenSlice, seenSlice.initial)
        .with(policyStatesSlice, rearm(context.slices.get(policyStatesSlice), context.compiled.allPolicies));
      classifyAfterCompaction(context);
      break;
    case "ended":
      stopClassifying(context);
      cancelOpenCalls(context);
      context.slices = context.slices.with(turnSlice, { ...context.slices.get(turnSlice), ended: true });
      break;
    case "fault":
      reportFault(context, notice.fault);
      return;
    case "left":
    case "reply":
      break;
  }
  emit(context, { type: "notice", notice, usage: notice.kind === "usage" ? viewOf(context).usage : undefined });
}
