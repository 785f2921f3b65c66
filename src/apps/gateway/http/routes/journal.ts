import { z } from "zod";
import type {
  EventJournal,
  KeptEvent,
  SessionPage,
  SessionQuery,
  SessionSummary,
} from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { feedbackHistory } from "../../../../engine/journal/feedback-history.ts";
import { whyFacts } from "../../../shared/why-facts.ts";
import type { GatewayStores } from "../../stores.ts";
import type { ApiContext } from "../api-context.ts";
import { found, notFound, Problem } from "../problem.ts";
import type { JournalEvent } from "../response-types.ts";
import { type Caller, events, route } from "../route.ts";
import { ALL, count, integer, list, page, READ, searchText, typed } from "../schemas.ts";
import { type UpdateEvents, updateEvent } from "../streams/event-stream.ts";
import { activeSessions, MOMENTS } from "./active-sessions.ts";
import { eventKind, readEvents } from "./event-kinds.ts";

const COMPLEXITIES: ReadonlySet<string> = new Set(["trivial", "simple", "moderate", "hard", "complex"]);
/** Maximum length of a text in the list of sessions. */
const LONGEST = 200;
/** Messages read to find the first one that the agent received. */
const MOST_OPENERS = 5;
const MOST_ACTIVE = 1_000;

export const journalRoutes = [
  route("GET /api/events", {
    summary: "Search the stored events, newest first",
    roles: READ,
    query: page(500).extend({
      text: searchText(200),
      agent: z.string().optional(),
      channel: z.string().optional(),
      session: z.string().optional(),
      denied: z.stringbool().optional(),
      /** The events that a figure of the console counts. */
      kind: eventKind.optional(),
      since: z.coerce.number().optional(),
      until: z.coerce.number().optional(),
      /** The hash, or a prefix of it, of the contract in a prompt. */
      contract: z.string().max(100).optional(),
    }),
    response: z.object({ events: list(typed("JournalEvent")), next: z.number().optional() }),
    answer: async ({ query }, _caller, { stores }) => {
      const { events, next } = await readEvents(stores.events, { ...query, denied: query.denied || undefined });
      return { events: events.map(withPosition), next };
    },
  }),
  route("GET /api/decisions/{id}", {
    summary: "Show the events of a decision or approval",
    roles: READ,
    response: z.object({ events: list(typed("JournalEvent")) }),
    answer: async ({ params }, _caller, { stores }) => {
      const decided = await stores.events.findDecision(params.id);
      if (decided.length === 0) throw notFound(`decision '${params.id}'`);
      return { events: decided.map(withPosition) };
    },
  }),
  route("GET /api/decisions/{id}/why", {
    summary:
      "Explain a decision, approval or event: the session's evidence at that time, the rules and contract in force, and people's answers",
    roles: READ,
    response: typed("Why"),
    answer: async ({ params }, _caller, { stores: { events: journal, governance } }) => {
      const decided = await journal.findDecision(params.id);
      const first = found(decided[0] ?? (await journal.find(params.id)), `decision, approval or event '${params.id}'`);
      const { event } = first;
      const approval = event.type === "call" && event.decision.kind === "ask" ? event.decision.approval : undefined;
      const rest = approval === undefined ? decided : await journal.findDecision(approval);
      const { session, needed, there, late, inForce } = await whyFacts(journal, governance, first);
      return {
        event: withPosition(first),
        answers: rest.filter((one) => one.event.id !== event.id).map(withPosition),
        session,
        needed: needed.map(({ missing, seen }) => ({ ...missing, seen })),
        there: there.map(({ name, at }) => ({ name, at })),
        late,
        ...inForce,
      };
    },
  }),
  route("GET /api/journal/sessions", {
    summary:
      "List the sessions of every runtime, newest first; users see their own. `parent` selects the subagents of a session, `class` a topic or complexity, `text` searches their events. `until` selects sessions with an event in that time, with `denied` a denied one. `active` selects those that work on a turn now. `recent` adds that many of the newest moments, with shortened texts, and `opener`, the first message to the agent",
    roles: ALL,
    query: z.object({
      parent: z.string().optional(),
      agent: z.string().optional(),
      channel: z.string().optional(),
      user: z.string().optional(),
      class: z.string().max(100).optional(),
      denied: z.stringbool().optional(),
      incomplete: z.stringbool().optional(),
      active: z.stringbool().optional(),
      text: searchText(200),
      since: z.coerce.number().optional(),
      until: z.coerce.number().optional(),
      recent: integer().max(50).default(0),
      limit: count(200, 50),
      offset: integer().default(0),
    }),
    response: z.object({
      sessions: list(typed("SessionShown")),
      total: z.number(),
      /** More sessions may match: the words are in very many events, and only the newest were searched. */
      atLeast: z.literal(true).optional(),
      next: z.number().optional(),
    }),
    answer: async ({ query: { class: named, recent, active, ...query } }, { user }, { stores, clock }) => {
      const journal = stores.events;
      const asked = {
        ...query,
        user: user.role === "user" ? user.id : query.user,
        denied: query.denied || undefined,
        incomplete: query.incomplete || undefined,
        [named !== undefined && COMPLEXITIES.has(named) ? "complexity" : "topic"]: named,
      } as const;
      const { sessions, total, atLeast }: SessionPage =
        active === true ? await onlyActive(stores, asked, clock.now()) : await journal.sessions(asked);
      const shown = await Promise.all(
        sessions.map(async (one) => {
          if (recent === 0) return one;
          const newest = await journal.read({ session: one.session, types: MOMENTS, limit: recent });
          const opener = await openerOf(journal, one.session);
          const moments = newest.events.map(({ event }) => shortened(event)).reverse();
          return { ...one, opener, failed: await failureOf(journal, one.session, moments), recent: moments };
        }),
      );
      const end = query.offset + sessions.length;
      return { sessions: shown, total, atLeast, next: end < total && sessions.length > 0 ? end : undefined };
    },
  }),
  route("GET /api/journal/sessions/{id}", {
    summary: "Show the figures of a session of any runtime; GET /api/events?session=ID has its events",
    roles: ALL,
    response: typed("SessionSummary"),
    answer: ({ params }, caller, api) => findSession(params.id, caller, api),
  }),
  route("GET /api/journal/sessions/{id}/feedback", {
    summary: "List the feedback of a session of any runtime, newest first; `provider` selects one provider's",
    roles: ALL,
    query: page(500).extend({ provider: z.string().max(200).optional() }),
    response: z.object({ feedback: list(typed("Feedback")), next: z.number().optional() }),
    answer: async ({ params: { id: session }, query: { provider, ...query } }, caller, api) => {
      await findSession(session, caller, api);
      return feedbackHistory(api.stores.events, { session, provider, ...query });
    },
  }),
  route("GET /api/stream", {
    summary: "Stream everything that happens",
    roles: READ,
    response: events<UpdateEvents & { contract: Record<never, never>; agent: { readonly agent: string } }>(),
    answer: (_input, _caller, { conversations, contracts, agents }) => ({
      follow(send) {
        const leaving = [
          conversations.updates.subscribe(undefined, (update) => send(updateEvent(update))),
          contracts.onChange(() => send({ name: "contract", data: {} })),
          agents.onChange((agent) => send({ name: "agent", data: { agent } })),
        ];
        return () => {
          for (const leave of leaving) leave();
        };
      },
    }),
  }),
  route("GET /api/sessions/{id}/results/{handle}", {
    summary:
      "Show a page of a truncated result's full text from `offset` on, with secrets redacted; `next` is the offset of the next page. Users see those of their own sessions",
    roles: ALL,
    query: z.object({ offset: integer().default(0), limit: integer(100).max(100_000).default(20_000) }),
    response: z.object({
      handle: z.string(),
      text: z.string(),
      offset: z.number(),
      total: z.number(),
      next: z.number().optional(),
    }),
    answer: async ({ params: { id, handle }, query }, caller, api) => {
      await findSession(id, caller, api);
      const page = await api.shownResults.page(id, handle, query.offset, query.limit);
      if (page === undefined) throw new Problem(404, "RESULT_GONE", "This result is not stored here.", RESULT_FIX);
      const { text, offset, total, nextOffset: next } = page;
      return { handle, text, offset, total, next };
    },
  }),
];

const RESULT_FIX =
  "The daemon and the gateway of a machine store full results for a week, up to 1 GB. Run the tool again to get it.";

/** Another user's session is reported as missing. */
/** Why the newest turn failed. A later message shows that the problem is over. */
async function failureOf(journal: EventJournal, session: string, moments: readonly ConductEvent[]) {
  const { events } = await journal.read({ session, types: ["fault"], limit: 1 });
  const [newest] = events.map(({ event }) => event);
  if (newest?.type !== "fault" || newest.fault.code !== "turn-failed") return undefined;
  const message = moments.findLast(({ type }) => type === "message");
  return message !== undefined && message.seq > newest.seq ? undefined : newest.fault.message;
}

async function findSession(id: string, { user }: Caller, { stores }: ApiContext): Promise<SessionSummary> {
  const session = await stores.events.session(id);
  return found(user.role === "user" && session?.user !== user.id ? undefined : session, `session '${id}'`);
}

/** Sessions that match the query and work on a turn now. They are few, so the filter runs here. */
async function onlyActive(stores: GatewayStores, asked: SessionQuery, now: number) {
  const active = new Set((await activeSessions(stores, now)).map(({ session }) => session));
  const { sessions } = await stores.events.sessions({ ...asked, limit: MOST_ACTIVE, offset: 0 });
  const found = sessions.filter(({ session }) => active.has(session));
  const { offset = 0, limit } = asked;
  return { sessions: found.slice(offset, offset + limit), total: found.length };
}

/** Returns the first message that the agent received, shortened. */
async function openerOf(journal: Pick<EventJournal, "follow">, session: string): Promise<string | undefined> {
  const said = await journal.follow({ session, types: ["message"], after: 0, limit: MOST_OPENERS });
  const first = said.find(({ event }) => event.type === "message" && event.reply === undefined) ?? said[0];
  return first?.event.type === "message" ? cut(first.event.text.trim()) : undefined;
}

function withPosition({ position, event }: KeptEvent): JournalEvent {
  return { position, ...event };
}

/** Truncates long texts, because a list shows many sessions. */
function shortened(event: ConductEvent): ConductEvent {
  const { facts: _facts, ...rest } = event;
  switch (rest.type) {
    case "message": {
      const { notes: _notes, text, reply, ...message } = rest;
      return { ...message, text: cut(text), reply: reply === undefined ? undefined : cut(reply) };
    }
    case "call": {
      const { made: _made, ...call } = rest;
      const { id, tool, args, actions, proves } = rest.call;
      const native = { ...rest.call.native, input: {} };
      return { ...call, call: { id, tool, args: cutArgs(args), actions, proves, paths: [], native } };
    }
    default:
      return rest;
  }
}

function cutArgs(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) => (typeof value === "string" ? [[name, cut(value)]] : [])),
  );
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}
