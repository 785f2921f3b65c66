import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { Ids } from "../../../../base/ports/ids.ts";
import type { InstructionsStore } from "../../../../base/ports/stores/instructions.ts";
import type { NotesStore } from "../../../../base/ports/stores/memory.ts";
import type { Instructions, UserAgent } from "../../../../base/words/hosting/instructions.ts";
import { type Changed, changeItems } from "../../../../behavior/instructions/change-items.ts";
import { type Caller, forbidden, notFound, Problem, type RouteHandlers, type RouteTable } from "../route.ts";

const TALK = ["operator", "user"] as const;
const item = z.object({ id: z.string(), text: z.string() });
const kept = z.object({
  version: z.number(),
  items: z.array(item),
  at: z.number(),
  by: z.string(),
  change: z.string(),
});
/** One's own unless an operator asks for somebody else's. */
const whose = z.object({ agent: z.string().min(1), user: z.string().optional() });

export const ownRoutes = {
  "GET /api/instructions": {
    summary: "Standing instructions for an agent, one's own; at a version where it is given",
    tag: "instructions",
    roles: TALK,
    query: whose.extend({ version: z.coerce.number().int().min(0).optional() }),
    response: kept,
  },
  "PATCH /api/instructions": {
    summary: "Add, edit and remove by item; `after` is the version it changes",
    tag: "instructions",
    roles: TALK,
    query: whose,
    body: z.object({
      after: z.number().int().min(0),
      add: z.array(z.string().max(20_000)).max(100).default([]),
      edit: z.array(item).max(100).default([]),
      remove: z.array(z.string()).max(1_000).default([]),
    }),
    response: kept,
  },
  "POST /api/instructions/undo": {
    summary: "The version before, as a new one",
    tag: "instructions",
    roles: TALK,
    query: whose,
    body: z.object({ after: z.number().int().min(1) }),
    response: kept,
  },
  "GET /api/memory": {
    summary: "What an agent was told to remember, one's own; the best matches first, without words the newest",
    tag: "memory",
    roles: TALK,
    query: whose.extend({
      text: z.string().max(500).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    response: z.object({
      notes: z.array(z.object({ id: z.string(), text: z.string(), at: z.number() })),
      total: z.number(),
    }),
  },
  "DELETE /api/memory/{id}": {
    summary: "Forget a note, one's own",
    tag: "memory",
    roles: TALK,
    query: whose,
    response: z.object({ deleted: z.literal(true) }),
  },
} satisfies RouteTable;

export type OwnRoomOptions = {
  readonly instructions: InstructionsStore;
  readonly memory: NotesStore;
  readonly clock: Clock;
  readonly ids: Ids;
};

export function ownHandlers({ instructions, memory, clock, ids }: OwnRoomOptions): RouteHandlers<typeof ownRoutes> {
  async function write(
    owner: UserAgent,
    before: Instructions,
    after: number,
    changed: Changed,
    change: "edit" | "undo",
  ) {
    if ("fault" in changed) throw new Problem(422, "INSTRUCTIONS_INVALID", changed.fault);
    const moved = () =>
      new Problem(409, "MOVED", `Version ${before.version} is the newest, not ${after}.`, {
        fix: "Look at it and try again.",
      });
    if (before.version !== after) throw moved();
    const next = { items: changed.items, at: clock.now(), by: "api", change } as const;
    if (!(await instructions.write(owner, after, next))) throw moved();
    return show({ version: after + 1, ...next });
  }

  return {
    async "GET /api/instructions"({ query }, caller) {
      const owner = ownerOf(query, caller);
      if (query.version === undefined) return show(await instructions.read(owner));
      const found = await instructions.version(owner, query.version);
      if (found === undefined) throw notFound(`version ${query.version} of these instructions`);
      return show(found);
    },
    async "PATCH /api/instructions"({ query, body }, caller) {
      const owner = ownerOf(query, caller);
      const before = await instructions.read(owner);
      return write(
        owner,
        before,
        body.after,
        changeItems(before.items, body, () => ids.next("i")),
        "edit",
      );
    },
    async "POST /api/instructions/undo"({ query, body }, caller) {
      const owner = ownerOf(query, caller);
      const [now, earlier] = await Promise.all([instructions.read(owner), instructions.version(owner, body.after - 1)]);
      return write(owner, now, body.after, { items: earlier?.items ?? [], known: [] }, "undo");
    },
    async "DELETE /api/memory/{id}"({ params, query }, caller) {
      if (!(await memory.remove(ownerOf(query, caller), params.id))) throw notFound(`note '${params.id}'`);
      return { deleted: true };
    },
    async "GET /api/memory"({ query }, caller) {
      const { text, limit, offset } = query;
      const found = await memory.search(ownerOf(query, caller), {
        limit,
        offset,
        ...(text === undefined || text.trim() === "" ? {} : { text }),
      });
      return { notes: found.notes.map((note) => ({ ...note })), total: found.total };
    },
  };
}

function ownerOf({ agent, user }: z.output<typeof whose>, caller: Caller): UserAgent {
  if (user !== undefined && user !== caller.user.id && caller.user.role !== "operator")
    throw forbidden("Instructions and memory are their user's own.");
  return { agent, user: user ?? caller.user.id };
}

function show({ version, items, at, by, change }: Instructions) {
  return { version, items: items.map((one) => ({ ...one })), at, by, change };
}
