import type {
  EventFilter,
  EventJournal,
  FiguresAt,
  FiguresQuery,
  KeptEvent,
  SessionQuery,
  SessionSummary,
} from "../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import { addFigures, HOUR_MS, hourOf, hoursOf, NO_FIGURES } from "../../engine/journal/event-figures.ts";
import { SECTION_REFRESH_MS } from "../../engine/journal/section-writer.ts";
import { contractTold, decisionIds, isDenied, isObjected, summarise } from "../../engine/journal/session-summary.ts";
import { memorySections } from "./events-memory-sections.ts";
import { checkedLimit, checkedPosition } from "./events-range.ts";
import { eventWords, hasWords, soughtWords } from "./search-words.ts";

/** Keeps events in this process. */
export function memoryEvents(): EventJournal {
  let kept: KeptEvent[] = [];
  let last = 0;
  const ids = new Map<string, KeptEvent>();
  const sessions = new Map<string, SessionSummary>();
  const texts = memorySections();

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
    async histories(asked) {
      const wanted = new Set(asked);
      const found = kept.filter(({ event }) => wanted.has(event.session)).map(({ event }) => event);
      const of = Map.groupBy(found, ({ session }) => session);
      return structuredClone(asked.map((session) => of.get(session) ?? []));
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
    async sessions({ limit, offset = 0, ...query }) {
      const most = checkedLimit(limit);
      const { text, since = 0, until, denied } = query;
      const having = (filter: EventFilter, end = Number.POSITIVE_INFINITY) =>
        new Set(kept.flatMap((one) => (matches(filter)(one) && one.event.at <= end ? [one.event.session] : [])));
      const withText = text === undefined ? undefined : having({ text });
      const inTime =
        until === undefined ? undefined : having({ since, ...(denied === undefined ? {} : { denied }) }, until);
      const asked = newestFirst().filter(
        (one) => isChosen(one, query) && withText?.has(one.session) !== false && inTime?.has(one.session) !== false,
      );
      return { sessions: asked.slice(offset, offset + most), total: asked.length };
    },
    async agents() {
      const seen = Map.groupBy(newestFirst(), ({ agent }) => agent);
      return [...seen].map(([agent, some]) => ({ agent, sessions: some.length, lastAt: some[0]?.lastAt ?? 0 }));
    },
    figures: async (query) => figuresIn(kept, query),
    async unanswered(since) {
      const answered = new Set(kept.map(({ event }) => (event.type === "approval" ? event.approval : undefined)));
      const asked = kept.filter(
        ({ event }) =>
          event.type === "call" &&
          event.decision.kind === "ask" &&
          event.at >= since &&
          !answered.has(event.decision.approval),
      );
      return structuredClone(asked);
    },
    keepSections: async (told) => texts.keep(told),
    readSections: async (hashes) => texts.read(hashes),
    async contractUse(hash) {
      const told = kept.map(({ event }) => event).filter((event) => contractTold(event) === hash);
      const sessions = new Set(told.map(({ session }) => session)).size;
      if (told.length === 0) return { prompts: 0, sessions };
      return { prompts: told.length, sessions, lastAt: Math.max(...told.map(({ at }) => at)) };
    },
    async deleteSession(id) {
      texts.drop((use) => use.session === id);
      return keep(({ event }) => event.session !== id);
    },
    async expire(before) {
      texts.drop(({ at }) => at < before - SECTION_REFRESH_MS);
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
  const { session, agent, channel, types, denied, objected, since, contract, text } = filter;
  return (
    (session === undefined || event.session === session) &&
    (agent === undefined || event.agent === agent) &&
    (channel === undefined || sessions.get(event.session)?.channel === channel) &&
    (types === undefined || types.includes(event.type)) &&
    (denied === undefined || isDenied(event)) &&
    (objected === undefined || isObjected(event)) &&
    (since === undefined || event.at >= since) &&
    (contract === undefined || contractTold(event)?.startsWith(contract) === true) &&
    (text === undefined || hasWords(eventWords(event), soughtWords(text)))
  );
}

function isChosen(one: SessionSummary, query: Omit<SessionQuery, "limit" | "offset" | "text" | "until">): boolean {
  const { parent, agent, channel, user, topic, complexity, denied, incomplete, since } = query;
  return (
    (parent === undefined || one.parent === parent) &&
    (agent === undefined || one.agent === agent) &&
    (channel === undefined || one.channel === channel) &&
    (user === undefined || one.user === user) &&
    (topic === undefined || one.topic === topic) &&
    (complexity === undefined || one.complexity === complexity) &&
    (denied === undefined || one.denials > 0) &&
    (incomplete === undefined || one.incomplete > 0) &&
    (since === undefined || one.lastAt >= since)
  );
}

function figuresIn(kept: readonly KeptEvent[], { by, since, until, agent }: FiguresQuery): readonly FiguresAt[] {
  const hours = by === "day" ? 24 : 1;
  const first = (hour: number) => Math.floor(hour / hours) * hours;
  const [from, end] = [first(hourOf(since)), first(hourOf(until)) + hours];
  const sums = new Map<string, FiguresAt>();
  for (const one of hoursOf(kept.map(({ event }) => event))) {
    if (one.hour < from || one.hour >= end || (agent !== undefined && one.agent !== agent)) continue;
    const at = first(one.hour) * HOUR_MS;
    const key = JSON.stringify([at, one.agent]);
    const known = sums.get(key) ?? NO_FIGURES;
    sums.set(key, { at, agent: one.agent, ...addFigures(known, one.figures) });
  }
  return [...sums.values()].sort((a, b) => a.at - b.at || (a.agent < b.agent ? -1 : 1));
}

function byNewest(a: SessionSummary, b: SessionSummary): number {
  return b.lastAt - a.lastAt || (a.session < b.session ? -1 : 1);
}

function copyOf(event: ConductEvent): ConductEvent {
  return JSON.parse(JSON.stringify(event)) as ConductEvent;
}
