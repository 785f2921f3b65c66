import type { TurnRecord } from "../../../../src/base/words/hosting/conversation.ts";
import type { Modes } from "../../../../src/base/words/modes.ts";
import type { JournalEvent } from "../../moments/line-of.ts";

const OFF: Modes = { think: false, verbose: false, elevated: false };
/** Clocks of one machine, read one after the other. */
const SLACK_MS = 50;

/** The events of each turn, by the turn's id. A message begins the turn that it is of; what a message brings about before it is told goes with it. */
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

/** A message that was steered into a turn; `heard` once the agent has it. */
export type Added = { readonly key: string; readonly text: string; readonly heard: boolean };

/** What was said into a turn after its own message: as its moments tell, then what was sent from here and is neither heard nor a turn of its own. */
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

/** What holds now: as the newest message left them. */
export function modesOf(events: readonly JournalEvent[], now: number): Modes {
  const last = events.findLast((event) => event.type === "message");
  const modes = last?.type === "message" ? last.modes : OFF;
  const over = modes.elevatedUntil !== undefined && modes.elevatedUntil <= now;
  return over ? { ...modes, elevated: false } : modes;
}

/** In words for the person, where there is something to say. */
export const ENDS: { readonly [status: string]: string } = {
  incomplete: "ended incomplete: the stop was refused as often as it may be",
  bypassed: "ended without the completion check",
  "ended-by-policy": "ended by a policy",
  failed: "failed",
  cancelled: "stopped",
  interrupted: "interrupted",
};
