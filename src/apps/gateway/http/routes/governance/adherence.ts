import { z } from "zod";
import type { Clock } from "../../../../../base/ports/clock.ts";
import { type AdherenceSources, adherenceSince } from "../../../../learning/adherence/adherence-since.ts";
import type { RouteHandlers, RouteTable } from "../../route.ts";
import { list, READ, typed } from "../../schemas.ts";

const THIRTY_DAYS = 30 * 86_400_000;
/** Maximum number of violations whose session is looked up. */
const MOST_NAMED = 50;

export const adherenceRoutes = {
  "GET /api/adherence": {
    summary:
      "How far directives and rules were followed, by day, with the check that told; and what people say of them",
    tag: "contract",
    roles: READ,
    query: z.object({
      since: z.coerce.number().optional(),
      directive: z.string().max(100).optional(),
      rule: z.string().max(100).optional(),
    }),
    response: z.object({
      rows: list(typed("AdherenceRow")),
      /** Only for a single directive or rule: the session of each violating event, newest days first. */
      sessions: z.record(z.string(), z.string()),
      tallies: list(z.object({ directive: z.string(), helpful: z.number(), harmful: z.number() })),
    }),
  },
} satisfies RouteTable;

export function adherenceHandlers(
  sources: AdherenceSources & { readonly clock: Clock },
): RouteHandlers<typeof adherenceRoutes> {
  const { events, contracts, clock } = sources;
  return {
    async "GET /api/adherence"({ query: { since, directive, rule } }) {
      const all = await adherenceSince(sources, since ?? clock.now() - THIRTY_DAYS);
      const isOfOne = directive !== undefined || rule !== undefined;
      const rows = isOfOne ? all.filter(({ of, id }) => id === (of === "rule" ? rule : directive)) : all;
      const violations = isOfOne ? rows.toReversed().flatMap(({ shown }) => shown.violated.toReversed()) : [];
      const found = await Promise.all(violations.slice(0, MOST_NAMED).map((id) => events.find(id)));
      const sessions = found.flatMap((kept) => (kept === undefined ? [] : [[kept.event.id, kept.event.session]]));
      const { tallies } = await contracts.state();
      return {
        rows,
        sessions: Object.fromEntries(sessions),
        tallies: [...tallies].map(([id, { helpful, harmful }]) => ({ directive: id, helpful, harmful })),
      };
    },
  };
}
