import type { EventFilter, EventJournal, KeptEvent, SessionSummary } from "../../base/ports/event-journal.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import { contractTold, decisionIds, isDenied, summarise } from "../../engine/journal/session-summary.ts";
import { checkedLimit, checkedPosition } from "./events-range.ts";
import { eventWords, hasWords, soughtWords } from "./search-words.ts";

/** Keeps events in this process. */
export function memoryEvents(): EventJournal {
  let kept: KeptEvent[] = [];
  let last = 0;
  const ids = new Map<string, KeptEvent>();
  const sessions = new Map<string, SessionSummary>();

  const matches = (filter: EventFilter) => (one: KeptEvent) => isAsked(one.event, filter, sessions);
  const newestFirst = () => [...sessions.values()].sort(byNewest);

  function refold(): void {
    sessions.clear();
    for (const { event } of kept) sessions.set(event.session, summarise(sessions.get(event.session), event));
  }
  function keep(wanted: (one: KeptEvent) => boolean): number {
    const before = kept.length;
    kept = kept.filter(wanted);
    ids.clear();
    for (const one of kept) ids.set(one.event.id, one);
    refold();
    return before - kept.length;
  }

  return {
    async append(events) {
      let added = 0;
      for (const event of events) {
        if (ids.has(event.id)) continue;
        last += 1;
        added += 1;
        const one = { position: last, event: copyOf(event) };
        kept.push(one);
        ids.set(event.id, one);
        sessions.set(event.session, summarise(sessions.get(event.session), one.event));
      }
      return added;
    },
    async read({ before, limit, ...filter }) {
      const most = checkedLimit(limit);
      const end = before === undefined ? Number.POSITIVE_INFINITY : checkedPosition(before);
      const asked = kept.filter(({ position }) => position <= end).filter(matches(filter));
      const page = asked.toReversed().slice(0, most + 1);
      const next = page[most]?.position;
      return { events: structuredClone(page.slice(0, most)), ...(next === undefined ? {} : { next }) };
    },
    async follow({ after, limit, ...filter }) {
      const [most, start] = [checkedLimit(limit), checkedPosition(after)];
      const asked = kept.filter(({ position }) => position > start).filter(matches(filter));
      return structuredClone(asked.slice(0, most));
    },
    async find(id) {
      return structuredClone(ids.get(id));
    },
    async findDecision(id) {
      const found = kept.filter(({ event }) => Object.values(decisionIds(event)).includes(id));
      return structuredClone(found);
    },
    async count(filter) {
      return kept.filter(matches(filter)).length;
    },
    async head() {
      return kept.at(-1)?.position ?? 0;
    },
    async session(id) {
      return sessions.get(id);
    },
    async sessions({ agent, channel, user, since, limit, offset = 0 }) {
      const most = checkedLimit(limit);
      const asked = newestFirst().filter(
        (one) =>
          (agent === undefined || one.agent === agent) &&
          (channel === undefined || one.channel === channel) &&
          (user === undefined || one.user === user) &&
          (since === undefined || one.lastAt >= since),
      );
      return { sessions: asked.slice(offset, offset + most), total: asked.length };
    },
    async agents() {
      const seen = Map.groupBy(newestFirst(), ({ agent }) => agent);
      return [...seen].map(([agent, some]) => ({ agent, sessions: some.length, lastAt: some[0]?.lastAt ?? 0 }));
    },
    async contractUse(hash) {
      const told = kept.map(({ event }) => event).filter((event) => contractTold(event) === hash);
      const sessions = new Set(told.map(({ session }) => session)).size;
      if (told.length === 0) return { prompts: 0, sessions };
      return { prompts: told.length, sessions, lastAt: Math.max(...told.map(({ at }) => at)) };
    },
    async deleteSession(id) {
      return keep(({ event }) => event.session !== id);
    },
    async expire(before) {
      const goesOn = (id: string) => (sessions.get(id)?.lastAt ?? 0) >= before;
      return keep(({ event }) => event.at >= before || (event.type === "session" && goesOn(event.session)));
    },
    async rebuild() {
      refold();
      return sessions.size;
    },
  };
}

function isAsked(event: ConductEvent, filter: EventFilter, sessions: ReadonlyMap<string, SessionSummary>): boolean {
  const { session, agent, channel, types, denied, since, contract, text } = filter;
  return (
    (session === undefined || event.session === session) &&
    (agent === undefined || event.agent === agent) &&
    (channel === undefined || sessions.get(event.session)?.channel === channel) &&
    (types === undefined || types.includes(event.type)) &&
    (denied === undefined || isDenied(event)) &&
    (since === undefined || event.at >= since) &&
    (contract === undefined || contractTold(event)?.startsWith(contract) === true) &&
    (text === undefined || hasWords(eventWords(event), soughtWords(text)))
  );
}

function byNewest(a: SessionSummary, b: SessionSummary): number {
  return b.lastAt - a.lastAt || (a.session < b.session ? -1 : 1);
}

function copyOf(event: ConductEvent): ConductEvent {
  return JSON.parse(JSON.stringify(event)) as ConductEvent;
}
