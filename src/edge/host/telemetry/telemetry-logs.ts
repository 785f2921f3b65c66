import { assertNever } from "../../../base/kernel/error-text.ts";
import type { ContractEvent } from "../../../base/words/contract.ts";
import type { ConductEvent, Fault } from "../../../base/words/event.ts";
import type { ReviewNews } from "../../../engine/governance/contract-service.ts";
import { modelAttributes } from "./model-provider.ts";
import type { Attributes, LogSeverity } from "./otlp-encoding.ts";
import { decisionAttributes, decisionContent, type EventOf } from "./turn-span.ts";

/** A log record before it is placed in a trace. `content` is exported only with `CONDUCT_TELEMETRY_CONTENT=1`. */
export type LogDraft = {
  readonly name: string;
  readonly severity: LogSeverity;
  readonly attributes: Attributes;
  readonly content?: () => Attributes;
};

/** `undefined` for events that only appear in the turn's spans. */
export function logOf(event: ConductEvent): LogDraft | undefined {
  switch (event.type) {
    case "call": {
      const severity = event.decision.kind === "deny" ? "warn" : "info";
      return log("decision", decisionAttributes(event), severity, () => decisionContent(event.decision));
    }
    case "prompt":
      return injection(event);
    case "directive":
      return capture(event);
    case "message":
      return event.reply === undefined ? undefined : log("answered", { "conduct.sender.role": event.sender?.role });
    case "approval": {
      const attributes = {
        "conduct.approval.id": event.approval,
        "conduct.approval.answer": event.answer,
        "conduct.approval.by": event.by,
      };
      return log("approval", attributes, "info", () => ({ "conduct.approval.reason": event.reason }));
    }
    case "requirement": {
      const attributes = {
        "gen_ai.tool.call.id": event.call,
        "gen_ai.tool.name": event.tool,
        "conduct.requirement.before_next": event.requireBeforeNext,
        "conduct.requirement.escalate": event.escalateToOwner,
      };
      return log("requirement", attributes, event.escalateToOwner ? "warn" : "info");
    }
    case "classification":
      return classification(event);
    case "instructions":
      return log("instructions", {
        "conduct.instructions.change": event.change,
        "conduct.instructions.version": event.version,
        "conduct.instructions.added": event.added.length,
        "conduct.instructions.removed": event.removed.length,
      });
    case "memory":
      return log("memory", { "conduct.memory.note": event.note });
    case "notice":
      return notice(event);
    case "session": {
      const { change, detail } = event;
      return log("session", { "conduct.session.change": change }, "info", () => ({ "conduct.session.detail": detail }));
    }
    case "fault":
      return faultLog(event.fault);
    case "result":
    case "stop":
    case "verbose":
      return undefined;
    default:
      return assertNever(event);
  }
}

/** The log record of a contract change. Only a candidate that came into force is a promotion. */
export function logOfChange(change: ContractEvent): LogDraft {
  const directive = "directive" in change ? change.directive : undefined;
  const promoted = change.kind === "candidate-promoted" || change.kind === "candidate-covered";
  const candidate = change.kind.startsWith("candidate-") && "id" in change ? change.id : undefined;
  const attributes = {
    "conduct.contract.change": change.kind,
    "conduct.contract.seq": change.seq,
    "conduct.contract.by": change.by,
    "conduct.candidate.id": change.kind === "candidate-proposed" ? change.candidate.id : candidate,
    "conduct.directive.id": directive?.id ?? ("of" in change ? change.of : undefined),
    "conduct.directive.type": directive?.type,
    "conduct.directive.scope": directive?.scope,
  };
  return log(promoted ? "promotion" : "contract_change", attributes, "info", () => ({
    "conduct.directive.text": directive?.text,
    "conduct.contract.reason": "reason" in change ? change.reason : undefined,
  }));
}

export function logOfReview({ by, run, sessions, messages, proposed, merged, refused }: ReviewNews): LogDraft {
  return log("review", {
    "conduct.review.run": run,
    "conduct.review.by": by,
    "conduct.review.sessions": sessions,
    "conduct.review.messages": messages,
    "conduct.review.proposed": proposed,
    "conduct.review.merged": merged,
    "conduct.review.refused": refused,
  });
}

function log(
  name: string,
  attributes: Attributes,
  severity: LogSeverity = "info",
  content?: () => Attributes,
): LogDraft {
  return { name: `conduct.${name}`, severity, attributes, content };
}

function injection({ contract, hash, tokens }: EventOf<"prompt">): LogDraft | undefined {
  if (contract === undefined) return undefined;
  const attributes = {
    "conduct.contract.version": contract.version,
    "conduct.contract.directives": contract.directives,
    "conduct.contract.degraded": contract.degraded ?? false,
    "conduct.prompt.hash": hash,
    "conduct.prompt.tokens": tokens,
  };
  return log("injection", attributes, contract.degraded ? "warn" : "info");
}

function capture(event: EventOf<"directive">): LogDraft {
  const taken = ["added", "repeated", "absorbed"].includes(event.outcome);
  const attributes = {
    "conduct.capture.outcome": event.outcome,
    "conduct.capture.line": event.line,
    "conduct.capture.code": event.code,
    "conduct.directive.id": event.directive,
    "conduct.contract.version": event.version,
    // The current turn continues with the contract it began with.
    "conduct.contract.new_hash": event.hash,
  };
  return log("capture", attributes, taken ? "info" : "warn", () => ({
    "conduct.directive.text": event.text || undefined,
    "conduct.capture.why": event.why,
  }));
}

function classification({ classification, model, because, usage }: EventOf<"classification">): LogDraft {
  const attributes = {
    "conduct.classification.topic": classification.topic,
    "conduct.classification.complexity": classification.complexity,
    "conduct.classification.model": model,
    "conduct.classification.because": because,
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "conduct.usage.cost": usage.cost,
  };
  return log("classification", attributes, "info", () => ({ "conduct.classification.label": classification.label }));
}

function notice({ notice, usage }: EventOf<"notice">): LogDraft | undefined {
  const kind = { "conduct.notice.kind": notice.kind };
  switch (notice.kind) {
    case "usage":
      return log("usage", {
        "gen_ai.usage.input_tokens": notice.inputTokens,
        "gen_ai.usage.output_tokens": notice.outputTokens,
        "conduct.usage.cost": notice.cost,
        "conduct.session.input_tokens": usage?.inputTokens,
        "conduct.session.output_tokens": usage?.outputTokens,
        "conduct.session.cost": usage?.cost,
        "conduct.session.calls": usage?.calls,
      });
    case "started":
      return log("notice", { ...kind, ...modelAttributes(notice.model), "conduct.adapter": notice.adapter });
    case "compacted":
      return log("notice", {
        ...kind,
        "conduct.compaction.tokens_before": notice.before,
        "conduct.compaction.tokens_after": notice.after,
        "conduct.compaction.messages": notice.messages,
        "conduct.compaction.calls": notice.calls && Object.values(notice.calls).reduce((sum, count) => sum + count, 0),
      });
    case "left":
    case "ended":
      return log("notice", kind);
    case "fault":
      return faultLog(notice.fault);
    case "reply":
    case "step-closed":
      return undefined;
    default:
      return assertNever(notice);
  }
}

/** The message may quote a call or a person, so it counts as content. */
function faultLog({ where, code, message }: Fault): LogDraft {
  const attributes = { "conduct.fault.where": where, "conduct.fault.code": code };
  return log("fault", attributes, "error", () => ({ "conduct.fault.message": message }));
}
