import type { Figures } from "../../base/ports/stores/event-journal.ts";
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
export type HourFigures = {
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
