import { assertNever } from "../../../base/kernel/assert-never.ts";
import type { ContractEvent } from "../../../base/words/contract.ts";
import type { ConductEvent, Notice } from "../../../base/words/event.ts";
import type { Attributes, LogSeverity } from "./otlp.ts";
import { decisionAttributes, decisionContent } from "./telemetry-decision.ts";
import { ATTR, CONTENT, LOG } from "./telemetry-names.ts";

/** A log record before it has its place. `content` is what somebody wrote: told only where that is wanted. */
export type LogDraft = {
  readonly name: string;
  readonly severity: LogSeverity;
  readonly attributes: Attributes;
  readonly content?: () => Attributes;
};

type Of<T extends ConductEvent["type"]> = Extract<ConductEvent, { type: T }>;

/** What an event is as a log record; `undefined` for what only its turn's spans tell. */
export function logOf(event: ConductEvent): LogDraft | undefined {
  switch (event.type) {
    case "call":
      return {
        name: LOG.decision,
        severity: event.decision.kind === "deny" ? "warn" : "info",
        attributes: decisionAttributes(event),
        content: () => decisionContent(event.decision),
      };
    case "prompt":
      return event.contract === undefined ? undefined : injection(event, event.contract);
    case "directive":
      return capture(event);
    case "message":
      return event.reply === undefined ? undefined : info(LOG.answered, { [ATTR.role]: event.sender?.role });
    case "approval":
      return {
        ...info(LOG.approval, {
          [ATTR.approval]: event.approval,
          [ATTR.answer]: event.answer,
          [ATTR.answeredBy]: event.by,
        }),
        content: () => ({ [CONTENT.answerReason]: event.reason }),
      };
    case "requirement":
      return {
        name: LOG.requirement,
        severity: event.escalateToOwner ? "warn" : "info",
        attributes: {
          [ATTR.callId]: event.call,
          [ATTR.tool]: event.tool,
          [ATTR.required]: event.requireBeforeNext,
          [ATTR.escalate]: event.escalateToOwner,
        },
      };
    case "classification":
      return classification(event);
    case "instructions":
      return info(LOG.instructions, {
        [ATTR.instructionsChange]: event.change,
        [ATTR.instructionsVersion]: event.version,
        [ATTR.added]: event.added.length,
        [ATTR.removed]: event.removed.length,
      });
    case "memory":
      return info(LOG.memory, { [ATTR.note]: event.note });
    case "notice":
      return notice(event);
    case "session": {
      const { change, detail } = event;
      return { ...info(LOG.session, { [ATTR.sessionChange]: change }), content: () => ({ [CONTENT.detail]: detail }) };
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

/** What a change of the contract is as a log record. Only a candidate that came into force is a promotion. */
export function logOfChange(change: ContractEvent): LogDraft {
  const directive = "directive" in change ? change.directive : undefined;
  const promoted = change.kind === "candidate-promoted" || change.kind === "candidate-covered";
  const candidate = change.kind.startsWith("candidate-") && "id" in change ? change.id : undefined;
  return {
    ...info(promoted ? LOG.promotion : LOG.contractChange, {
      [ATTR.change]: change.kind,
      [ATTR.seq]: change.seq,
      [ATTR.by]: change.by,
      [ATTR.candidate]: change.kind === "candidate-proposed" ? change.candidate.id : candidate,
      [ATTR.directive]: directive?.id ?? ("of" in change ? change.of : undefined),
      [ATTR.directiveType]: directive?.type,
      [ATTR.scope]: directive?.scope,
    }),
    content: () => ({
      [CONTENT.directive]: directive?.text,
      [CONTENT.changeReason]: "reason" in change ? change.reason : undefined,
    }),
  };
}

function info(name: string, attributes: Attributes): LogDraft {
  return { name, severity: "info", attributes };
}

function injection(event: Of<"prompt">, contract: NonNullable<Of<"prompt">["contract"]>): LogDraft {
  return {
    name: LOG.injection,
    severity: contract.degraded === true ? "warn" : "info",
    attributes: {
      [ATTR.version]: contract.version,
      [ATTR.directives]: contract.directives,
      [ATTR.degraded]: contract.degraded ?? false,
      [ATTR.promptHash]: event.hash,
      [ATTR.promptTokens]: event.tokens,
    },
  };
}

function capture(event: Of<"directive">): LogDraft {
  const taken = ["added", "repeated", "absorbed"].includes(event.outcome);
  return {
    name: LOG.capture,
    severity: taken ? "info" : "warn",
    attributes: {
      [ATTR.captureOutcome]: event.outcome,
      [ATTR.captureLine]: event.line,
      [ATTR.captureCode]: event.code,
      [ATTR.directive]: event.directive,
      [ATTR.version]: event.version,
      [ATTR.newHash]: event.hash,
    },
    content: () => ({ [CONTENT.directive]: event.text || undefined, [CONTENT.why]: event.why }),
  };
}

function classification({ classification, model, because, usage }: Of<"classification">): LogDraft {
  return {
    ...info(LOG.classification, {
      [ATTR.topic]: classification.topic,
      [ATTR.complexity]: classification.complexity,
      [ATTR.classifier]: model,
      [ATTR.classifiedBecause]: because,
      [ATTR.inputTokens]: usage.inputTokens,
      [ATTR.outputTokens]: usage.outputTokens,
      [ATTR.cost]: usage.cost,
    }),
    content: () => ({ [CONTENT.label]: classification.label }),
  };
}

function notice({ notice, usage }: Of<"notice">): LogDraft | undefined {
  switch (notice.kind) {
    case "usage":
      return info(LOG.usage, {
        [ATTR.inputTokens]: notice.inputTokens,
        [ATTR.outputTokens]: notice.outputTokens,
        [ATTR.cost]: notice.cost,
        [ATTR.sessionInputTokens]: usage?.inputTokens,
        [ATTR.sessionOutputTokens]: usage?.outputTokens,
        [ATTR.sessionCost]: usage?.cost,
        [ATTR.sessionCalls]: usage?.calls,
      });
    case "started":
      return info(LOG.notice, {
        [ATTR.notice]: notice.kind,
        [ATTR.model]: notice.model,
        [ATTR.adapter]: notice.adapter,
      });
    case "compacted":
      return info(LOG.notice, {
        [ATTR.notice]: notice.kind,
        [ATTR.compactedBefore]: notice.before,
        [ATTR.compactedAfter]: notice.after,
        [ATTR.compactedMessages]: notice.messages,
        [ATTR.compactedCalls]: notice.calls === undefined ? undefined : sum(Object.values(notice.calls)),
      });
    case "ended":
      return info(LOG.notice, { [ATTR.notice]: notice.kind });
    case "fault":
      return faultLog(notice.fault);
    case "reply":
    case "step-closed":
      return undefined;
    default:
      return assertNever(notice);
  }
}

/** The message may quote what was called or said: a code and a place are told in any case. */
function faultLog({ where, code, message }: Extract<Notice, { kind: "fault" }>["fault"]): LogDraft {
  return {
    name: LOG.fault,
    severity: "error",
    attributes: { [ATTR.faultWhere]: where, [ATTR.faultCode]: code },
    content: () => ({ [CONTENT.fault]: message }),
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, one) => all + one, 0);
}
