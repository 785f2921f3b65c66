import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { SessionClassification } from "../../../../base/words/classification.ts";
import type { PromptPreviews } from "../../../../edge/host/workspace/preview-prompt.ts";
import { findPrompt, readPrompt } from "../../../shared/past-prompt.ts";
import { badInput, notFound } from "../problem.ts";
import type { RouteHandlers, RouteTable } from "../route.ts";
import { list, page, READ, typed } from "../schemas.ts";

export const promptRoutes = {
  "POST /api/prompt/preview": {
    summary: "The prompt for an agent, user, channel, time and classification; no model is asked",
    tag: "prompt",
    roles: READ,
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
    response: typed("PromptPreview"),
  },
  "GET /api/sessions/{id}/prompts": {
    summary: "The prompts of a session, the newest first: sizes and hashes, without their texts",
    tag: "prompt",
    roles: READ,
    query: page(500),
    response: z.object({
      prompts: list(
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
    roles: READ,
    response: typed("PastPrompt"),
  },
  "GET /api/prompts/{event}": {
    summary: "The same by the id of the prompt's event",
    tag: "prompt",
    roles: READ,
    response: typed("PastPrompt"),
  },
} satisfies RouteTable;

export type PromptRoutesOptions = {
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
}: PromptRoutesOptions): RouteHandlers<typeof promptRoutes> {
  return {
    async "GET /api/sessions/{id}/prompts"({ params, query }) {
      const { events, next } = await journal.read({ session: params.id, types: ["prompt"], ...query });
      const prompts = events.flatMap(({ event }) => (event.type === "prompt" ? [{ ...event, event: event.id }] : []));
      return { prompts, next };
    },
    async "GET /api/sessions/{id}/turns/{turn}/prompt"({ params }) {
      const turn = Number(params.turn);
      if (!Number.isSafeInteger(turn) || turn < 0)
        throw badInput(`turn: '${params.turn}' is no turn; they count from 1`);
      const found = await findPrompt(journal, params.id, turn);
      if (found === undefined) throw notFound(`prompt of turn ${turn} in session '${params.id}'`);
      return readPrompt(journal, found);
    },
    async "GET /api/prompts/{event}"({ params }) {
      const found = (await journal.find(params.event))?.event;
      if (found?.type !== "prompt") throw notFound(`prompt '${params.event}'`);
      return readPrompt(journal, found);
    },
    async "POST /api/prompt/preview"({ body }) {
      const { agent, at, classification } = body;
      if (!isAgent(agent)) throw notFound(`agent '${agent}'`);
      const time = at === undefined ? clock.now() : Date.parse(at);
      if (Number.isNaN(time)) throw badInput(`at: '${at}' is no time; one looks like 2026-11-15T09:00:00Z`);
      const previews = open();
      try {
        // The engine compares topics and tiers as text, so an unknown one matches nothing.
        const asked = classification as (SessionClassification & typeof classification) | undefined;
        const preview = await previews.preview({ ...body, at: time, runtime: "pi", classification: asked });
        return { ...preview.prompt, trace: preview.trace, faults: preview.faults };
      } finally {
        previews.close();
      }
    },
  };
}
