import type { ConductEvent } from "../../base/words/event.ts";

const texts = new WeakMap<ConductEvent, string>();

/** The event as JSON. A redacted event was turned into JSON when it was redacted, and is not changed afterwards. */
export function eventJson(event: ConductEvent): string {
  return texts.get(event) ?? JSON.stringify(event);
}

/** Remembers the JSON of an event for its writers. */
export function withJson(event: ConductEvent, json: string): ConductEvent {
  texts.set(event, json);
  return event;
}
