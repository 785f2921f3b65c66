import { z } from "zod";
import { Problem } from "../../problem.ts";
import { route } from "../../route.ts";
import { count, list, OPERATOR, READ } from "../../schemas.ts";

const state = z.enum(["waiting", "delivered", "failed"]);
const webhook = z.object({ name: z.string(), url: z.string(), events: list(z.string()) });
const delivery = z.object({
  id: z.string(),
  webhook: z.string(),
  type: z.string(),
  at: z.number(),
  state,
  attempts: z.number(),
  nextAt: z.number().optional(),
  result: z.string().optional(),
  body: z.string(),
});

export const webhookRoutes = [
  route("GET /api/webhooks", {
    summary: "List the outgoing webhooks of conduct.yaml",
    roles: READ,
    response: z.object({ webhooks: list(webhook) }),
    answer: async (_input, _caller, { webhooks }) => ({
      webhooks: (webhooks?.list ?? []).map(({ name, url, topics }) => ({ name, url, events: topics })),
    }),
  }),
  route("GET /api/webhooks/deliveries", {
    summary: "List what was sent to webhooks, and what waits to be sent, newest first",
    roles: READ,
    query: z.object({ limit: count(200, 50), webhook: z.string().max(100).optional(), state: state.optional() }),
    response: z.object({ deliveries: list(delivery) }),
    answer: async ({ query }, _caller, { stores }) => ({
      deliveries: (await stores.deliveries.list(query)).map(({ nextAt, ...rest }) => ({
        ...rest,
        nextAt: rest.state === "waiting" ? nextAt : undefined,
      })),
    }),
  }),
  route("POST /api/webhooks/deliveries/{id}/retry", {
    summary: "Send a delivery again",
    roles: OPERATOR,
    response: z.object({ id: z.string() }),
    answer: async ({ params: { id } }, _caller, { stores, clock }) => {
      if (!(await stores.deliveries.retry(id, clock.now())))
        throw new Problem(404, "DELIVERY_NOT_FOUND", `There is no delivery '${id}'.`, "List the deliveries.");
      return { id };
    },
  }),
  route("POST /api/webhooks/{name}/test", {
    summary: "Send a test message to a webhook",
    roles: OPERATOR,
    response: z.object({ id: z.string() }),
    answer: async ({ params: { name } }, _caller, { webhooks }) => {
      const id = await webhooks?.test(name);
      if (id === undefined)
        throw new Problem(404, "WEBHOOK_NOT_FOUND", `There is no webhook '${name}'.`, "List the webhooks.");
      return { id };
    },
  }),
];
