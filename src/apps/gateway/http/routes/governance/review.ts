import { z } from "zod";
import { adherenceSince } from "../../../../learning/adherence/measure-adherence.ts";
import { buildDigest, renderDigest } from "../../../../learning/digest/digest.ts";
import { Problem } from "../../problem.ts";
import { route } from "../../route.ts";
import { count, list, OPERATOR, READ, typed } from "../../schemas.ts";
import { reliableState } from "./contract.ts";

const THIRTY_DAYS = 30 * 86_400_000;
/** Maximum number of violations whose session is looked up. */
const MOST_NAMED = 50;

export const reviewRoutes = [
  route("POST /api/review/run", {
    summary: "Review what happened since the last review now; it only proposes",
    roles: OPERATOR,
    response: z.object({ outcome: z.enum(["ran", "nothing"]), record: typed("ReviewRecord").optional() }),
    answer: async (_input, _caller, { review, conduct }) => {
      // The review reads the store: what people said up to now must be there.
      await conduct.flush();
      const record = await review.run();
      if (record === "busy")
        throw new Problem(409, "REVIEW_UNDER_WAY", "A review is already running.", "List the runs in a moment.");
      return {
        outcome: record === "nothing" ? record : "ran",
        record: record === "nothing" ? undefined : record,
      } as const;
    },
  }),
  route("GET /api/review/runs", {
    summary: "List the results of the reviews, newest first, and the time of the next one",
    roles: READ,
    query: z.object({ limit: count(200, 30) }),
    response: z.object({ runs: list(typed("ReviewRecord")), total: z.number(), nextAt: z.number().optional() }),
    answer: async ({ query: { limit } }, _caller, { review }) => {
      const runs = (await review.runs()).toReversed();
      return { runs: runs.slice(0, limit), total: runs.length, nextAt: review.nextAt() };
    },
  }),
  route("GET /api/review/digest", {
    summary: "Show what waits for a decision, as Markdown and as data",
    roles: READ,
    response: z.object({ markdown: z.string(), items: list(typed("DigestItem")), rules: list(z.string()) }),
    answer: async (_input, _caller, { review, contracts, clock }) => {
      const now = clock.now();
      const record = (await review.runs()).at(-1);
      const digest = buildDigest(await reliableState(contracts), now, record);
      return { markdown: renderDigest(digest, now), items: digest.items, rules: digest.rules };
    },
  }),
  route("GET /api/adherence", {
    summary: "Show by day how often directives and rules were followed, with the check used and people's marks",
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
    answer: async ({ query: { since, directive, rule } }, _caller, { stores, contracts, clock }) => {
      const all = await adherenceSince({ ...stores, contracts }, since ?? clock.now() - THIRTY_DAYS);
      const isOfOne = directive !== undefined || rule !== undefined;
      const rows = isOfOne ? all.filter(({ of, id }) => id === (of === "rule" ? rule : directive)) : all;
      const violations = isOfOne ? rows.toReversed().flatMap(({ shown }) => shown.violated.toReversed()) : [];
      const found = await Promise.all(violations.slice(0, MOST_NAMED).map((id) => stores.events.find(id)));
      const sessions = found.flatMap((kept) => (kept === undefined ? [] : [[kept.event.id, kept.event.session]]));
      const { tallies } = await contracts.state();
      return {
        rows,
        sessions: Object.fromEntries(sessions),
        tallies: [...tallies].map(([id, { helpful, harmful }]) => ({ directive: id, helpful, harmful })),
      };
    },
  }),
];
