import { z } from "zod";
import type { Clock } from "../../../../../base/ports/clock.ts";
import type { ContractService } from "../../../../../engine/governance/contract-service.ts";
import { buildDigest } from "../../../../learning/digest/digest.ts";
import { renderDigest } from "../../../../learning/digest/digest-markdown.ts";
import type { ReviewDesk } from "../../../review/review-desk.ts";
import { Problem } from "../../problem.ts";
import type { RouteHandlers, RouteTable } from "../../route.ts";
import { count, list, OPERATOR, READ, typed } from "../../schemas.ts";
import { reliableState } from "./contract.ts";

export const reviewRoutes = {
  "POST /api/review/run": {
    summary: "Look at what happened since the last review, now; it proposes, and changes nothing",
    tag: "review",
    roles: OPERATOR,
    response: z.object({ outcome: z.enum(["ran", "nothing"]), record: typed("ReviewRecord").optional() }),
  },
  "GET /api/review/runs": {
    summary: "What the reviews came to, the newest first; when the next one is",
    tag: "review",
    roles: READ,
    query: z.object({ limit: count(200, 30) }),
    response: z.object({ runs: list(typed("ReviewRecord")), total: z.number(), nextAt: z.number().optional() }),
  },
  "GET /api/review/digest": {
    summary: "What waits for a decision, as Markdown and as data",
    tag: "review",
    roles: READ,
    response: z.object({ markdown: z.string(), items: list(typed("DigestItem")), rules: list(z.string()) }),
  },
} satisfies RouteTable;

export function reviewHandlers(
  desk: ReviewDesk,
  contracts: ContractService,
  clock: Clock,
): RouteHandlers<typeof reviewRoutes> {
  return {
    async "POST /api/review/run"() {
      const record = await desk.run();
      if (record === "busy") {
        const fix = "Look at the runs in a moment.";
        throw new Problem(409, "REVIEW_UNDER_WAY", "A review is under way already.", { fix });
      }
      return record === "nothing" ? { outcome: "nothing" } : { outcome: "ran", record };
    },
    async "GET /api/review/runs"({ query: { limit } }) {
      const runs = (await desk.runs()).toReversed();
      return { runs: runs.slice(0, limit), total: runs.length, nextAt: desk.nextAt() };
    },
    async "GET /api/review/digest"() {
      const now = clock.now();
      const record = (await desk.runs()).at(-1);
      const digest = buildDigest(await reliableState(contracts), now, record);
      return { markdown: renderDigest(digest, now), items: digest.items, rules: digest.rules };
    },
  };
}
