import { z } from "zod";
import type { SessionClassification } from "../../../../base/words/classification.ts";
import { openPreviews } from "../../../../edge/host/workspace/preview-prompt.ts";
import { findPrompt, readPrompt } from "../../../shared/past-prompt.ts";
import { badInput, found, notFound } from "../problem.ts";
import { route } from "../route.ts";
import { list, page, READ, typed } from "../schemas.ts";

export const promptRoutes = [
  route("POST /api/prompt/preview", {
    summary: "Build the prompt for an agent, user, channel, time and classification, without a model",
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
    answer: async ({ body }, _caller, { agents, conduct, clock, home }) => {
      const { agent, at, classification } = body;
      found(agents.find(agent), `agent '${agent}'`);
      const time = at === undefined ? clock.now() : Date.parse(at);
      if (Number.isNaN(time)) throw badInput(`at: '${at}' is not a time; write it as 2026-11-15T09:00:00Z`);
      const previews = openPreviews({ agents: conduct.agents, plugins: [conduct.contributed], workspace: home, home });
      try {
        // The engine compares topics and tiers as text, so an unknown one matches nothing.
        const asked = classification as (SessionClassification & typeof classification) | undefined;
        const preview = await previews.preview({ ...body, at: time, runtime: "pi", classification: asked });
        return { ...preview.prompt, trace: preview.trace, faults: preview.faults };
      } finally {
        previews.close();
      }
    },
  }),
  route("GET /api/sessions/{id}/prompts", {
    summary: "List the prompts of a session, newest first: sizes and hashes, without their texts",
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
    answer: async ({ params, query }, _caller, { stores }) => {
      const { events, next } = await stores.events.read({ session: params.id, types: ["prompt"], ...query });
      const prompts = events.flatMap(({ event }) => (event.type === "prompt" ? [{ ...event, event: event.id }] : []));
      return { prompts, next };
    },
  }),
  route("GET /api/sessions/{id}/turns/{turn}/prompt", {
    summary: "Show the last prompt of a turn: each section with its text, and the sections left out",
    roles: READ,
    response: typed("PastPrompt"),
    answer: async ({ params }, _caller, { stores }) => {
      const turn = Number(params.turn);
      if (!Number.isSafeInteger(turn) || turn < 0)
        throw badInput(`turn: '${params.turn}' is not a turn number; turns count from 1`);
      const prompt = await findPrompt(stores.events, params.id, turn);
      return readPrompt(stores.events, found(prompt, `prompt of turn ${turn} in session '${params.id}'`));
    },
  }),
  route("GET /api/prompts/{event}", {
    summary: "Show a prompt by the id of its event",
    roles: READ,
    response: typed("PastPrompt"),
    answer: async ({ params }, _caller, { stores }) => {
      const event = (await stores.events.find(params.event))?.event;
      if (event?.type !== "prompt") throw notFound(`prompt '${params.event}'`);
      return readPrompt(stores.events, event);
    },
  }),
];
