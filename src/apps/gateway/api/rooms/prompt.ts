import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { PromptPreviews } from "../../../../edge/host/preview-prompt.ts";
import { notFound, Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

const LOOK = ["operator", "viewer"] as const;

export const promptRoutes = {
  "POST /api/prompt/preview": {
    summary: "The prompt for an agent, user, channel, time and classification; no model is asked",
    tag: "prompt",
    roles: LOOK,
    body: z.object({
      agent: z.string().min(1),
      user: z.string().optional(),
      channel: z.string().optional(),
      zone: z.string().optional(),
      at: z.string().max(40).optional(),
      classification: z
        .object({
          topic: z.string(),
          complexity: z.string(),
          domain: z.array(z.string()).max(3).default([]),
          flags: z.array(z.string()).max(2).default([]),
        })
        .optional(),
    }),
    response: z.object({
      text: z.string(),
      tokens: z.number(),
      prefixTokens: z.number(),
      hash: z.string(),
      prefixHash: z.string(),
      provenance: z.array(z.string()),
      sections: z.array(anything),
      cuts: z.array(anything),
      trace: z.array(anything),
      faults: z.array(anything),
    }),
  },
} satisfies RouteTable;

export function promptHandlers(
  open: () => PromptPreviews,
  isAgent: (name: string) => boolean,
  clock: Clock,
): RouteHandlers<typeof promptRoutes> {
  return {
    async "POST /api/prompt/preview"({ body }) {
      const { agent, user, channel, zone, at, classification } = body;
      if (!isAgent(agent)) throw notFound(`agent '${agent}'`);
      const time = at === undefined ? clock.now() : Date.parse(at);
      if (Number.isNaN(time))
        throw new Problem(400, "BAD_INPUT", `at: '${at}' is no time; one looks like 2026-11-15T09:00:00Z`);
      const previews = open();
      try {
        const { prompt, trace, faults } = await previews.preview({
          agent,
          at: time,
          runtime: "pi",
          ...(user === undefined ? {} : { user }),
          ...(channel === undefined ? {} : { channel }),
          ...(zone === undefined ? {} : { zone }),
          // What is no topic or tier selects nothing; the engine compares texts.
          ...(classification === undefined ? {} : { classification: classification as never }),
        });
        const { text, tokens, prefixTokens, hash, prefixHash, provenance, sections, cuts } = prompt;
        const plain = (list: readonly object[]) => list.map((one) => ({ ...one }));
        return {
          ...{ text, tokens, prefixTokens, hash, prefixHash, provenance: [...provenance] },
          ...{ sections: plain(sections), cuts: plain(cuts), trace: plain(trace), faults: plain(faults) },
        };
      } finally {
        previews.close();
      }
    },
  };
}
