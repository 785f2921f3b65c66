import type { EventJournal, SessionQuery, SessionSummary } from "../../base/ports/stores/event-journal.ts";

/** An open session counts as active this long after its last event. */
const ACTIVE_MS = 3_600_000;
const PAGE = 1_000;

/** The sessions that are active now, those with the newest events first. */
export async function activeSessions(
  journal: Pick<EventJournal, "sessions">,
  now: number,
  whose: Pick<SessionQuery, "agent" | "channel" | "user"> = {},
): Promise<readonly SessionSummary[]> {
  const active: SessionSummary[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { sessions } = await journal.sessions({ ...whose, since: now - ACTIVE_MS, limit: PAGE, offset });
    active.push(...sessions.filter(({ ended }) => !ended));
    if (sessions.length < PAGE) return active;
  }
}
