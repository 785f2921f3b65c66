import { isChatter, isMoment, type JournalEvent, lineOf } from "../../moments/line-of.ts";

/** A message and the events that follow it. Events before the first message form a turn without one. */
export type TimelineTurn = {
  readonly key: string;
  readonly turn: number;
  readonly at: number;
  readonly said: string | undefined;
  /** Conduct answered the message itself; the agent did not receive it. */
  readonly isOurs: boolean;
  readonly events: readonly JournalEvent[];
  readonly denials: number;
  readonly questions: number;
  readonly refused: number;
  readonly faults: number;
  readonly incomplete: boolean;
};

/** Filters of the timeline. */
type Shown = {
  /** Every word must occur in the event. */
  readonly words: string;
  readonly denied: boolean;
  /** Also shows usage, steps and similar events. */
  readonly chatter: boolean;
};

export type TimelineRow =
  | { readonly kind: "turn"; readonly key: string; readonly turn: TimelineTurn; readonly open: boolean }
  | { readonly kind: "event"; readonly key: string; readonly event: JournalEvent }
  | { readonly kind: "story"; readonly key: string; readonly turn: TimelineTurn; readonly until: number | undefined };

/** Returns stored events in the order of the journal, then live events in order of arrival, without duplicates. */
export function mergeEvents(before: readonly JournalEvent[], fresh: readonly JournalEvent[]): readonly JournalEvent[] {
  const byId = new Map(before.map((event) => [event.id, event]));
  let isAppended = true;
  for (const event of fresh) {
    const known = byId.get(event.id);
    if (known !== undefined && (event.position === undefined || known.position !== undefined)) continue;
    if (event.position !== undefined) isAppended = false;
    byId.set(event.id, event);
  }
  if (byId.size === before.length && isAppended) return before;
  const all = [...byId.values()];
  if (isAppended) return all;
  const kept = all.filter(({ position }) => position !== undefined);
  kept.sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  return [...kept, ...all.filter(({ position }) => position === undefined)];
}

/**
 * A message or another turn number starts a turn. A directive belongs to the message that contains it, which is logged
 * after it.
 */
export function turnsOf(events: readonly JournalEvent[]): readonly TimelineTurn[] {
  const groups: JournalEvent[][] = [];
  let held: JournalEvent[] = [];
  for (const event of events) {
    if (event.type === "directive") {
      held.push(event);
      continue;
    }
    const current = groups.at(-1);
    const last = current?.at(-1);
    const begins = event.type === "message" || last === undefined || last.turn !== event.turn || isAnswer(last);
    if (begins) groups.push(event.type === "message" ? [event, ...held] : [...held, event]);
    else current?.push(...held, event);
    held = [];
  }
  if (held.length > 0) {
    if (groups.length === 0) groups.push(held);
    else groups.at(-1)?.push(...held);
  }
  return groups.flatMap(turnOf);
}

/** After a message that Conduct answered itself, the next event starts a new turn. */
function isAnswer(event: JournalEvent): boolean {
  return event.type === "message" && event.reply !== undefined;
}

function turnOf(events: readonly JournalEvent[]): readonly TimelineTurn[] {
  const [first] = events;
  if (first === undefined) return [];
  const count = (is: (event: JournalEvent) => boolean) => events.filter(is).length;
  const message = events.find((event) => event.type === "message");
  return [
    {
      key: first.id,
      turn: first.turn,
      at: first.at,
      said: message?.type === "message" ? message.text : undefined,
      isOurs: message !== undefined && isAnswer(message),
      events,
      denials: count((event) => event.type === "call" && event.decision.kind === "deny"),
      questions: count((event) => event.type === "call" && event.decision.kind === "ask"),
      refused: count((event) => event.type === "stop" && event.status === "refused"),
      faults: count((event) => event.type === "fault" || (event.type === "notice" && event.notice.kind === "fault")),
      incomplete: events.some((event) => event.type === "stop" && event.status === "incomplete"),
    },
  ];
}

/** Returns the rows to show: the head of each turn, and the events of open turns. A search shows only matches. */
export function rowsOf(
  turns: readonly TimelineTurn[],
  isOpen: (key: string) => boolean,
  shown: Shown,
): readonly TimelineRow[] {
  const words = shown.words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const isSearch = words.length > 0 || shown.denied;
  const rows: TimelineRow[] = [];
  for (const turn of turns) {
    const found = isSearch
      ? turn.events.filter((event) => (!shown.denied || lineOf(event).tone === "denied") && hasWords(event, words))
      : turn.events.filter((event) => shown.chatter || !isChatter(event));
    if (found.length === 0 && (isSearch || !turn.events.some(isMoment))) continue;
    const open = isSearch || isOpen(turn.key);
    rows.push({ kind: "turn", key: `turn ${turn.key}`, turn, open });
    if (open) for (const event of found) rows.push({ kind: "event", key: event.id, event });
  }
  return rows;
}

/** Returns the head of each turn, and the story of each open one. `until` is when the next turn began. */
export function storyRowsOf(turns: readonly TimelineTurn[], isOpen: (key: string) => boolean): readonly TimelineRow[] {
  return turns.flatMap((turn, at): readonly TimelineRow[] => {
    if (!turn.events.some(isMoment)) return [];
    const open = isOpen(turn.key);
    const head = { kind: "turn", key: `turn ${turn.key}`, turn, open } as const;
    const until = turns[at + 1]?.at;
    return open ? [head, { kind: "story", key: `story ${turn.key}`, turn, until }] : [head];
  });
}

const searched = new WeakMap<JournalEvent, string>();

function hasWords(event: JournalEvent, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  let text = searched.get(event);
  if (text === undefined) {
    const { what, word, more = "" } = lineOf(event);
    text = `${event.type} ${event.id} ${what} ${word} ${more} ${JSON.stringify(bodyOf(event))}`.toLowerCase();
    searched.set(event, text);
  }
  return words.every((word) => text.includes(word));
}

function bodyOf(event: JournalEvent): unknown {
  if (event.type === "call") return [event.call.args, event.decision];
  if (event.type === "result") return [event.truncation, event.feedback];
  if (event.type === "prompt") return event.sections.map(({ contributor }) => contributor);
  // A search for a number must not find the milliseconds of a time.
  return event.type === "message" ? "" : { ...event, at: "" };
}
