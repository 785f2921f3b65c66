import type { KeptEvent } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { readJson } from "../values.ts";

/** An event and the columns that describe it if the event itself is damaged. */
export type EventRow = {
  readonly position: number;
  readonly id: string;
  readonly session: string;
  readonly agent: string;
  readonly at: number;
  readonly event: string;
};

export const EVENT_COLUMNS = ["position", "id", "session", "agent", "at", "event"] as const;

/** A damaged event becomes a fault in its place, so that the events around it can still be read. */
export function keptEvent({ position, id, session, agent, at, event }: EventRow): KeptEvent {
  const whole = readJson<ConductEvent>(event);
  if (whole !== undefined) return { position, event: whole };
  const message = `The event at position ${position} of the journal is damaged, and its content is lost.`;
  const fault = { where: "journal", code: "event-damaged", message };
  return { position, event: { v: 1, id, seq: 0, at, session, agent, run: "", turn: 0, type: "fault", fault } };
}
