import { z } from "zod";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import type { Conversation } from "../../../../base/words/hosting/conversation.ts";
import type { PendingApproval } from "../../../../base/words/hosting/question.ts";
import { LONGEST_ELEVATION_MS } from "../../../../behavior/session/modes/modes.ts";
import { redactTextWith } from "../../../../engine/journal/redact-event.ts";
import { answerRuntime, runtimeQuestions } from "../../agents/runtime-questions.ts";
import type { ApiContext } from "../api-context.ts";
import { forbidden, found, notFound, Problem } from "../problem.ts";
import { type Caller, events, route } from "../route.ts";
import { ALL, deleted, list, OPERATOR, page, TALK, typed } from "../schemas.ts";
import { stepsOf } from "../steps.ts";
import { type UpdateEvents, updateEvent } from "../streams/event-stream.ts";

const classification = z.object({ classification: typed("SessionClassification").nullable() });
const personAnswer = z.enum(["yes", "no", "always"]);

export const conversationRoutes = [
  route("POST /api/sessions", {
    summary: "Start a conversation with an agent",
    roles: TALK,
    body: z.object({ agent: z.string().min(1) }),
    response: typed("Conversation"),
    status: 201,
    answer: async ({ body: { agent } }, { user }, { agents, conversations }) => {
      found(agents.find(agent), `agent '${agent}'`);
      return conversations.start({ agent, user: user.id, channel: "web" });
    },
  }),
  route("GET /api/sessions", {
    summary: "List conversations, newest first; users see their own",
    roles: ALL,
    query: page().extend({
      agent: z.string().optional(),
      channel: z.string().optional(),
      user: z.string().optional(),
    }),
    response: z.object({ sessions: list(typed("Conversation")), next: z.number().optional() }),
    answer: async ({ query }, { user: { role, id } }, { stores }) => {
      const sessions = await stores.conversations.list({ ...query, user: role === "user" ? id : query.user });
      return { sessions, next: sessions.length < query.limit ? undefined : sessions.at(-1)?.lastAt };
    },
  }),
  route("GET /api/sessions/{id}", {
    summary: "Show a conversation with its turns, newest first",
    roles: ALL,
    query: page(),
    response: z.object({
      session: typed("Conversation"),
      turns: list(typed("TurnRecord")),
      next: z.number().optional(),
    }),
    answer: async ({ params, query }, caller, api) => {
      const session = await find(params.id, caller, api);
      const turns = await api.stores.conversations.turns({ conversation: session.id, ...query });
      return { session, turns, next: turns.length < query.limit ? undefined : turns.at(-1)?.at };
    },
  }),
  route("DELETE /api/sessions/{id}", {
    summary:
      "Delete a conversation: its transcript, turns, state, journal and full results, and its tools' files unless another conversation uses them. Operators can also delete the stored data of another runtime's session",
    roles: TALK,
    response: deleted,
    answer: async ({ params: { id } }, caller, api) => {
      const { conduct, conversations, stores, results, workspaces } = api;
      const clear = async () => {
        await stores.sessions.remove(id);
        // Events that are still queued would bring the session back.
        await conduct.flush();
        await stores.events.deleteSession(id);
        await results.forget(id);
      };
      const isOfOtherRuntime =
        caller.user.role === "operator" &&
        (await stores.conversations.read(id)) === undefined &&
        (await stores.events.session(id)) !== undefined;
      if (isOfOtherRuntime) {
        conduct.sessions.release(id);
        await clear();
        return { deleted: true } as const;
      }
      const conversation = await find(id, caller, api);
      await conversations.acts.forget(id, async () => {
        await clear();
        // The row is removed last, so that an interrupted deletion can be repeated.
        await workspaces.leave(conversation, () => stores.conversations.remove(id));
        api.cluster?.removeFiles(conversation);
      });
      return { deleted: true } as const;
    },
  }),
  route("POST /api/sessions/{id}/messages", {
    summary:
      "Send a message. The turn is queued, and the stream reports its end; `wait` waits for it. `/new` or `/reset` alone starts a new conversation: the turn names it",
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
    answer: async ({ params, query, body }, caller, api) => {
      const { conversations } = api;
      const session = await find(params.id, caller, api);
      const { id, role } = caller.user;
      if (session.user !== id) throw forbidden("Only the user of a conversation may send messages to it.");
      const message = { text: body.text, id: body.messageId, sender: { id, user: id, role } };
      // Before the message is sent, so that none of its notes is missed.
      const told: { readonly turn: string; readonly text: string }[] = [];
      const stop = conversations.updates.subscribe(session.id, (update) => {
        if (update.kind === "note") told.push(update);
      });
      try {
        const turn = await (body.steer === true
          ? conversations.steer(session, message)
          : conversations.submit(session, message));
        if (query.wait !== true) return turn;
        const ended = await conversations.ended(turn);
        const notes = told.filter((note) => note.turn === ended.id).map(({ text }) => text);
        return notes.length === 0 ? ended : { ...ended, notes };
      } finally {
        stop();
      }
    },
  }),
  route("POST /api/sessions/{id}/elevation", {
    summary: "Elevate a conversation for a time, also for its user; `conduct elevate` does the same",
    roles: OPERATOR,
    body: z.object({ time: z.string().max(20) }),
    response: typed("Modes"),
    status: 201,
    answer: async ({ params, body: { time } }, caller, api) => {
      const conversation = await findHosted(params.id, caller, api);
      const forMs = parseDuration(time);
      if (forMs === undefined || forMs <= 0 || forMs > LONGEST_ELEVATION_MS) {
        const message = `'${time}' is not valid for an elevation, which lasts at most 24h.`;
        throw new Problem(400, "BAD_TIME", message, "Send a time such as 10m or 2h.");
      }
      const by = `user:${caller.user.id}`;
      const modes = await api.conversations.act(conversation, { kind: "elevate", forMs, by });
      if (modes === null)
        throw new Problem(409, "NEVER_ELEVATED", `The agent '${conversation.agent}' has \`elevation: never\`.`);
      return modes;
    },
  }),
  route("DELETE /api/sessions/{id}/elevation", {
    summary: "End the elevation of a conversation",
    roles: OPERATOR,
    response: typed("Modes"),
    answer: async ({ params }, caller, api) => {
      const conversation = await findHosted(params.id, caller, api);
      return api.conversations.act(conversation, { kind: "lower" });
    },
  }),
  route("PUT /api/sessions/{id}/custom", {
    summary: "Replace the custom tags of a conversation, from its next turn on; `conduct tag` does the same",
    roles: OPERATOR,
    body: z.object({ custom: z.array(z.string().min(1).max(100)).max(50) }),
    response: z.object({ custom: z.array(z.string()) }),
    answer: async ({ params, body: { custom } }, caller, api) => {
      const conversation = await findHosted(params.id, caller, api, "tag");
      await api.conversations.act(conversation, { kind: "tag", custom });
      return { custom };
    },
  }),
  route("POST /api/sessions/{id}/cancel", {
    summary: "Cancel the running turn and the queued ones",
    roles: TALK,
    response: z.object({ cancelled: z.number() }),
    answer: async ({ params }, caller, api) => {
      const { id } = await find(params.id, caller, api);
      return { cancelled: await api.conversations.cancel(id) };
    },
  }),
  route("GET /api/sessions/{id}/classification", {
    summary: "Show the latest classification of a conversation",
    roles: ALL,
    response: classification,
    answer: async ({ params }, caller, api) => {
      const conversation = await find(params.id, caller, api);
      return { classification: await api.conversations.act(conversation, { kind: "classification", again: false }) };
    },
  }),
  route("POST /api/sessions/{id}/classification", {
    summary: "Classify a conversation again now",
    roles: TALK,
    response: classification,
    answer: async ({ params }, caller, api) => {
      const conversation = await find(params.id, caller, api);
      return { classification: await api.conversations.act(conversation, { kind: "classification", again: true }) };
    },
  }),
  route("GET /api/sessions/{id}/events", {
    summary: "List the events of a conversation, newest first",
    roles: ALL,
    query: page(1_000),
    response: z.object({ events: list(typed("JournalEvent")), next: z.number().optional() }),
    answer: async ({ params, query }, caller, api) => {
      const { id } = await find(params.id, caller, api);
      // A caller that has just waited for a turn finds its events.
      await api.conduct.flush();
      const read = await api.stores.events.read({ session: id, ...query });
      return { events: read.events.map(({ position, event }) => ({ position, ...event })), next: read.next };
    },
  }),
  route("GET /api/sessions/{id}/steps", {
    summary:
      "List the model's responses in a conversation since a time, oldest first: text, tokens, cost and the outputs of their calls, with secrets redacted and long outputs shortened. Empty if the runtime stores the transcript itself",
    roles: ALL,
    query: z.object({ since: z.coerce.number().default(0) }),
    response: z.object({ steps: list(typed("Step")) }),
    answer: async ({ params, query }, caller, api) => {
      const { id } = await find(params.id, caller, api);
      const transcript = await api.stores.conversations.transcript(id);
      return { steps: stepsOf(transcript, query.since, redactTextWith(await api.stores.keys.journal())) };
    },
  }),
  route("GET /api/sessions/{id}/stream", {
    summary: "Stream turn, text, note, event and approval",
    roles: ALL,
    response: events<UpdateEvents>(),
    answer: async ({ params }, caller, api) => {
      const { id } = await find(params.id, caller, api);
      return { follow: (send) => api.conversations.updates.subscribe(id, (update) => send(updateEvent(update))) };
    },
  }),
  route("GET /api/approvals", {
    summary:
      "List open approval requests and what is always allowed. Users see those of their own conversations; operators also those of coding runtimes on this machine",
    roles: TALK,
    response: z.object({
      approvals: list(typed("PendingApproval")),
      always: list(typed("PendingApproval")).optional(),
    }),
    answer: async (_input, caller, { approvals, stores, clock }) => {
      const always = (await approvals.always()).filter((one) => mayAnswer(caller, one));
      const hosted = (await approvals.list(clock.now())).filter((one) => mayAnswer(caller, one));
      const others = caller.user.role === "operator" ? await runtimeQuestions(stores, clock.now()) : [];
      return {
        approvals: [...hosted, ...others].sort((a, b) => a.expiresAt - b.expiresAt),
        always: always.length === 0 ? undefined : always,
      };
    },
  }),
  route("POST /api/approvals/{id}", {
    summary: "Answer an approval request, or end an 'always' with no; for the conversation's own user and operators",
    roles: TALK,
    body: z.object({ answer: personAnswer }),
    response: z.object({ approval: z.string(), answer: personAnswer, by: z.string() }),
    answer: async ({ params: { id }, body: { answer } }, caller, { approvals, stores, clock, home }) => {
      const hosted = await approvals.find(id);
      const isOperator = caller.user.role === "operator";
      const others = hosted === undefined && isOperator ? await runtimeQuestions(stores, clock.now()) : [];
      const asked = hosted ?? others.find(({ approval }) => approval === id);
      if (asked === undefined || !mayAnswer(caller, asked)) throw notFound(`open approval request '${id}'`);
      if (answer === "always" && asked.remember !== true)
        throw new Problem(400, "ONCE", "This rule asks every time. Answer yes or no.");
      const by = caller.user.id;
      const isTaken =
        asked.at === "runtime"
          ? isAnswered(id, await answerRuntime(home, asked, { answer, by }))
          : await approvals.answer(id, { answer, by }, clock.now());
      if (!isTaken) throw new Problem(409, "EXPIRED", "This approval request has expired or was already answered.");
      return { approval: id, answer, by };
    },
  }),
];

/** Another user's conversation is reported as missing. */
async function find(id: string, { user }: Caller, { stores }: ApiContext): Promise<Conversation> {
  const conversation = await stores.conversations.read(id);
  const isHidden = user.role === "user" && conversation?.user !== user.id;
  return found(isHidden ? undefined : conversation, `session '${id}'`);
}

/** Only this command reaches a session of another runtime. */
async function findHosted(id: string, caller: Caller, api: ApiContext, word = "elevate"): Promise<Conversation> {
  if ((await api.stores.conversations.read(id)) !== undefined) return find(id, caller, api);
  found(await api.stores.events.session(id), `session '${id}'`);
  const fix = `Run: conduct ${word} ${id}`;
  throw new Problem(409, "NOT_HOSTED", "This session runs in another runtime, outside the gateway.", fix);
}

function isAnswered(id: string, kind: Awaited<ReturnType<typeof answerRuntime>>): boolean {
  if (kind !== "no-daemon") return kind === "answered";
  const fix = `Start it with conduct daemon start, or answer in a terminal: conduct approve ${id}`;
  throw new Problem(503, "NO_DAEMON", "The daemon of this machine is not running, so the answer was not sent.", fix);
}

function mayAnswer({ user }: Caller, { user: owner }: PendingApproval): boolean {
  return user.role === "operator" || user.id === owner;
}
