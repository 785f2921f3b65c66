import type { ConductEvent } from "../../../base/words/event.ts";
import type { Attributes, OtlpSpan, TracePlace } from "./otlp.ts";
import { decisionAttributes, decisionContent } from "./telemetry-decision.ts";
import { spanIdOf } from "./telemetry-ids.ts";
import { ATTR, CALL, CONTENT } from "./telemetry-names.ts";
import type { Tell } from "./telemetry-tell.ts";

type CallEvent = Extract<ConductEvent, { type: "call" }>;
type ResultEvent = Extract<ConductEvent, { type: "result" }>;

/** A call that has no result yet. */
export type OpenCall = {
  readonly place: TracePlace;
  readonly parentSpanId: string;
  readonly tool: string;
  readonly start: number;
  readonly attributes: Attributes;
};

/** A call that was put to a person is decided on again: it stays the one call that began with the question. */
export function openCall(
  event: CallEvent,
  turn: TracePlace,
  common: Attributes,
  tell: Tell,
  before: OpenCall | undefined,
): OpenCall {
  const { session, run, seq, at, call, decision } = event;
  const own = tell({ [ATTR.operation]: CALL.operation, ...decisionAttributes(event) }, () => ({
    [CONTENT.args]: JSON.stringify(decision.kind === "deny" ? call.args : (decision.input ?? call.args)),
    ...decisionContent(decision),
  }));
  return {
    place: before?.place ?? { traceId: turn.traceId, spanId: spanIdOf("call", session, run, seq) },
    parentSpanId: before?.parentSpanId ?? turn.spanId,
    tool: call.tool,
    start: before?.start ?? at,
    attributes: { ...common, ...own },
  };
}

/** From the call to its result. `denied`: it never ran. */
export function closeCall(open: OpenCall, at: number, end: ResultEvent | "denied" | "unfinished"): OtlpSpan {
  const outcome = end === "unfinished" ? "unknown" : end === "denied" ? end : end.outcome;
  const wrong = outcome === "failed" || outcome === "denied" || outcome === "cancelled" ? outcome : undefined;
  const result =
    typeof end === "string"
      ? { [ATTR.unfinished]: end === "unfinished" ? true : undefined }
      : {
          [ATTR.exitCode]: end.exitCode,
          [ATTR.truncations]: end.truncation.length,
          [ATTR.feedback]: end.feedback.length,
        };
  return {
    ...open.place,
    parentSpanId: open.parentSpanId,
    name: CALL.name(open.tool),
    start: open.start,
    end: at,
    attributes: { ...open.attributes, [ATTR.outcome]: outcome, [ATTR.errorType]: wrong, ...result },
    events: [],
    droppedEvents: 0,
    ...(wrong === undefined ? {} : { error: wrong }),
  };
}
