import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { EventJournal, Figures } from "../../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import { addFigures, NO_FIGURES } from "../../../../engine/journal/event-figures.ts";
import { whyFacts } from "../../../cli/commands/why/facts.ts";
import type { Agents } from "../../agents/agents.ts";
import { briefOf, MOMENTS } from "../../brief-event.ts";
import type { Conversations } from "../../conversations/conversations.ts";
import { bucketsOf, dayOf } from "../../overview.ts";
import { notFound, Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";
import { updateEvent } from "../streams/update-event.ts";

const LOOK = ["operator", "viewer"] as const;
const DAY = 86_400_000;

const HOUR = 3_600_000;
const COMPLEXITIES: ReadonlySet<string> = new Set(["trivial", "simple", "moderate", "hard", "complex"]);
/** So many points a chart may have. */
const MOST_BUCKETS = 1_000;

const figures = z.object({
  calls: z.number(),
  denials: z.number(),
  asked: z.number(),
  stopsRefused: z.number(),
  prompts: z.number(),
  promptTokens: z.number(),
  stableTokens: z.number(),
  tokensSaved: z.number(),
});
const summary = z.object({
  session: z.string(),
  parent: z.string().optional(),
  agent: z.string(),
  user: z.string().optional(),
  channel: z.string().optional(),
  label: z.string().optional(),
  topic: z.string().optional(),
  complexity: z.string().optional(),
  startedAt: z.number(),
  lastAt: z.number(),
  ended: z.boolean(),
  turns: z.number(),
  prompts: z.number(),
  calls: z.number(),
  denials: z.number(),
  stopsRefused: z.number(),
  incomplete: z.number(),
  tokens: z.number(),
});
const seen = z.object({
  /** `early`: before the rule was there that asks for it. */
  kind: z.enum(["ok", "early", "failed", "never"]),
  name: z.string(),
  at: z.number().optional(),
  outcome: z.string().optional(),
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
      /** Prompts that told the contract with this hash, or one that begins so. */
      contract: z.string().max(100).optional(),
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
  "GET /api/decisions/{id}/why": {
    summary:
      "The same for an event's id too: with what the session had proven by then, what was in force, and the answers",
    tag: "journal",
    roles: LOOK,
    response: z.object({
      event: anything,
      answers: z.array(anything),
      session: summary.optional(),
      needed: z.array(z.object({ what: z.string(), why: z.string(), seen: seen.optional() })),
      there: z.array(z.object({ name: z.string(), at: z.number() })),
      /** The rule was added in the middle of the session, and goes by what was done from `countsFrom` on. */
      late: z.object({ rule: z.string(), addedAt: z.number(), countsFrom: z.number() }).optional(),
      modes: z.object({ think: z.boolean(), verbose: z.boolean(), elevated: z.boolean() }).optional(),
      contract: z
        .object({
          hash: z.string(),
          version: z.number().optional(),
          directives: z.number().optional(),
          degraded: z.literal(true).optional(),
        })
        .optional(),
    }),
  },
  "GET /api/overview": {
    summary: "Figures by day",
    tag: "journal",
    roles: LOOK,
    query: z.object({ days: z.coerce.number().int().min(1).max(31).default(7) }),
    response: z.object({
      days: z.array(figures.extend({ day: z.string() })),
      sessions: z.array(anything),
      active: z.number(),
    }),
  },
  "GET /api/figures": {
    summary:
      "What happened by hour or day (UTC), the oldest first, of all agents and of each; the last 24 hours or 30 days unless told",
    tag: "journal",
    roles: LOOK,
    query: z.object({
      by: z.enum(["hour", "day"]).default("day"),
      since: z.coerce.number().min(0).optional(),
      until: z.coerce.number().min(0).optional(),
      agent: z.string().optional(),
    }),
    response: z.object({
      by: z.enum(["hour", "day"]),
      buckets: z.array(
        z.object({ at: z.number(), all: figures, agents: z.array(figures.extend({ agent: z.string() })) }),
      ),
      total: figures,
    }),
  },
  "GET /api/journal/sessions": {
    summary:
      "Sessions of every runtime as the journal has them, the newest first; `parent` wants the subagents' sessions right below one, `class` is a topic or a complexity, `text` searches what happened in them; `until` wants an event in that time, a denied one with `denied`; `recent` gives so many of the newest moments of each, their texts cut short; a user sees their own",
    tag: "journal",
    roles: ["operator", "user", "viewer"],
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
      recent: z.coerce.number().int().min(0).max(50).default(0),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    response: z.object({
      sessions: z.array(summary.extend({ recent: z.array(anything).optional() })),
      total: z.number(),
      next: z.number().optional(),
    }),
  },
  "GET /api/journal/sessions/{id}": {
    summary: "One session in figures, of whichever runtime; what happened in it: GET /api/events?session=ID",
    tag: "journal",
    roles: ["operator", "user", "viewer"],
    response: summary,
  },
  "GET /api/stream": { summary: "Live: everything that happens", tag: "journal", roles: LOOK, response: "events" },
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
    async "GET /api/events"({ query }) {
      const { text, agent, channel, session, denied, contract, limit, before } = query;
      const { events, next } = await journal.read({
        limit,
        ...(text === undefined || text.trim() === "" ? {} : { text }),
        ...(agent === undefined ? {} : { agent }),
        ...(channel === undefined ? {} : { channel }),
        ...(session === undefined ? {} : { session }),
        ...(denied === true ? { denied: true as const } : {}),
        ...(contract === undefined ? {} : { contract }),
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
    async "GET /api/decisions/{id}/why"({ params }) {
      const decided = await journal.findDecision(params.id);
      const first = decided[0] ?? (await journal.find(params.id));
      if (first === undefined) throw notFound(`decision, approval or event '${params.id}'`);
      const { position, event } = first;
      const asked = event.type === "call" && event.decision.kind === "ask" ? event.decision.approval : undefined;
      const rest = asked === undefined ? decided : await journal.findDecision(asked);
      const { session, needed, there, late, inForce } = await whyFacts(journal, governance, first);
      return {
        event: { position, ...event },
        answers: rest
          .filter((one) => one.event.id !== event.id)
          .map((one) => ({ position: one.position, ...one.event })),
        ...(session === undefined ? {} : { session }),
        needed: needed.map(({ missing, seen }) => ({ ...missing, ...(seen === undefined ? {} : { seen }) })),
        there: there.map(({ name, at }) => ({ name, at })),
        ...(late === undefined ? {} : { late: { ...late } }),
        ...inForce,
      };
    },
    async "GET /api/overview"({ query }) {
      const now = clock.now();
      const buckets = await bucketsOf(journal, { by: "day", since: now - (query.days - 1) * DAY, until: now });
      const { sessions } = await journal.sessions({ limit: 200, since: now - DAY });
      const active = sessions.filter(({ ended, lastAt }) => !ended && lastAt > now - HOUR).length;
      const days = buckets.map(({ at, all }) => ({ day: dayOf(at), ...all }));
      return { days, sessions: sessions.slice(0, 20).map((one) => ({ ...one })), active };
    },
    async "GET /api/figures"({ query }) {
      const { by, agent, until = clock.now() } = query;
      const span = by === "day" ? DAY : HOUR;
      const { since = until - (by === "day" ? 29 : 23) * span } = query;
      if (since > until) throw new Problem(400, "BAD_INPUT", "since: it lies after until");
      if ((until - since) / span > MOST_BUCKETS)
        throw new Problem(400, "BAD_INPUT", `since: at most ${MOST_BUCKETS} ${by}s at once`, {
          fix: by === "hour" ? "Ask by day, or for less." : "Ask for less.",
        });
      const range = { by, since, until, ...(agent === undefined ? {} : { agent }) };
      const buckets = await bucketsOf(journal, range);
      const total = buckets.reduce<Figures>((sum, { all }) => addFigures(sum, all), NO_FIGURES);
      return { by, buckets: buckets.map((one) => ({ ...one, agents: [...one.agents] })), total };
    },
    async "GET /api/journal/sessions"({ query }, caller) {
      const { parent, agent, channel, class: named, denied, incomplete, text, since, until } = query;
      const { recent, limit, offset } = query;
      const user = caller.user.role === "user" ? caller.user.id : query.user;
      const { sessions, total } = await journal.sessions({
        limit,
        offset,
        ...(parent === undefined ? {} : { parent }),
        ...(agent === undefined ? {} : { agent }),
        ...(channel === undefined ? {} : { channel }),
        ...(user === undefined ? {} : { user }),
        ...(named === undefined ? {} : COMPLEXITIES.has(named) ? { complexity: named } : { topic: named }),
        ...(denied === true ? { denied: true as const } : {}),
        ...(incomplete === true ? { incomplete: true as const } : {}),
        ...(text === undefined || text.trim() === "" ? {} : { text }),
        ...(since === undefined ? {} : { since }),
        ...(until === undefined ? {} : { until }),
      });
      const end = offset + sessions.length;
      const shown = await Promise.all(
        sessions.map(async (one) => {
          if (recent === 0) return one;
          const { events } = await journal.read({ session: one.session, types: MOMENTS, limit: recent });
          return { ...one, recent: events.map(({ event }) => ({ ...briefOf(event) })).reverse() };
        }),
      );
      return { sessions: shown, total, ...(end < total && sessions.length > 0 ? { next: end } : {}) };
    },
    async "GET /api/journal/sessions/{id}"({ params }, caller) {
      const found = await journal.session(params.id);
      if (found === undefined || (caller.user.role === "user" && found.user !== caller.user.id))
        throw notFound(`session '${params.id}'`);
      return found;
    },
    "GET /api/stream": async () => ({
      follow(send) {
        const leave = conversations.updates.subscribe(undefined, (update) => send(updateEvent(update)));
        const unhear = contracts.onChange(() => send({ name: "contract", data: {} }));
        const unwatch = agents.onChange((agent) => send({ name: "agent", data: { agent } }));
        return () => {
          leave();
          unhear();
          unwatch();
        };
      },
    }),
  };
}
