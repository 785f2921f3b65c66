import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import { buildDigest } from "../../../learning/digest/digest.ts";
import { renderDigest } from "../../../learning/digest/digest-markdown.ts";
import type { ReviewDesk } from "../../review/review-desk.ts";
import { Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";
import { reliableState } from "./reliable-state.ts";

const LOOK = ["operator", "viewer"] as const;

export const reviewRoutes = {
  "POST /api/review/run": {
    summary: "Look at what happened since the last review, now; it proposes, and changes nothing",
    tag: "review",
    roles: ["operator"],
    response: z.object({ outcome: z.enum(["ran", "nothing"]), record: anything.optional() }),
  },
  "GET /api/review/runs": {
    summary: "What the reviews came to, the newest first; when the next one is",
    tag: "review",
    roles: LOOK,
    query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(30) }),
    response: z.object({ runs: z.array(anything), total: z.number(), nextAt: z.number().optional() }),
  },
  "GET /api/review/digest": {
    summary: "What waits for a decision, as Markdown and as data",
    tag: "review",
    roles: LOOK,
    response: z.object({ markdown: z.string(), items: z.array(anything), rules: z.array(z.string()) }),
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
      return record === "nothing" ? { outcome: "nothing" } : { outcome: "ran", record: { ...record } };
    },
    async "GET /api/review/runs"({ query: { limit } }) {
      const runs = (await desk.runs()).toReversed();
      const nextAt = desk.nextAt();
      const shown = runs.slice(0, limit).map((run) => ({ ...run }));
      return { runs: shown, total: runs.length, ...(nextAt === undefined ? {} : { nextAt }) };
    },
    async "GET /api/review/digest"() {
      const now = clock.now();
      const record = (await desk.runs()).at(-1);
      const digest = buildDigest(await reliableState(contracts), now, record);
      const items = digest.items.map((item) => ({ ...item, candidate: { ...item.candidate } }));
      return { markdown: renderDigest(digest, now), items, rules: [...digest.rules] };
    },
  };
}
