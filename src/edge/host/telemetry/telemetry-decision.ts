import type { Decision } from "../../../base/words/decision.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Attributes } from "./otlp.ts";
import { ATTR, CONTENT } from "./telemetry-names.ts";

type CallEvent = Extract<ConductEvent, { type: "call" }>;

/** What was decided on a call, and by which rule; the same on its span and on its log record. */
export function decisionAttributes({ call, decision, shadows = [] }: CallEvent): Attributes {
  return {
    [ATTR.tool]: call.tool,
    [ATTR.callId]: call.id,
    [ATTR.actions]: call.actions.length === 0 ? undefined : call.actions,
    [ATTR.decision]: decision.kind,
    [ATTR.decisionId]: decision.id,
    [ATTR.shadows]: shadows.length === 0 ? undefined : shadows.map(({ rule }) => rule),
    ...ofKind(decision),
  };
}

function ofKind(decision: Decision): Attributes {
  switch (decision.kind) {
    case "allow":
      return { [ATTR.because]: decision.because, [ATTR.lifted]: decision.lifted, [ATTR.rule]: advising(decision) };
    case "ask":
      return { [ATTR.rule]: decision.rule, [ATTR.approval]: decision.approval };
    case "deny":
      return {
        [ATTR.rule]: decision.rule,
        [ATTR.code]: decision.code,
        [ATTR.attemptsLeft]: decision.attemptsLeft,
        [ATTR.endTurn]: decision.endTurn,
        [ATTR.others]: decision.others.length === 0 ? undefined : decision.others.map(({ rule }) => rule),
      };
  }
}

/** The first rule that had something to say on what it let pass. */
function advising({ advice }: Extract<Decision, { kind: "allow" }>): string | undefined {
  return advice[0]?.rule;
}

/** What a rule wrote on it; it may quote the call. */
export function decisionContent(decision: Decision): Attributes {
  return {
    [CONTENT.reason]: decision.kind === "deny" ? decision.reason : undefined,
    [CONTENT.question]: decision.kind === "ask" ? decision.question : undefined,
  };
}
