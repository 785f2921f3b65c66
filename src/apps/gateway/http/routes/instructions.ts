import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { Ids } from "../../../../base/ports/ids.ts";
import type { InstructionsStore } from "../../../../base/ports/stores/instructions.ts";
import type { NotesStore } from "../../../../base/ports/stores/memory.ts";
import type { Instructions, UserAgent } from "../../../../base/words/hosting/instructions.ts";
import { type Changed, changeItems } from "../../../../behavior/instructions/change-items.ts";
import { forbidden, notFound, Problem } from "../problem.ts";
import type { Caller, RouteHandlers, RouteTable } from "../route.ts";
import { count, deleted, integer, list, TALK } from "../schemas.ts";

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

export const ownRoutes = {
  "GET /api/instructions": {
    summary: "Standing instructions for an agent, one's own; at a version where it is given",
    tag: "instructions",
    roles: TALK,
    query: owner.extend({ version: integer().optional() }),
    response: instructions,
  },
  "PATCH /api/instructions": {
    summary: "Add, edit and remove by item; `after` is the version it changes",
    tag: "instructions",
    roles: TALK,
    query: owner,
    body: z.object({
      after: z.number().int().min(0),
      add: z.array(z.string().max(20_000)).max(100).default([]),
      edit: z.array(item).max(100).default([]),
      remove: z.array(z.string()).max(1_000).default([]),
    }),
    response: instructions,
  },
  "POST /api/instructions/undo": {
    summary: "The version before, as a new one",
    tag: "instructions",
    roles: TALK,
    query: owner,
    body: z.object({ after: z.number().int().min(1) }),
    response: instructions,
  },
  "GET /api/memory": {
    summary: "What an agent was told to remember, one's own; the best matches first, without words the newest",
    tag: "memory",
    roles: TALK,
    query: owner.extend({ text: z.string().max(500).optional(), limit: count(200, 50), offset: integer().default(0) }),
    response: z.object({
      notes: list(z.object({ id: z.string(), text: z.string(), at: z.number() })),
      total: z.number(),
    }),
  },
  "DELETE /api/memory/{id}": {
    summary: "Forget a note, one's own",
    tag: "memory",
    roles: TALK,
    query: owner,
    response: deleted,
  },
} satisfies RouteTable;

export type OwnRoutesOptions = {
  readonly instructions: InstructionsStore;
  readonly memory: NotesStore;
  readonly clock: Clock;
  readonly ids: Ids;
};

export function ownHandlers({
  instructions: store,
  memory,
  clock,
  ids,
}: OwnRoutesOptions): RouteHandlers<typeof ownRoutes> {
  async function write(
    of: UserAgent,
    before: Instructions,
    after: number,
    changed: Changed,
    change: "edit" | "undo",
  ): Promise<Instructions> {
    if ("fault" in changed) throw new Problem(422, "INSTRUCTIONS_INVALID", changed.fault);
    const next = { items: changed.items, at: clock.now(), by: "api", change } as const;
    if (before.version !== after || !(await store.write(of, after, next)))
      throw new Problem(409, "MOVED", `Version ${before.version} is the newest, not ${after}.`, {
        fix: "Look at it and try again.",
      });
    return { version: after + 1, ...next };
  }

  return {
    async "GET /api/instructions"({ query }, caller) {
      const of = ownerOf(query, caller);
      if (query.version === undefined) return store.read(of);
      const found = await store.version(of, query.version);
      if (found === undefined) throw notFound(`version ${query.version} of these instructions`);
      return found;
    },
    async "PATCH /api/instructions"({ query, body }, caller) {
      const of = ownerOf(query, caller);
      const before = await store.read(of);
      const changed = changeItems(before.items, body, () => ids.next("i"));
      return write(of, before, body.after, changed, "edit");
    },
    async "POST /api/instructions/undo"({ query, body }, caller) {
      const of = ownerOf(query, caller);
      const [now, earlier] = await Promise.all([store.read(of), store.version(of, body.after - 1)]);
      return write(of, now, body.after, { items: earlier?.items ?? [], known: [] }, "undo");
    },
    async "DELETE /api/memory/{id}"({ params, query }, caller) {
      if (!(await memory.remove(ownerOf(query, caller), params.id))) throw notFound(`note '${params.id}'`);
      return { deleted: true };
    },
    "GET /api/memory": ({ query }, caller) => {
      const { text, limit, offset } = query;
      return memory.search(ownerOf(query, caller), { limit, offset, text: text?.trim() === "" ? undefined : text });
    },
  };
}

function ownerOf({ agent, user }: z.output<typeof owner>, caller: Caller): UserAgent {
  if (user !== undefined && user !== caller.user.id && caller.user.role !== "operator")
    throw forbidden("Instructions and memory are their user's own.");
  return { agent, user: user ?? caller.user.id };
}
