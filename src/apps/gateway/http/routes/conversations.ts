import { z } from "zod";
import type { ConversationsStore } from "../../../../base/ports/stores/conversations.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { KeptResults } from "../../../../base/ports/stores/results.ts";
import type { SessionsStore } from "../../../../base/ports/stores/sessions.ts";
import type { Conversation } from "../../../../base/words/hosting/conversation.ts";
import type { Conduct } from "../../../../engine/session/conduct.ts";
import type { Workspaces } from "../../agents/workspaces.ts";
import type { Conversations } from "../../conversations/conversations.ts";
import { forbidden, notFound } from "../problem.ts";
import { type Caller, events, type RouteHandlers, type RouteTable } from "../route.ts";
import { ALL, deleted, list, page, TALK, typed } from "../schemas.ts";
import { type UpdateEvents, updateEvent } from "../streams/event-stream.ts";

const classification = z.object({ classification: typed("SessionClassification").nullable() });

export const conversationRoutes = {
  "POST /api/sessions": {
    summary: "Begin a conversation with an agent",
    tag: "sessions",
    roles: TALK,
    body: z.object({ agent: z.string().min(1) }),
    response: typed("Conversation"),
    status: 201,
  },
  "GET /api/sessions": {
    summary: "Conversations, the newest first; a user sees their own",
    tag: "sessions",
    roles: ALL,
    query: page().extend({ agent: z.string().optional(), channel: z.string().optional(), user: z.string().optional() }),
    response: z.object({ sessions: list(typed("Conversation")), next: z.number().optional() }),
  },
  "GET /api/sessions/{id}": {
    summary: "One conversation with its turns, the newest first",
    tag: "sessions",
    roles: ALL,
    query: page(),
    response: z.object({
      session: typed("Conversation"),
      turns: list(typed("TurnRecord")),
      next: z.number().optional(),
    }),
  },
  "DELETE /api/sessions/{id}": {
    summary:
      "Delete a conversation: transcript, turns, state, journal, results kept whole, and its tools' files unless another conversation has them too; an operator also what is kept of another runtime's session",
    tag: "sessions",
    roles: TALK,
    response: deleted,
  },
  "POST /api/sessions/{id}/messages": {
    summary: "Say something; the turn is queued and its end comes by the stream",
    tag: "messages",
    roles: TALK,
    query: z.object({ wait: z.stringbool().optional() }),
    body: z.object({
      text: z.string().min(1).max(100_000),
      messageId: z.string().min(1).max(200).optional(),
      /** Adds the message to the running turn if the runtime supports it. */
      steer: z.boolean().optional(),
    }),
    response: typed("TurnRecord"),
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
    response: classification,
  },
  "POST /api/sessions/{id}/classification": {
    summary: "Look again now",
    tag: "classification",
    roles: TALK,
    response: classification,
  },
  "GET /api/sessions/{id}/events": {
    summary: "The timeline of moments, the newest first",
    tag: "sessions",
    roles: ALL,
    query: page(1_000),
    response: z.object({ events: list(typed("JournalEvent")), next: z.number().optional() }),
  },
  "GET /api/sessions/{id}/stream": {
    summary: "Live: turn, text, note, event, approval",
    tag: "sessions",
    roles: ALL,
    response: events<UpdateEvents>(),
  },
} satisfies RouteTable;

export type ConversationRoutesOptions = {
  readonly conduct: Conduct;
  readonly conversations: Conversations;
  readonly store: ConversationsStore;
  readonly journal: EventJournal;
  readonly sessions: Pick<SessionsStore, "remove">;
  readonly results: Pick<KeptResults, "forget">;
  readonly workspaces: Pick<Workspaces, "leave">;
};

export function conversationHandlers(options: ConversationRoutesOptions): RouteHandlers<typeof conversationRoutes> {
  const { conduct, conversations, store, journal, sessions, results, workspaces } = options;
  /** Another user's conversation is reported as missing. */
  const find = async (id: string, { user }: Caller): Promise<Conversation> => {
    const found = await store.read(id);
    if (found === undefined || (user.role === "user" && found.user !== user.id)) throw notFound(`session '${id}'`);
    return found;
  };
  const sessionOf = async (id: string, caller: Caller) => conversations.session(await find(id, caller));

  return {
    async "POST /api/sessions"({ body }, { user }) {
      if (!conduct.agents.some(({ name }) => name === body.agent)) throw notFound(`agent '${body.agent}'`);
      return conversations.start({ agent: body.agent, user: user.id, channel: "web" });
    },
    async "GET /api/sessions"({ query }, caller) {
      const user = caller.user.role === "user" ? caller.user.id : query.user;
      const found = await store.list({ ...query, user });
      return { sessions: found, next: found.length < query.limit ? undefined : found.at(-1)?.lastAt };
    },
    async "GET /api/sessions/{id}"({ params, query }, caller) {
      const session = await find(params.id, caller);
      const turns = await store.turns({ conversation: session.id, ...query });
      return { session, turns, next: turns.length < query.limit ? undefined : turns.at(-1)?.at };
    },
    async "DELETE /api/sessions/{id}"({ params: { id } }, caller) {
      const clear = async () => {
        await sessions.remove(id);
        // Events that are still queued would bring the session back.
        await conduct.flush();
        await journal.deleteSession(id);
        await results.forget(id);
      };
      const isOfOtherRuntime =
        caller.user.role === "operator" &&
        (await store.read(id)) === undefined &&
        (await journal.session(id)) !== undefined;
      if (isOfOtherRuntime) {
        await clear();
        return { deleted: true };
      }
      const found = await find(id, caller);
      await conversations.forget(id, async () => {
        await clear();
        // The row is removed last, so that an interrupted deletion can be repeated.
        await workspaces.leave(found, () => store.remove(id));
      });
      return { deleted: true };
    },
    async "POST /api/sessions/{id}/messages"({ params, query, body }, caller) {
      const session = await find(params.id, caller);
      const { id, role } = caller.user;
      if (session.user !== id) throw forbidden("Only its own user may speak in a conversation.");
      const message = { text: body.text, messageId: body.messageId, sender: { id, user: id, role } };
      const turn = await (body.steer === true
        ? conversations.steer(session, message)
        : conversations.submit(session, message));
      return query.wait === true ? conversations.ended(turn) : turn;
    },
    async "POST /api/sessions/{id}/cancel"({ params }, caller) {
      const { id } = await find(params.id, caller);
      return { cancelled: await conversations.cancel(id) };
    },
    async "GET /api/sessions/{id}/classification"({ params }, caller) {
      return { classification: (await sessionOf(params.id, caller)).local.view.classification ?? null };
    },
    async "POST /api/sessions/{id}/classification"({ params }, caller) {
      const session = await sessionOf(params.id, caller);
      await session.local.classify();
      return { classification: session.local.view.classification ?? null };
    },
    async "GET /api/sessions/{id}/events"({ params, query }, caller) {
      const { id } = await find(params.id, caller);
      const { events: found, next } = await journal.read({ session: id, ...query });
      return { events: found.map(({ position, event }) => ({ position, ...event })), next };
    },
    async "GET /api/sessions/{id}/stream"({ params }, caller) {
      const { id } = await find(params.id, caller);
      return { follow: (send) => conversations.updates.subscribe(id, (update) => send(updateEvent(update))) };
    },
  };
}
