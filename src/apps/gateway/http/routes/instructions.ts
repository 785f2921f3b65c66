import { z } from "zod";
import type { Instructions, UserAgent } from "../../../../base/words/hosting/instructions.ts";
import { type Changed, changeItems } from "../../../../behavior/instructions/change-items.ts";
import type { ApiContext } from "../api-context.ts";
import { forbidden, found, notFound, Problem } from "../problem.ts";
import { type Caller, route } from "../route.ts";
import { count, deleted, integer, list, searchText, TALK } from "../schemas.ts";

const item = z.object({ id: z.string(), text: z.string() });
const instructions = z.object({
  version: z.number(),
  items: list(item),
  at: z.number(),
  by: z.string(),
  change: z.string(),
});
/** Defaults to the caller. Operators may name another user. */
const owner = z.object({ agent: z.string().min(1), user: z.string().optional() });

export const ownRoutes = [
  route("GET /api/instructions", {
    summary: "Show your instructions for an agent, or an earlier version of them",
    roles: TALK,
    query: owner.extend({ version: integer().optional() }),
    response: instructions,
    answer: async ({ query }, caller, { stores }) => {
      const of = ownerOf(query, caller);
      if (query.version === undefined) return stores.instructions.read(of);
      return found(
        await stores.instructions.version(of, query.version),
        `version ${query.version} of these instructions`,
      );
    },
  }),
  route("PATCH /api/instructions", {
    summary: "Add, edit and remove items; `after` is the version it changes",
    roles: TALK,
    query: owner,
    body: z.object({
      after: z.number().int().min(0),
      add: z.array(z.string().max(20_000)).max(100).default([]),
      edit: z.array(item).max(100).default([]),
      remove: z.array(z.string()).max(1_000).default([]),
    }),
    response: instructions,
    answer: async ({ query, body }, caller, api) => {
      const of = ownerOf(query, caller);
      const before = await api.stores.instructions.read(of);
      const changed = changeItems(before.items, body, () => api.ids.next("i"));
      return write(api, of, before, body.after, changed, "edit");
    },
  }),
  route("POST /api/instructions/undo", {
    summary: "Write the previous version again, as a new one",
    roles: TALK,
    query: owner,
    body: z.object({ after: z.number().int().min(1) }),
    response: instructions,
    answer: async ({ query, body }, caller, api) => {
      const of = ownerOf(query, caller);
      const store = api.stores.instructions;
      const [now, earlier] = await Promise.all([store.read(of), store.version(of, body.after - 1)]);
      return write(api, of, now, body.after, { items: earlier?.items ?? [], known: [] }, "undo");
    },
  }),
  route("GET /api/memory", {
    summary: "Search what an agent remembers about you: best matches first, or the newest without a search text",
    roles: TALK,
    query: owner.extend({ text: searchText(500), limit: count(200, 50), offset: integer().default(0) }),
    response: z.object({
      notes: list(z.object({ id: z.string(), text: z.string(), at: z.number() })),
      total: z.number(),
    }),
    answer: ({ query }, caller, { stores }) => {
      const { text, limit, offset } = query;
      return stores.memory.search(ownerOf(query, caller), { limit, offset, text });
    },
  }),
  route("DELETE /api/memory/{id}", {
    summary: "Delete a note of your own",
    roles: TALK,
    query: owner,
    response: deleted,
    answer: async ({ params: { id }, query }, caller, { stores }) => {
      if (!(await stores.memory.remove(ownerOf(query, caller), id))) throw notFound(`note '${id}'`);
      return { deleted: true } as const;
    },
  }),
];

async function write(
  { stores, clock }: ApiContext,
  of: UserAgent,
  before: Instructions,
  after: number,
  changed: Changed,
  change: "edit" | "undo",
): Promise<Instructions> {
  if ("fault" in changed) throw new Problem(422, "INSTRUCTIONS_INVALID", changed.fault);
  const next = { items: changed.items, at: clock.now(), by: "api", change } as const;
  if (before.version !== after || !(await stores.instructions.write(of, after, next))) {
    const fix = "Read the newest version, and try again.";
    throw new Problem(409, "MOVED", `Version ${before.version} is the newest, not ${after}.`, fix);
  }
  return { version: after + 1, ...next };
}

function ownerOf({ agent, user }: z.output<typeof owner>, caller: Caller): UserAgent {
  if (user !== undefined && user !== caller.user.id && caller.user.role !== "operator")
    throw forbidden("You can only use your own instructions and memory.");
  return { agent, user: user ?? caller.user.id };
}
