import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { EventJournal } from "../../../../base/ports/event-journal.ts";
import type { Conversations } from "../../conversations.ts";
import { overview } from "../../overview.ts";
import { notFound, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

const LOOK = ["operator", "viewer"] as const;
const DAY = 86_400_000;

const day = z.object({
  day: z.string(),
  calls: z.number(),
  denials: z.number(),
  asked: z.number(),
  stopsRefused: z.number(),
  prompts: z.number(),
  tokensSaved: z.number(),
  promptTokens: z.number(),
  stableTokens: z.number(),
});

export const journalRoutes = {
  "GET /api/events": {
    summary: "Search all that was kept, the newest first",
    tag: "journal",
    roles: LOOK,
    query: z.object({
      text: z.string().max(200).optional(),
      agent: z.string().optional(),
      channel: z.string().optional(),
      session: z.string().optional(),
      denied: z.stringbool().optional(),
      limit: z.coerce.number().int().min(1).max(500).default(50),
      before: z.coerce.number().optional(),
    }),
    response: z.object({ events: z.array(anything), next: z.number().optional() }),
  },
  "GET /api/decisions/{id}": {
    summary: "Why: a decision or approval by its id, with all that is known of it",
    tag: "journal",
    roles: LOOK,
    response: z.object({ events: z.array(anything) }),
  },
  "GET /api/overview": {
    summary: "Figures by day",
    tag: "journal",
    roles: LOOK,
    query: z.object({ days: z.coerce.number().int().min(1).max(31).default(7) }),
    response: z.object({ days: z.array(day), sessions: z.array(anything), active: z.number() }),
  },
  "GET /api/stream": { summary: "Live: everything that happens", tag: "journal", roles: LOOK, response: "events" },
} satisfies RouteTable;

export function journalHandlers(
  journal: EventJournal,
  conversations: Conversations,
  clock: Clock,
): RouteHandlers<typeof journalRoutes> {
  return {
    async "GET /api/events"({ query }) {
      const { text, agent, channel, session, denied, limit, before } = query;
      const { events, next } = await journal.read({
        limit,
        ...(text === undefined || text.trim() === "" ? {} : { text }),
        ...(agent === undefined ? {} : { agent }),
        ...(channel === undefined ? {} : { channel }),
        ...(session === undefined ? {} : { session }),
        ...(denied === true ? { denied: true as const } : {}),
        ...(before === undefined ? {} : { before }),
      });
      const shown = events.map(({ position, event }) => ({ position, ...event }));
      return { events: shown, ...(next === undefined ? {} : { next }) };
    },
    async "GET /api/decisions/{id}"({ params }) {
      const found = await journal.findDecision(params.id);
      if (found.length === 0) throw notFound(`decision '${params.id}'`);
      return { events: found.map(({ position, event }) => ({ position, ...event })) };
    },
    async "GET /api/overview"({ query }) {
      const now = clock.now();
      const days = await overview(journal, now, query.days);
      const { sessions } = await journal.sessions({ limit: 200, since: now - DAY });
      const active = sessions.filter(({ ended, lastAt }) => !ended && lastAt > now - 3_600_000).length;
      return { days: [...days], sessions: sessions.slice(0, 20).map((one) => ({ ...one })), active };
    },
    "GET /api/stream": async () => ({
      follow: (send) => conversations.updates.subscribe(undefined, ({ kind, ...data }) => send({ name: kind, data })),
    }),
  };
}
