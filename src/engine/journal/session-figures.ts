import type { Figures, SessionSummary } from "../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../base/words/event.ts";

export const HOUR_MS = 3_600_000;

export const NO_FIGURES: Figures = {
  calls: 0,
  denials: 0,
  asked: 0,
  stopsRefused: 0,
  prompts: 0,
  promptTokens: 0,
  stableTokens: 0,
  tokensSaved: 0,
};

/** What one event adds to the figures; `undefined` when that is nothing. */
export function figuresOf(event: ConductEvent): Figures | undefined {
  switch (event.type) {
    case "call": {
      const { kind } = event.decision;
      return { ...NO_FIGURES, calls: 1, denials: kind === "deny" ? 1 : 0, asked: kind === "ask" ? 1 : 0 };
    }
    case "stop":
      return event.status === "refused" ? { ...NO_FIGURES, stopsRefused: 1 } : undefined;
    case "prompt":
      return { ...NO_FIGURES, prompts: 1, promptTokens: whole(event.tokens), stableTokens: whole(event.prefixTokens) };
    case "result": {
      const saved = event.truncation.reduce((sum, { original, kept }) => sum + Math.max(0, original - kept), 0);
      return saved > 0 ? { ...NO_FIGURES, tokensSaved: whole(saved) } : undefined;
    }
    default:
      return undefined;
  }
}

export function addFigures(a: Figures, b: Figures): Figures {
  const names = Object.keys(NO_FIGURES) as (keyof Figures)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as Figures;
}

/** The figures of one session in one hour, under the agent that it had then. `hour` counts from the epoch. */
type HourFigures = {
  readonly session: string;
  readonly agent: string;
  readonly hour: number;
  readonly figures: Figures;
};

/** Sums events by session, hour and agent. */
export function hoursOf(events: Iterable<ConductEvent>): readonly HourFigures[] {
  const hours = new Map<string, HourFigures>();
  for (const event of events) {
    const figures = figuresOf(event);
    if (figures === undefined) continue;
    const { session, agent } = event;
    const hour = hourOf(event.at);
    const key = JSON.stringify([session, agent, hour]);
    const known = hours.get(key);
    hours.set(key, {
      session,
      agent,
      hour,
      figures: known === undefined ? figures : addFigures(known.figures, figures),
    });
  }
  return [...hours.values()];
}

/** An invalid time must not block other events. */
export function hourOf(at: number): number {
  return Number.isFinite(at) ? Math.floor(at / HOUR_MS) : 0;
}

/** External values may not be numbers. */
function whole(tokens: number): number {
  return Number.isFinite(tokens) ? Math.round(tokens) : 0;
}

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
    case "message":
      // A message proves that a runtime which had exited is back.
      return { ...seen, ended: false };
    case "prompt":
      return { ...seen, prompts: seen.prompts + 1 };
    case "call":
      return { ...seen, calls: seen.calls + 1, denials: seen.denials + (isDenied(event) ? 1 : 0) };
    case "stop":
      if (event.status === "refused") return { ...seen, stopsRefused: seen.stopsRefused + 1 };
      return event.status === "incomplete" ? { ...seen, incomplete: seen.incomplete + 1 } : seen;
    case "notice":
      if (event.notice.kind === "usage") return { ...seen, tokens: seen.tokens + tokensOf(event.notice) };
      return event.notice.kind === "ended" || event.notice.kind === "left" ? { ...seen, ended: true } : seen;
    default:
      return seen;
  }
}

/** A call that was denied. */
export function isDenied(event: ConductEvent): boolean {
  return event.type === "call" && event.decision.kind === "deny";
}

/** The hash of the contract that a prompt told. */
export function contractHashOf(event: ConductEvent): string | undefined {
  return event.type === "prompt" ? event.contract?.hash : undefined;
}

/** The ids under which an event can be asked about, besides its own. */
export function decisionIds(event: ConductEvent): { readonly decision?: string; readonly approval?: string } {
  if (event.type === "approval") return { approval: event.approval };
  if (event.type === "fault") return { decision: event.fault.decision };
  if (event.type !== "call") return {};
  const { decision } = event;
  return { decision: decision.id, approval: decision.kind === "ask" ? decision.approval : undefined };
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
  return { ...seen, ended: false, user: user ?? seen.user, channel: channel ?? seen.channel };
}

function tokensOf({ inputTokens = 0, outputTokens = 0 }: { inputTokens?: number; outputTokens?: number }): number {
  return inputTokens + outputTokens;
}
