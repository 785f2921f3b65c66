import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { EventJournal, KeptEvent } from "../../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import type { ConductEvent, Moment } from "../../../../base/words/event.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import { whyFacts } from "../../../shared/why-facts.ts";
import type { Agents } from "../../agents/agents.ts";
import type { Conversations } from "../../conversations/conversations.ts";
import { notFound } from "../problem.ts";
import type { JournalEvent } from "../response-types.ts";
import { events, type RouteHandlers, type RouteTable } from "../route.ts";
import { ALL, count, integer, list, page, READ, typed } from "../schemas.ts";
import { type UpdateEvents, updateEvent } from "../streams/event-stream.ts";
import { figureHandlers, figureRoutes } from "./figures.ts";

const MOMENTS: readonly Moment[] = ["message", "prompt", "call", "result", "stop"];
const COMPLEXITIES: ReadonlySet<string> = new Set(["trivial", "simple", "moderate", "hard", "complex"]);
/** Maximum length of a text in the list of sessions. */
const LONGEST = 200;

export const journalRoutes = {
  ...figureRoutes,
  "GET /api/events": {
    summary: "Search all that was kept, the newest first",
    tag: "journal",
    roles: READ,
    query: page(500).extend({
      text: z.string().max(200).optional(),
      agent: z.string().optional(),
      channel: z.string().optional(),
      session: z.string().optional(),
      denied: z.stringbool().optional(),
      /** The hash, or a prefix of it, of the contract in a prompt. */
      contract: z.string().max(100).optional(),
    }),
    response: z.object({ events: list(typed("JournalEvent")), next: z.number().optional() }),
  },
  "GET /api/decisions/{id}": {
    summary: "Why: a decision or approval by its id, with all that is known of it",
    tag: "journal",
    roles: READ,
    response: z.object({ events: list(typed("JournalEvent")) }),
  },
  "GET /api/decisions/{id}/why": {
    summary:
      "The same for an event's id too: with what the session had proven by then, what was in force, and the answers",
    tag: "journal",
    roles: READ,
    response: typed("Why"),
  },
  "GET /api/journal/sessions": {
    summary:
      "Sessions of every runtime as the journal has them, the newest first; `parent` wants the subagents' sessions right below one, `class` is a topic or a complexity, `text` searches what happened in them; `until` wants an event in that time, a denied one with `denied`; `recent` gives so many of the newest moments of each, their texts cut short; a user sees their own",
    tag: "journal",
    roles: ALL,
    query: z.object({
      parent: z.string().optional(),
      agent: z.string().optional(),
      channel: z.string().optional(),
      user: z.string().optional(),
      class: z.string().max(100).optional(),
      denied: z.stringbool().optional(),
      incomplete: z.stringbool().optional(),
      text: z.string().max(200).optional(),
      since: z.coerce.number().optional(),
      until: z.coerce.number().optional(),
      recent: integer().max(50).default(0),
      limit: count(200, 50),
      offset: integer().default(0),
    }),
    response: z.object({ sessions: list(typed("SessionShown")), total: z.number(), next: z.number().optional() }),
  },
  "GET /api/journal/sessions/{id}": {
    summary: "One session in figures, of whichever runtime; what happened in it: GET /api/events?session=ID",
    tag: "journal",
    roles: ALL,
    response: typed("SessionSummary"),
  },
  "GET /api/stream": {
    summary: "Live: everything that happens",
    tag: "journal",
    roles: READ,
    response: events<UpdateEvents & { contract: Record<never, never>; agent: { readonly agent: string } }>(),
  },
} satisfies RouteTable;

export function journalHandlers(
  journal: EventJournal,
  governance: Pick<GovernanceJournal, "read">,
  conversations: Conversations,
  clock: Clock,
  contracts: Pick<ContractService, "onChange">,
  agents: Pick<Agents, "onChange">,
): RouteHandlers<typeof journalRoutes> {
  return {
    ...figureHandlers(journal, clock),
    async "GET /api/events"({ query }) {
      const { events: found, next } = await journal.read({
        ...query,
        text: searched(query.text),
        denied: query.denied || undefined,
      });
      return { events: found.map(withPosition), next };
    },
    async "GET /api/decisions/{id}"({ params }) {
      const found = await journal.findDecision(params.id);
      if (found.length === 0) throw notFound(`decision '${params.id}'`);
      return { events: found.map(withPosition) };
    },
    async "GET /api/decisions/{id}/why"({ params }) {
      const decided = await journal.findDecision(params.id);
      const first = decided[0] ?? (await journal.find(params.id));
      if (first === undefined) throw notFound(`decision, approval or event '${params.id}'`);
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
    async "GET /api/journal/sessions"({ query: { class: named, recent, ...query } }, { user }) {
      const { sessions, total } = await journal.sessions({
        ...query,
        user: user.role === "user" ? user.id : query.user,
        text: searched(query.text),
        denied: query.denied || undefined,
        incomplete: query.incomplete || undefined,
        [named !== undefined && COMPLEXITIES.has(named) ? "complexity" : "topic"]: named,
      });
      const shown = await Promise.all(
        sessions.map(async (one) => {
          if (recent === 0) return one;
          const newest = await journal.read({ session: one.session, types: MOMENTS, limit: recent });
          return { ...one, recent: newest.events.map(({ event }) => shortened(event)).reverse() };
        }),
      );
      const end = query.offset + sessions.length;
      return { sessions: shown, total, next: end < total && sessions.length > 0 ? end : undefined };
    },
    async "GET /api/journal/sessions/{id}"({ params }, { user }) {
      const found = await journal.session(params.id);
      if (found === undefined || (user.role === "user" && found.user !== user.id))
        throw notFound(`session '${params.id}'`);
      return found;
    },
    "GET /api/stream": () => ({
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
  };
}

function withPosition({ position, event }: KeptEvent): JournalEvent {
  return { position, ...event };
}

/** Returns `undefined` for blank text. */
function searched(text: string | undefined): string | undefined {
  return text?.trim() === "" ? undefined : text;
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
