import type { KeptEvent } from "../../../../base/ports/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";

/** An event as a row has it, with what is told of it when the rest is damaged. */
export type EventRow = {
  readonly position: number;
  readonly id: string;
  readonly session: string;
  readonly agent: string;
  readonly at: number;
  readonly event: string;
};

export const EVENT_COLUMNS = ["position", "id", "session", "agent", "at", "event"] as const;

/** What is damaged is told as a fault in its place: the events around it can still be read. */
export function keptEvent({ position, id, session, agent, at, event }: EventRow): KeptEvent {
  const whole = parsedEvent(event);
  if (whole !== undefined) return { position, event: whole };
  const message = `The event at position ${position} of the journal is damaged: what happened there is lost.`;
  const fault = { where: "journal", code: "event-damaged", message };
  return { position, event: { v: 1, id, seq: 0, at, session, agent, run: "", turn: 0, type: "fault", fault } };
}

export function parsedEvent(event: string): ConductEvent | undefined {
  try {
    return JSON.parse(event) as ConductEvent;
  } catch {
    return undefined;
  }
}
