import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import { type AdherenceSources, adherenceSince } from "../../../learning/adherence/adherence-since.ts";
import type { RouteHandlers, RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

const THIRTY_DAYS = 30 * 86_400_000;
/** So many violations lead to their session. */
const MOST_NAMED = 50;

export const adherenceRoutes = {
  "GET /api/adherence": {
    summary:
      "How far directives and rules were followed, by day, with the check that told; and what people say of them",
    tag: "contract",
    roles: ["operator", "viewer"],
    query: z.object({
      since: z.coerce.number().optional(),
      directive: z.string().max(100).optional(),
      rule: z.string().max(100).optional(),
    }),
    response: z.object({
      rows: z.array(anything),
      /** Of one directive or rule: the session of each event that shows a violation, the newest days first. */
      sessions: z.record(z.string(), z.string()),
      tallies: z.array(z.object({ directive: z.string(), helpful: z.number(), harmful: z.number() })),
    }),
  },
} satisfies RouteTable;

export function adherenceHandlers(
  sources: AdherenceSources & { readonly clock: Clock },
): RouteHandlers<typeof adherenceRoutes> {
  return {
    async "GET /api/adherence"({ query: { since, directive, rule } }) {
      const all = await adherenceSince(sources, since ?? sources.clock.now() - THIRTY_DAYS);
      const wanted = [directive, rule].some((id) => id !== undefined);
      const rows = all.filter(({ of, id }) => !wanted || id === (of === "rule" ? rule : directive));
      const { tallies } = await sources.contracts.state();
      const marks = [...tallies].map(([id, { helpful, harmful }]) => ({ directive: id, helpful, harmful }));
      const violations = wanted ? rows.toReversed().flatMap(({ shown }) => shown.violated.toReversed()) : [];
      const sessions = await sessionsOf(sources.events, violations.slice(0, MOST_NAMED));
      return { rows: rows.map((row) => ({ ...row })), sessions, tallies: marks };
    },
  };
}

async function sessionsOf(events: AdherenceSources["events"], ids: readonly string[]): Promise<Record<string, string>> {
  const found = await Promise.all(ids.map((id) => events.find(id)));
  return Object.fromEntries(found.flatMap((kept) => (kept === undefined ? [] : [[kept.event.id, kept.event.session]])));
}
