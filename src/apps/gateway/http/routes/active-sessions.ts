import type { EventJournal, SessionSummary } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent, Moment } from "../../../../base/words/event.ts";
import { HOUR_MS } from "../../../../engine/journal/session-figures.ts";
import { isOver } from "../../conversations/turn-ends.ts";
import type { GatewayStores } from "../../stores.ts";

export const MOMENTS: readonly Moment[] = ["message", "prompt", "call", "result", "stop"];
/** Sessions that are checked at most. More of them within one hour are counted as active. */
const MOST_CHECKED = 200;

type Stores = Pick<GatewayStores, "conversations" | "events">;

/** Returns the sessions that work on a turn now, newest first. A session without an event for an hour is not active. */
export async function activeSessions(stores: Stores, now: number): Promise<readonly SessionSummary[]> {
  const { sessions } = await stores.events.sessions({ limit: MOST_CHECKED, since: now - HOUR_MS });
  const checked = await Promise.all(sessions.map(async (one) => ((await isActive(stores, one)) ? [one] : [])));
  return checked.flat();
}

/** The gateway knows the turns of its own conversations. For other runtimes, the newest moment tells. */
async function isActive({ conversations, events }: Stores, { session, ended }: SessionSummary): Promise<boolean> {
  const [turn] = await conversations.turns({ conversation: session, limit: 1 });
  if (turn !== undefined) return !isOver(turn);
  return !ended && !isTurnEnd(await newestMoment(events, session));
}

async function newestMoment(events: Pick<EventJournal, "read">, session: string): Promise<ConductEvent | undefined> {
  return (await events.read({ session, types: MOMENTS, limit: 1 })).events[0]?.event;
}

/** A session without any moment has not started a turn. */
function isTurnEnd(event: ConductEvent | undefined): boolean {
  if (event === undefined) return true;
  if (event.type === "message") return event.reply !== undefined;
  return event.type === "stop" && event.status !== "refused";
}
