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
  let goesBack = false;
  for (const event of events) {
    if ((event.type === "prompt" || event.type === "stop") && event.closed !== undefined) {
      closings.set(pointKey({ run: event.run, seq: event.closed.seq }), event.closed.at);
      marked.add(event.closed.seq);
    } else if (event.type === "session" && event.from !== undefined) {
      wanted.add(pointKey(event.from));
      marked.add(event.from.seq);
      goesBack ||= event.change === "restored";
    }
  }
  return { closings, wanted, marked, goesBack };
}

/** It went on from an earlier state, and it was not recorded from which. */
export function isWithoutPoint(event: ConductEvent): boolean {
  return event.type === "session" && event.from === undefined && /^(?:restored|resumed)$/.test(event.change);
}

/** A call that is made more often in one turn may concern the loop guard. */
const CALM = 2;

/**
 * The events (by place) from which on, up to the next message, no call is made so often that the loop guard could speak: each is noted
 * twice at most, as itself and as one side of a back and forth.
 */
export function isCalmBefore(events: readonly ConductEvent[]): (at: number) => boolean {
  const calm: boolean[] = [];
  let seen = new Map<string, number>();
  let from = 0;
  let quiet = true;
  const close = (end: number) => {
    calm.fill(quiet, from, end);
    [seen, from, quiet] = [new Map(), end, true];
  };
  calm.length = events.length;
  for (const [at, event] of events.entries()) {
    if (event.type === "message" && event.reply === undefined) close(at);
    if (event.type !== "call") continue;
    const key = JSON.stringify([event.call.tool, event.made?.args ?? event.call.args]);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times > CALM) quiet = false;
  }
  close(events.length);
  return (at) => calm[at] ?? false;
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
