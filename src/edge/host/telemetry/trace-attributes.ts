import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { type Attributes, MAX_VALUE } from "./otlp-encoding.ts";

export type EventOf<T extends ConductEvent["type"]> = Extract<ConductEvent, { type: T }>;

/** Placeholder before a session's first prompt. */
export const NO_CONTRACT = "unknown";

/** Prepares attributes for export. `content` is text written by people, models and tools. */
export type Tell = (attributes: Attributes, content?: () => Attributes) => Attributes;

const MAX_NAME = 256;
/** Longer than the exported text, because a redaction mark may be shorter than the secret. */
const SEARCHED = 2 * MAX_VALUE;

/** The only place that decides whether content is exported. Secrets in it are always redacted. */
export function tellWith(content: "told" | "kept"): Tell {
  return (attributes, written) => {
    const short = mapTexts(attributes, (text) => cutGraphemes(text, MAX_NAME));
    if (content === "kept" || written === undefined) return short;
    const clean = (text: string) => cutGraphemes(redactSecrets(text.slice(0, SEARCHED)), MAX_VALUE);
    return { ...short, ...mapTexts(written(), clean) };
  };
}

function mapTexts(attributes: Attributes, change: (text: string) => string): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (typeof value === "string") return [name, change(value)];
      return [name, typeof value === "object" ? value.map(change) : value];
    }),
  );
}

/** Trace id of a turn. Derived from the event, so each can be found from the other. */
export function traceIdOf(session: string, turn: number): string {
  return sha256(JSON.stringify(["conduct.trace", session, turn])).slice(0, 32);
}

/** Id of the span that this event started. A restored session repeats a turn, and each run has its own span. */
export function spanIdOf(of: "turn" | "call", { session, run, seq }: ConductEvent): string {
  return sha256(JSON.stringify(["conduct.span", of, session, run, seq])).slice(0, 16);
}

/** The decision on a call and its rule; identical on the call's span and on its log record. */
export function decisionAttributes({ call, decision, shadows = [] }: EventOf<"call">): Attributes {
  const common = {
    "gen_ai.tool.name": call.tool,
    "gen_ai.tool.call.id": call.id,
    "conduct.call.actions": unlessEmpty(call.actions),
    "conduct.decision.kind": decision.kind,
    "conduct.decision.id": decision.id,
    "conduct.decision.shadows": unlessEmpty(shadows.map(({ rule }) => rule)),
  };
  switch (decision.kind) {
    case "allow":
      return {
        ...common,
        "conduct.decision.because": decision.because,
        "conduct.decision.lifted": decision.lifted,
        "conduct.decision.rule": decision.advice[0]?.rule,
      };
    case "ask":
      return { ...common, "conduct.decision.rule": decision.rule, "conduct.approval.id": decision.approval };
    case "deny":
      return {
        ...common,
        "conduct.decision.rule": decision.rule,
        "conduct.decision.code": decision.code,
        "conduct.decision.attempts_left": decision.attemptsLeft,
        "conduct.decision.end_turn": decision.endTurn,
        "conduct.decision.others": unlessEmpty(decision.others.map(({ rule }) => rule)),
      };
  }
}

function unlessEmpty(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** The rule's own text, which may quote the call. */
export function decisionContent(decision: Decision): Attributes {
  return {
    "conduct.decision.reason": decision.kind === "deny" ? decision.reason : undefined,
    "conduct.approval.question": decision.kind === "ask" ? decision.question : undefined,
  };
}
