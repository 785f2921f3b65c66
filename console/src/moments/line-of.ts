import type { ToolCall } from "../../../src/base/words/call.ts";
import type { ConductEvent, Moment } from "../../../src/base/words/event.ts";
import type { Tone } from "../ui/badge.tsx";
import { figure, shortFigure } from "../ui/data/token-bar.tsx";

/** Symbol of each moment, the same on all screens. */
export const GLYPHS: { readonly [M in Moment]: string } = {
  message: "◦",
  prompt: "¶",
  call: "▸",
  result: "◂",
  stop: "■",
};

/** An event of the journal, or of the live stream, which has no position. */
export type JournalEvent = ConductEvent & { readonly position?: number };

/** An event in one line: its moment, text and tone. `aside`: the event is not a moment. */
export type Line = {
  readonly kind: Moment | "aside";
  readonly tone: Tone;
  /** The subject: `shell npm test`. May contain untrusted text. */
  readonly what: string;
  /** The outcome: `denied`, `ok`, `not done`. */
  readonly word: string;
  /** Details such as the rule or the figures. */
  readonly more?: string;
};

export function isMoment({ type }: ConductEvent): boolean {
  return type in GLYPHS;
}

/** Describes an event. All screens use this, so that they show the same text. */
export function lineOf(event: ConductEvent): Line {
  switch (event.type) {
    case "message":
      return {
        kind: "message",
        tone: "passed",
        what: event.text,
        word: event.reply === undefined ? "said" : "answered by Conduct",
        more: event.reply,
      };
    case "prompt": {
      const { sections, tokens, prefixTokens, cuts, contract } = event;
      const stable = tokens === 0 ? 0 : Math.floor((prefixTokens / tokens) * 100);
      return {
        kind: "prompt",
        tone: cuts.length > 0 || contract?.degraded === true ? "advised" : "passed",
        what: `${sections.length} sections · ${figure(tokens)} tokens`,
        word: cuts.length > 0 ? `${cuts.length} cut` : "sent",
        more: `${stable} % stable${contract === undefined ? "" : ` · contract v${contract.version}`}`,
      };
    }
    case "call":
      return callLine(event);
    case "result": {
      const [cut] = event.truncation;
      const shortened = cut === undefined ? "" : `${shortFigure(cut.original)} → ${shortFigure(cut.kept)} tokens`;
      const advice = event.feedback.map(({ summary }) => summary).join(" · ");
      const more = [shortened, advice].filter((text) => text !== "").join(" · ");
      return {
        kind: "result",
        tone: event.outcome === "denied" ? "denied" : event.outcome !== "ok" || more !== "" ? "advised" : "passed",
        what: event.tool,
        word:
          event.exitCode === undefined || event.exitCode === 0
            ? event.outcome
            : `${event.outcome}, exit ${event.exitCode}`,
        more: more || undefined,
      };
    }
    case "stop": {
      const refused = event.status === "refused";
      const tone =
        refused || event.status === "ended-by-policy" ? "denied" : event.status === "complete" ? "passed" : "advised";
      const why = event.feedback ?? event.why;
      return {
        kind: "stop",
        tone,
        what: refused ? `attempt ${event.refusals} of ${event.bound}` : event.status === "complete" ? "done" : "ended",
        word: event.status,
        more: why === undefined ? undefined : firstLine(why),
      };
    }
    default:
      return { kind: "aside", ...asideOf(event) };
  }
}

function callLine({ call, decision, shadows }: Extract<ConductEvent, { type: "call" }>): Line {
  const what = callTitle(call);
  if (decision.kind === "deny") return { kind: "call", tone: "denied", what, word: "denied", more: decision.rule };
  if (decision.kind === "ask")
    return { kind: "call", tone: "advised", what, word: "needs approval", more: decision.question };
  const [advice] = decision.advice;
  if (shadows !== undefined && shadows.length > 0)
    return {
      kind: "call",
      tone: "advised",
      what,
      word: shadows.every(({ asks }) => asks) ? "would be asked" : "would be denied",
      more: shadows.map(({ rule }) => rule).join(", "),
    };
  if (advice !== undefined)
    return { kind: "call", tone: "advised", what, word: "allowed with advice", more: advice.text };
  const { because } = decision;
  return { kind: "call", tone: "passed", what, word: because === undefined ? "allowed" : `allowed: ${because}` };
}

type Aside = Omit<Line, "kind">;

function asideOf(event: Exclude<ConductEvent, { type: Moment }>): Aside {
  switch (event.type) {
    case "directive": {
      const kept = event.outcome === "added" || event.outcome === "repeated" || event.outcome === "absorbed";
      return {
        tone: kept ? "passed" : "advised",
        what: event.text,
        word: `directive ${event.outcome}`,
        more: event.why,
      };
    }
    case "classification":
      return {
        tone: "neutral",
        what: event.classification.label,
        word: "classified",
        more: `${event.classification.topic}, ${event.classification.complexity}`,
      };
    case "verbose":
      return { tone: "neutral", what: event.text, word: "verbose" };
    case "instructions":
      return {
        tone: "neutral",
        what: [...event.added, ...event.removed].join(" · "),
        word: `instructions v${event.version}`,
      };
    case "memory":
      return { tone: "neutral", what: event.note, word: "remembered" };
    case "notice":
      return noticeLine(event.notice);
    case "session":
      return { tone: "neutral", what: event.detail ?? "", word: `session ${event.change}` };
    case "requirement":
      return {
        tone: event.escalateToOwner ? "denied" : "advised",
        what: [...event.requireBeforeNext, ...(event.escalateToOwner ? ["a review by the operator"] : [])].join(", "),
        word: `required by ${event.tool}`,
      };
    case "approval":
      return { tone: event.answer === "no" ? "denied" : "passed", what: event.by, word: `answered ${event.answer}` };
    case "fault":
      return { tone: "denied", what: event.fault.message, word: `fault ${event.fault.code}`, more: event.fault.where };
  }
}

function noticeLine(notice: Extract<ConductEvent, { type: "notice" }>["notice"]): Aside {
  switch (notice.kind) {
    case "started":
      return { tone: "neutral", what: notice.model ?? "", word: "model" };
    case "usage":
      return {
        tone: "neutral",
        what: `${figure(notice.inputTokens ?? 0)} in, ${figure(notice.outputTokens ?? 0)} out`,
        word: "tokens",
      };
    case "reply":
      return { tone: "neutral", what: notice.text, word: "answered" };
    case "compacted":
      return {
        tone: "advised",
        what: notice.before === undefined ? "" : `${figure(notice.before)} → ${figure(notice.after ?? 0)} tokens`,
        word: "transcript compacted",
      };
    case "fault":
      return {
        tone: "denied",
        what: notice.fault.message,
        word: `fault ${notice.fault.code}`,
        more: notice.fault.where,
      };
    case "ended":
      return { tone: "neutral", what: notice.reason ?? "", word: "ended" };
    case "left":
      return { tone: "neutral", what: "", word: "the runtime has exited" };
    case "step-closed":
      return { tone: "neutral", what: "", word: "step closed" };
  }
}

const MAIN_ARGS = ["command", "path", "file_path", "url", "query", "pattern", "text", "name"];

/** Returns a call in short: `shell npm test`. */
function callTitle({ tool, args }: Pick<ToolCall, "tool" | "args">): string {
  const main = MAIN_ARGS.map((name) => args[name]).find((value) => typeof value === "string" && value !== "");
  return typeof main === "string" ? `${tool} ${firstLine(main)}` : tool;
}

/** Whether a timeline hides the event by default. */
export function isChatter(event: ConductEvent): boolean {
  if (event.type === "session")
    return event.change === "opened" || event.change === "resumed" || event.change === "modes";
  return (
    event.type === "notice" &&
    (event.notice.kind === "usage" ||
      event.notice.kind === "step-closed" ||
      event.notice.kind === "started" ||
      event.notice.kind === "reply")
  );
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}
