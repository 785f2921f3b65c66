import { z } from "zod";
import type { EventJournal, Figures, FiguresQuery } from "../../../../base/ports/stores/event-journal.ts";
import { addFigures, HOUR_MS, NO_FIGURES } from "../../../../engine/journal/session-figures.ts";
import { badInput } from "../problem.ts";
import { route } from "../route.ts";
import { count, list, READ, typed } from "../schemas.ts";
import { activeSessions } from "./active-sessions.ts";

const DAY_MS = 24 * HOUR_MS;
/** Maximum number of points in one chart. */
const MOST_BUCKETS = 1_000;

export type Bucket = {
  readonly at: number;
  readonly all: Figures;
  readonly agents: readonly (Figures & { readonly agent: string })[];
};

/** `day` is in UTC: 2026-11-15. */
export type FiguresOfDay = Figures & { readonly day: string };

const by = z.enum(["hour", "day"]);

export const figureRoutes = [
  route("GET /api/overview", {
    summary: "Show the figures of each day",
    roles: READ,
    query: z.object({ days: count(31, 7) }),
    response: z.object({
      days: list(typed("FiguresOfDay")),
      sessions: list(typed("SessionSummary")),
      active: z.number(),
    }),
    answer: async ({ query }, _caller, { stores, clock }) => {
      const now = clock.now();
      const since = now - (query.days - 1) * DAY_MS;
      const buckets = await bucketsOf(stores.events, { by: "day", since, until: now });
      const { sessions } = await stores.events.sessions({ limit: 200, since: now - DAY_MS });
      const active = (await activeSessions(stores, now)).length;
      const days = buckets.map(({ at, all }) => ({ day: new Date(at).toISOString().slice(0, 10), ...all }));
      return { days, sessions: sessions.slice(0, 20), active };
    },
  }),
  route("GET /api/figures", {
    summary:
      "Show the figures of each hour or day (UTC), oldest first, in total and by agent; the last 24 hours or 30 days by default",
    roles: READ,
    query: z.object({
      by: by.default("day"),
      since: z.coerce.number().min(0).optional(),
      until: z.coerce.number().min(0).optional(),
      agent: z.string().optional(),
    }),
    response: z.object({ by, buckets: list(typed("Bucket")), total: typed("Figures") }),
    answer: async ({ query }, _caller, { stores, clock }) => {
      const { by, agent, until = clock.now() } = query;
      const span = by === "day" ? DAY_MS : HOUR_MS;
      const { since = until - (by === "day" ? 29 : 23) * span } = query;
      if (since > until) throw badInput("since: must not be after until");
      if ((until - since) / span > MOST_BUCKETS)
        throw badInput(
          `since: at most ${MOST_BUCKETS} ${by}s at once`,
          by === "hour" ? "Use by=day, or a shorter time." : "Use a shorter time.",
        );
      const buckets = await bucketsOf(stores.events, { by, since, until, agent });
      return { by, buckets, total: sumOf(buckets.map(({ all }) => all)) };
    },
  }),
];

/** Returns every hour or day (UTC) from `since` to `until`, oldest first, including empty ones. */
async function bucketsOf(journal: Pick<EventJournal, "figures">, query: FiguresQuery): Promise<readonly Bucket[]> {
  const { since, until, by } = query;
  const span = by === "day" ? DAY_MS : HOUR_MS;
  const found = Map.groupBy(await journal.figures(query), ({ at }) => at);
  const buckets: Bucket[] = [];
  for (let at = Math.floor(since / span) * span; at <= until; at += span) {
    const agents = (found.get(at) ?? []).map(({ at: _at, ...figures }) => figures);
    buckets.push({ at, all: sumOf(agents), agents });
  }
  return buckets;
}

function sumOf(figures: readonly Figures[]): Figures {
  return figures.reduce<Figures>((sum, one) => addFigures(sum, one), NO_FIGURES);
}
