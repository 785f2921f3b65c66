import { z } from "zod";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { ShownResults } from "../../conversations/shown-results.ts";
import { notFound, Problem, type RouteHandlers, type RouteTable } from "../route.ts";

export const resultRoutes = {
  "GET /api/sessions/{id}/results/{handle}": {
    summary:
      "A result that was cut, whole: a page of its text from `offset` on, without its secrets; `next` is where the rest begins. A user sees those of their own sessions",
    tag: "sessions",
    roles: ["operator", "user", "viewer"],
    query: z.object({
      /** Characters, of the text as it is shown. */
      offset: z.coerce.number().int().min(0).default(0),
      limit: z.coerce.number().int().min(100).max(100_000).default(20_000),
    }),
    response: z.object({
      handle: z.string(),
      text: z.string(),
      offset: z.number(),
      total: z.number(),
      next: z.number().optional(),
    }),
  },
} satisfies RouteTable;

export function resultHandlers(
  results: ShownResults,
  journal: Pick<EventJournal, "session">,
): RouteHandlers<typeof resultRoutes> {
  return {
    async "GET /api/sessions/{id}/results/{handle}"({ params, query }, { user }) {
      const session = await journal.session(params.id);
      // What is somebody else's is not there.
      if (session === undefined || (user.role === "user" && session.user !== user.id))
        throw notFound(`session '${params.id}'`);
      const page = await results.page(params.id, params.handle, query.offset, query.limit);
      if (page === undefined)
        throw new Problem(404, "RESULT_GONE", "This result is not kept here, or no longer.", {
          fix: "Whole results are kept for a week, within 1 GB, by the daemon and the gateway of this machine. Run the tool again to have it.",
        });
      const { text, offset, total, nextOffset } = page;
      return { handle: params.handle, text, offset, total, ...(nextOffset === undefined ? {} : { next: nextOffset }) };
    },
  };
}
