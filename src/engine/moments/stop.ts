import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import { emit, observingOf, type SessionContext, viewOf } from "../session/session-context.ts";
import { overLimit } from "../session/spending.ts";
import { cancelOpenCalls, endStepFirst } from "../session/steps.ts";
import { COMPLETION_MS, decideOnStop, gatherForStop, STOP_BOUND } from "./on-stop.ts";
import type { StopRequest } from "../session/session-options.ts";

/** The moment `stop`: is it done? */
export async function onStop(context: SessionContext, request: StopRequest = {}): Promise<StopDecision> {
  const closed = endStepFirst(context);
  const { completion, limits } = context.compiled.agent;
  const over = completion === undefined ? undefined : overLimit(context, { calls: 1 });
  const { filesystem, commands } = context.ports;
  const { adapter } = context;
  const given = {
    session: viewOf(context),
    tentativeOutput: request.output,
    ...(filesystem === undefined ? {} : { filesystem }),
    ...(commands === undefined ? {} : { commands }),
    ...(adapter === undefined ? {} : { adapter }),
    ...(request.reason === undefined ? {} : { stopReason: request.reason }),
  };
  // A budget that is just used up may be enough for complete work; beyond it, or past the deadline, no checker runs.
  const beyond = completion === undefined ? undefined : overLimit(context, {});
  const result = await gatherForStop(completion, given, beyond, limits.completionMs ?? COMPLETION_MS);
  const bound = Math.min(limits.stops ?? STOP_BOUND, request.bound ?? Number.POSITIVE_INFINITY);
  const { slices, decision } = decideOnStop(context.slices, result, bound, over);
  const passes = decision.done || observingOf(context) !== undefined;
  context.clock.atOnce(() => {
    if (passes) cancelOpenCalls(context);
    else context.slices = slices;
    emit(context, {
      type: "stop",
      status: decision.done ? decision.status : "refused",
      refusals: context.slices.get(turnSlice).refusals,
      bound,
      ...(decision.feedback === undefined ? {} : { feedback: decision.feedback }),
      ...(decision.done && decision.why !== undefined ? { why: decision.why } : {}),
      ...closed,
    });
  });
  return passes && !decision.done ? { done: true, status: "incomplete" } : decision;
}
