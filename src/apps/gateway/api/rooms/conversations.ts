import { z } from "zod";
import type { ConversationsStore } from "../../../../base/ports/stores/conversations.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { KeptResults } from "../../../../base/ports/stores/results.ts";
import type { SessionsStore } from "../../../../base/ports/stores/sessions.ts";
import type { Conversation } from "../../../../base/words/hosting/conversation.ts";
import type { Conduct } from "../../../../engine/moments/conduct.ts";
import type { Workspaces } from "../../agents/workspaces.ts";
import type { Conversations } from "../../conversations/conversations.ts";
import { type Caller, notFound, Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything, conversation, page, turn } from "../shapes.ts";
import { updateEvent } from "../streams/update-event.ts";

const ALL = ["operator", "user", "viewer"] as const;
const TALK = ["operator", "user"] as const;

export const conversationRoutes = {
  "POST /api/sessions": {
    summary: "Begin a conversation with an agent",
    tag: "sessions",
    roles: TALK,
    body: z.object({ agent: z.string().min(1) }),
    response: conversation,
    status: 201,
  },
  "GET /api/sessions": {
    summary: "Conversations, the newest first; a user sees their own",
    tag: "sessions",
    roles: ALL,
    query: page().extend({ agent: z.string().optional(), channel: z.string().optional(), user: z.string().optional() }),
    response: z.object({ sessions: z.array(conversation), next: z.number().optional() }),
  },
  "GET /api/sessions/{id}": {
    summary: "One conversation with its turns, the newest first",
    tag: "sessions",
    roles: ALL,
    query: page(),
    response: z.object({ session: conversation, turns: z.array(turn), next: z.number().optional() }),
  },
  "DELETE /api/sessions/{id}": {
    summary:
      "Delete a conversation: transcript, turns, state, journal, results kept whole, and its tools' files unless another conversation has them too; an operator also what is kept of another runtime's session",
    tag: "sessions",
    roles: TALK,
    response: z.object({ deleted: z.literal(true) }),
  },
  "POST /api/sessions/{id}/messages": {
    summary: "Say something; the turn is queued and its end comes by the stream",
    tag: "messages",
    roles: TALK,
    query: z.object({ wait: z.stringbool().optional() }),
    body: z.object({
      text: z.string().min(1).max(100_000),
      messageId: z.string().min(1).max(200).optional(),
      /** Into the running turn, where the runtime can. */
      steer: z.boolean().optional(),
    }),
    response: turn,
    status: 202,
  },
  "POST /api/sessions/{id}/cancel": {
    summary: "End the running turn and drop those that wait",
    tag: "messages",
    roles: TALK,
    response: z.object({ cancelled: z.number() }),
  },
  "GET /api/sessions/{id}/classification": {
    summary: "What the conversation is about, as the newest look at it has it",
    tag: "classification",
    roles: ALL,
    response: z.object({ classification: anything.nullable() }),
  },
  "POST /api/sessions/{id}/classification": {
    summary: "Look again now",
    tag: "classification",
    roles: TALK,
    response: z.object({ classification: anything.nullable() }),
  },
  "GET /api/sessions/{id}/events": {
    summary: "The timeline of moments, the newest first",
    tag: "sessions",
    roles: ALL,
    query: page(1_000),
    response: z.object({ events: z.array(anything), next: z.number().optional() }),
  },
  "GET /api/sessions/{id}/stream": {
    summary: "Live: turn, text, note, event, approval",
    tag: "sessions",
    roles: ALL,
    response: "events",
  },
} satisfies RouteTable;

export type ConversationRoomOptions = {
  readonly conduct: Conduct;
  readonly conversations: Conversations;
  readonly store: ConversationsStore;
  readonly journal: EventJournal;
  readonly sessions: Pick<SessionsStore, "remove">;
  readonly results: Pick<KeptResults, "forget">;
  readonly workspaces: Pick<Workspaces, "leave">;
};

export function conversationHandlers(options: ConversationRoomOptions): RouteHandlers<typeof conversationRoutes> {
  const { conduct, conversations, store, journal, sessions, results, workspaces } = options;
  /** What is somebody else's is not there. */
  const find = async (id: string, caller: Caller): Promise<Conversation> => {
    const found = await store.read(id);
    if (found === undefined || !maySee(caller, found)) throw notFound(`session '${id}'`);
    return found;
  };

  return {
    async "POST /api/sessions"({ body }, { user }) {
      if (!conduct.agents.some(({ name }) => name === body.agent)) throw notFound(`agent '${body.agent}'`);
      return conversations.start({ agent: body.agent, user: user.id, channel: "web" });
    },
    async "GET /api/sessions"({ query }, caller) {
      const { limit, before, agent, channel, user } = query;
      const whose = caller.user.role === "user" ? caller.user.id : user;
      const sessions = await store.list({
        limit,
        ...(whose === undefined ? {} : { user: whose }),
        ...(agent === undefined ? {} : { agent }),
        ...(channel === undefined ? {} : { channel }),
        ...(before === undefined ? {} : { before }),
      });
      return { sessions: [...sessions], ...nextOf(sessions.length >= limit, sessions.at(-1)?.lastAt) };
    },
    async "GET /api/sessions/{id}"({ params, query }, caller) {
      const session = await find(params.id, caller);
      const { limit, before } = query;
      const turns = await store.turns({ conversation: session.id, limit, ...(before === undefined ? {} : { before }) });
      return { session, turns: [...turns], ...nextOf(turns.length >= limit, turns.at(-1)?.at) };
    },
    async "DELETE /api/sessions/{id}"({ params }, caller) {
      const { id } = params;
      const isKeptOnly =
        caller.user.role === "operator" &&
        (await store.read(id)) === undefined &&
        (await journal.session(id)) !== undefined;
      const clear = async () => {
        await sessions.remove(id);
        // What waits to be written would bring it back.
        await conduct.flush();
        await journal.deleteSession(id);
        await results.forget(id);
      };
      if (isKeptOnly) await clear();
      else {
        const found = await find(id, caller);
        await conversations.forget(id, async () => {
          await clear();
          // The row goes last: until then whoever may delete it can do so again.
          await workspaces.leave(found, () => store.remove(id));
        });
      }
      return { deleted: true };
    },
    async "POST /api/sessions/{id}/messages"({ params, query, body }, caller) {
      const session = await find(params.id, caller);
      if (session.user !== caller.user.id)
        throw new Problem(403, "FORBIDDEN", "Only its own user may speak in a conversation.");
      const sender = { id: caller.user.id, user: caller.user.id, role: caller.user.role };
      const message = {
        text: body.text,
        sender,
        ...(body.messageId === undefined ? {} : { messageId: body.messageId }),
      };
      const taken =
        body.steer === true
          ? await conversations.steer(session, message)
          : await conversations.submit(session, message);
      return query.wait === true ? conversations.ended(taken) : taken;
    },
    async "POST /api/sessions/{id}/cancel"({ params }, caller) {
      const { id } = await find(params.id, caller);
      return { cancelled: await conversations.cancel(id) };
    },
    async "GET /api/sessions/{id}/classification"({ params }, caller) {
      const session = await conversations.session(await find(params.id, caller));
      return { classification: shownClass(session.view.classification) };
    },
    async "POST /api/sessions/{id}/classification"({ params }, caller) {
      const session = await conversations.session(await find(params.id, caller));
      await session.classify();
      return { classification: shownClass(session.view.classification) };
    },
    async "GET /api/sessions/{id}/events"({ params, query }, caller) {
      const { id } = await find(params.id, caller);
      const { limit, before } = query;
      const { events, next } = await journal.read({ session: id, limit, ...(before === undefined ? {} : { before }) });
      return {
        events: events.map(({ position, event }) => ({ position, ...event })),
        ...nextOf(next !== undefined, next),
      };
    },
    async "GET /api/sessions/{id}/stream"({ params }, caller) {
      const { id } = await find(params.id, caller);
      return {
        follow: (send) => conversations.updates.subscribe(id, (update) => send(updateEvent(update))),
      };
    },
  };
}

function shownClass(classification: object | undefined): Record<string, unknown> | null {
  return classification === undefined ? null : { ...classification };
}

function maySee({ user }: Caller, conversation: Conversation): boolean {
  return user.role !== "user" || conversation.user === user.id;
}

function nextOf(more: boolean, next: number | undefined): { readonly next?: number } {
  return more && next !== undefined ? { next } : {};
}
