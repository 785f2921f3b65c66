import type { TurnRecord } from "../../../../src/base/words/hosting/conversation.ts";
import type { Modes } from "../../../../src/base/words/modes.ts";
import type { JournalEvent } from "../../moments/line-of.ts";

const OFF: Modes = { think: false, verbose: false, elevated: false };
/** Tolerance between clock readings of one machine. */
const SLACK_MS = 50;

/**
 * Groups events by turn id. A message starts its turn; directives that are logged before their message belong to its
 * turn.
 */
export function eventsByTurn(
  turns: readonly TurnRecord[],
  events: readonly JournalEvent[],
): ReadonlyMap<string, readonly JournalEvent[]> {
  const found = new Map<string, JournalEvent[]>(turns.map(({ id }) => [id, []]));
  const open = [...turns];
  let current: JournalEvent[] | undefined;
  let held: JournalEvent[] = [];
  for (const event of events) {
    if (event.type === "directive") {
      held.push(event);
      continue;
    }
    if (event.type === "message") {
      const at = open.findIndex((turn) => isOf(turn, event));
      const [turn] = at === -1 ? [] : open.splice(0, at + 1).slice(-1);
      current = turn === undefined ? current : found.get(turn.id);
      current?.push(event, ...held);
      held = [];
      continue;
    }
    current?.push(event);
  }
  current?.push(...held);
  return found;
}

function isOf({ text, messageId, at }: TurnRecord, event: JournalEvent & { readonly type: "message" }): boolean {
  if (messageId !== undefined && event.messageId !== undefined) return event.messageId === messageId;
  return text === event.text && at <= event.at + SLACK_MS;
}

/** A message steered into a turn; `heard`: the agent has read it. */
export type Added = { readonly key: string; readonly text: string; readonly heard: boolean };

/**
 * Returns the messages steered into a turn: those the agent read, then those sent from here that are neither read nor
 * a turn of their own.
 */
export function addedTo(
  turn: TurnRecord,
  events: readonly JournalEvent[],
  sent: readonly { readonly messageId: string; readonly text: string }[],
  turns: readonly TurnRecord[],
): readonly Added[] {
  const said = events.filter((event) => event.type === "message");
  const heard = said.filter((event) => !isOf(turn, event) && event.text.trim() !== "");
  const known = new Set([...said, ...turns].map(({ messageId }) => messageId));
  return [
    ...heard.map(({ id, text }) => ({ key: id, text, heard: true })),
    ...sent
      .filter(({ messageId }) => !known.has(messageId))
      .map(({ messageId, text }) => ({ key: messageId, text, heard: false })),
  ];
}

/** Returns the current modes, as set by the newest message or by an operator since. */
export function modesOf(events: readonly JournalEvent[], now: number): Modes {
  const last = events.findLast(
    (event) => event.type === "message" || (event.type === "session" && event.change === "modes"),
  );
  const set = last?.type === "session" ? { ...OFF, ...JSON.parse(last.detail ?? "{}") } : OFF;
  const modes: Modes = last?.type === "message" ? last.modes : set;
  const over = modes.elevatedUntil !== undefined && modes.elevatedUntil <= now;
  return over ? { ...modes, elevated: false } : modes;
}

/** Text for the person, for statuses that need one. */
export const ENDS: { readonly [status: string]: string } = {
  incomplete: "ended incomplete: the stop was refused too often",
  bypassed: "ended without the completion check",
  "ended-by-policy": "ended by a policy",
  failed: "failed",
  cancelled: "stopped",
  interrupted: "interrupted",
};
