import type { ConductEvent, SessionPoint } from "../../base/words/event.ts";

export function pointKey({ run, seq }: SessionPoint): string {
  return `${run} ${seq}`;
}

/** What events tell of points before them: where a step was closed, and what a session went back to. */
export function lookAhead(events: readonly ConductEvent[]) {
  const closings = new Map<string, number>();
  const wanted = new Set<string>();
  /** Where there may be something to do: a cheap first look. */
  const marked = new Set<number>();
  for (const event of events) {
    if ((event.type === "prompt" || event.type === "stop") && event.closed !== undefined) {
      closings.set(pointKey({ run: event.run, seq: event.closed.seq }), event.closed.at);
      marked.add(event.closed.seq);
    } else if (event.type === "session" && event.from !== undefined) {
      wanted.add(pointKey(event.from));
      marked.add(event.from.seq);
    }
  }
  return { closings, wanted, marked };
}

/** The decisions whose calls really ran. */
export function ranIn(events: readonly ConductEvent[]): ReadonlySet<string> {
  const ran = new Set<string>();
  const open = new Map<string, string>();
  for (const event of events) {
    if (event.type === "call" && event.decision.kind !== "deny") {
      const before = open.get(event.call.id);
      // Decided on again, after a person said yes: the first decision came to the same.
      if (before !== undefined && event.decision.kind === "allow") ran.add(before);
      open.set(event.call.id, event.decision.id);
    } else if (event.type === "result") {
      const decision = open.get(event.call);
      open.delete(event.call);
      if (decision !== undefined && event.outcome !== "denied" && event.outcome !== "cancelled") ran.add(decision);
    }
  }
  return ran;
}
