import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { PromptPreviews } from "../../../../edge/host/workspace/preview-prompt.ts";
import { findPrompt, type PastPrompt, readPrompt } from "../../conversations/past-prompt.ts";
import { notFound, Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything, page } from "../shapes.ts";

const LOOK = ["operator", "viewer"] as const;

const past = z.object({
  event: z.string(),
  session: z.string(),
  agent: z.string(),
  turn: z.number(),
  at: z.number(),
  hash: z.string(),
  prefixHash: z.string(),
  tokens: z.number(),
  prefixTokens: z.number(),
  /** Every byte is as it was; else secrets were taken out, or texts are no longer kept. */
  exact: z.boolean(),
  text: z.string().optional(),
  sections: z.array(
    z.object({
      contributor: z.string(),
      source: z.string().optional(),
      zone: z.string().optional(),
      tokens: z.number(),
      hash: z.string(),
      text: z.string().optional(),
      lines: z.object({ from: z.number(), to: z.number() }).optional(),
      cached: z.boolean(),
    }),
  ),
  cuts: z.array(anything),
  left: z.array(z.object({ contributor: z.string(), reason: z.string(), detail: z.string().optional() })).optional(),
  contract: anything.optional(),
});

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
      mode: z.enum(["full", "minimal", "none"]).optional(),
      think: z.boolean().optional(),
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
  "GET /api/sessions/{id}/prompts": {
    summary: "The prompts of a session, the newest first: sizes and hashes, without their texts",
    tag: "prompt",
    roles: LOOK,
    query: page(500),
    response: z.object({
      prompts: z.array(
        z.object({
          event: z.string(),
          turn: z.number(),
          at: z.number(),
          hash: z.string(),
          prefixHash: z.string(),
          tokens: z.number(),
          prefixTokens: z.number(),
        }),
      ),
      next: z.number().optional(),
    }),
  },
  "GET /api/sessions/{id}/turns/{turn}/prompt": {
    summary:
      "What the agent was told in a turn, the newest prompt of it: each section with its text, and what was left out",
    tag: "prompt",
    roles: LOOK,
    response: past,
  },
  "GET /api/prompts/{event}": {
    summary: "The same by the id of the prompt's event",
    tag: "prompt",
    roles: LOOK,
    response: past,
  },
} satisfies RouteTable;

export type PromptRoomOptions = {
  readonly open: () => PromptPreviews;
  readonly isAgent: (name: string) => boolean;
  readonly journal: EventJournal;
  readonly clock: Clock;
};

export function promptHandlers({
  open,
  isAgent,
  journal,
  clock,
}: PromptRoomOptions): RouteHandlers<typeof promptRoutes> {
  return {
    async "GET /api/sessions/{id}/prompts"({ params, query: { limit, before } }) {
      const { events, next } = await journal.read({
        session: params.id,
        types: ["prompt"],
        limit,
        ...(before === undefined ? {} : { before }),
      });
      const prompts = events.flatMap(({ event }) => {
        if (event.type !== "prompt") return [];
        const { id, turn, at, hash, prefixHash, tokens, prefixTokens } = event;
        return [{ event: id, turn, at, hash, prefixHash, tokens, prefixTokens }];
      });
      return { prompts, ...(next === undefined ? {} : { next }) };
    },
    async "GET /api/sessions/{id}/turns/{turn}/prompt"({ params }) {
      const turn = Number(params.turn);
      if (!Number.isSafeInteger(turn) || turn < 0)
        throw new Problem(400, "BAD_INPUT", `turn: '${params.turn}' is no turn; they count from 1`);
      const found = await findPrompt(journal, params.id, turn);
      if (found === undefined) throw notFound(`prompt of turn ${turn} in session '${params.id}'`);
      return shown(await readPrompt(journal, found));
    },
    async "GET /api/prompts/{event}"({ params }) {
      const found = (await journal.find(params.event))?.event;
      if (found?.type !== "prompt") throw notFound(`prompt '${params.event}'`);
      return shown(await readPrompt(journal, found));
    },
    async "POST /api/prompt/preview"({ body }) {
      const { agent, user, channel, zone, at, mode, think, classification } = body;
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
          ...(mode === undefined ? {} : { mode }),
          ...(think === undefined ? {} : { think }),
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

function shown({ sections, cuts, left, contract, ...rest }: PastPrompt): z.output<typeof past> {
  return {
    ...rest,
    sections: sections.map((one) => ({ ...one })),
    cuts: cuts.map((one) => ({ ...one })),
    ...(left === undefined ? {} : { left: left.map((one) => ({ ...one })) }),
    ...(contract === undefined ? {} : { contract: { ...contract } }),
  };
}
