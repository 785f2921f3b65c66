import { nearest } from "../../../../base/kernel/nearest.ts";
import type { EventJournal, SessionSummary } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { oneLine } from "../../line/printable.ts";

const LOOKED_AT = 1_000;

/** `ada/web#8kq2v0`: an agent, a channel, and enough of a session's id to ask for it. */
export function sessionName({
  agent,
  channel,
  session,
}: Pick<SessionSummary, "agent" | "channel" | "session">): string {
  return oneLine(`${agent}${channel === undefined ? "" : `/${channel}`}#${shortId(session)}`);
}

/** Names of the sessions that events are of, each looked up once. */
export function sessionNames(journal: EventJournal): (event: ConductEvent) => Promise<string> {
  const channels = new Map<string, string | undefined>();
  return async ({ session, agent }) => {
    if (channels.get(session) === undefined) channels.set(session, (await journal.session(session))?.channel);
    const channel = channels.get(session);
    return sessionName({ session, agent, channel });
  };
}

/** The session of that id, or the only recent one whose id begins so; else those that come near. */
export async function findSession(
  journal: EventJournal,
  given: string,
): Promise<{ readonly session: string } | { readonly near: readonly string[] }> {
  const word = given.replace(/^.*#/, "");
  for (const id of [given, word]) if ((await journal.session(id)) !== undefined) return { session: id };
  const { sessions } = await journal.sessions({ limit: LOOKED_AT });
  const ids = sessions.map(({ session }) => session);
  const begun = ids.filter((id) => id.startsWith(word) || withoutPrefix(id).startsWith(word));
  const [only, ...more] = word === "" ? [] : begun;
  if (only !== undefined && more.length === 0) return { session: only };
  return { near: begun.length > 0 ? begun.slice(0, 3) : nearestOf(word, ids) };
}

/** Up to three that are close to what was written. */
export function nearestOf(written: string, candidates: Iterable<string>): readonly string[] {
  const left = new Set(candidates);
  const found: string[] = [];
  while (found.length < 3) {
    const next = nearest(written, left);
    if (next === undefined) break;
    left.delete(next);
    found.push(next);
  }
  return found;
}

function shortId(id: string): string {
  const plain = withoutPrefix(id);
  return plain.length <= 8 ? plain : plain.slice(0, 6);
}

function withoutPrefix(id: string): string {
  return id.replace(/^s_(?=.)/, "");
}
