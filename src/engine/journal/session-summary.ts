import type { SessionSummary } from "../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../base/words/event.ts";

/** The session's figures with one event more. Events of one session come in the order in which they are kept. */
export function summarise(before: SessionSummary | undefined, event: ConductEvent): SessionSummary {
  const known = before ?? firstOf(event);
  const seen: SessionSummary = {
    ...known,
    agent: event.agent,
    startedAt: Math.min(known.startedAt, event.at),
    lastAt: Math.max(known.lastAt, event.at),
    turns: Math.max(known.turns, event.turn),
  };
  switch (event.type) {
    case "session":
      return event.change === "opened" || event.change === "resumed" ? opened(seen, event) : seen;
    case "classification": {
      const { label, topic, complexity } = event.classification;
      return { ...seen, label, topic, complexity, tokens: seen.tokens + tokensOf(event.usage) };
    }
    case "prompt":
      return { ...seen, prompts: seen.prompts + 1 };
    case "call":
      return { ...seen, calls: seen.calls + 1, denials: seen.denials + (isDenied(event) ? 1 : 0) };
    case "stop":
      if (event.status === "refused") return { ...seen, stopsRefused: seen.stopsRefused + 1 };
      return event.status === "incomplete" ? { ...seen, incomplete: seen.incomplete + 1 } : seen;
    case "notice":
      if (event.notice.kind === "usage") return { ...seen, tokens: seen.tokens + tokensOf(event.notice) };
      return event.notice.kind === "ended" ? { ...seen, ended: true } : seen;
    default:
      return seen;
  }
}

/** A call that was denied. */
export function isDenied(event: ConductEvent): boolean {
  return event.type === "call" && event.decision.kind === "deny";
}

/** The hash of the contract that a prompt told. */
export function contractTold(event: ConductEvent): string | undefined {
  return event.type === "prompt" ? event.contract?.hash : undefined;
}

/** The ids under which an event can be asked about, besides its own. */
export function decisionIds(event: ConductEvent): { readonly decision?: string; readonly approval?: string } {
  if (event.type === "approval") return { approval: event.approval };
  if (event.type === "fault") return event.fault.decision === undefined ? {} : { decision: event.fault.decision };
  if (event.type !== "call") return {};
  const { decision } = event;
  return { decision: decision.id, ...(decision.kind === "ask" ? { approval: decision.approval } : {}) };
}

function firstOf({ session, parent, agent, at }: ConductEvent): SessionSummary {
  return {
    session,
    parent,
    agent,
    startedAt: at,
    lastAt: at,
    ended: false,
    turns: 0,
    prompts: 0,
    calls: 0,
    denials: 0,
    stopsRefused: 0,
    incomplete: 0,
    tokens: 0,
  };
}

function opened(seen: SessionSummary, { user, channel }: Extract<ConductEvent, { type: "session" }>): SessionSummary {
  return {
    ...seen,
    ended: false,
    ...(user === undefined ? {} : { user }),
    ...(channel === undefined ? {} : { channel }),
  };
}

function tokensOf({ inputTokens = 0, outputTokens = 0 }: { inputTokens?: number; outputTokens?: number }): number {
  return inputTokens + outputTokens;
}
