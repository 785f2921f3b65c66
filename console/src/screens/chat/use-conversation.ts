import { useCallback, useEffect, useMemo, useReducer } from "react";
import type { PersonAnswer } from "../../../../src/base/words/decision.ts";
import { ask, newKey, type Outcome } from "../../data/client.ts";
import type { LiveState, LiveUpdate } from "../../data/live.ts";
import { useLive, useStore } from "../../data/store.tsx";
import type { Step } from "../../moments/story/story-of.ts";
import { type Change, type ConversationState, NO_CONVERSATION, step } from "./conversation-state.ts";

const TURNS = 30;
const EVENTS = 1_000;

export type ConversationTools = {
  readonly state: ConversationState;
  readonly live: LiveState;
  readonly send: (session: string, text: string, how: "queue" | "steer") => Promise<Outcome<unknown>>;
  readonly answer: (approval: string, word: PersonAnswer) => Promise<Outcome<unknown>>;
  readonly cancel: () => Promise<Outcome<unknown>>;
  readonly loadOlder: () => Promise<void>;
  readonly reload: () => void;
};

/** Returns a conversation with live updates. Updates missed while the stream was down are read again. */
export function useConversation(id: string | undefined): ConversationTools {
  const { user, signOut } = useStore();
  const [all, change] = useReducer(stepOf, { id, state: { ...NO_CONVERSATION, id } });
  const state = all.id === id ? all.state : NO_CONVERSATION;
  const tell = useCallback((to: string, what: Change) => change({ id: to, change: what }), []);

  const load = useCallback(async () => {
    if (id === undefined) return;
    const params = { id };
    const [found, moments, waiting] = await Promise.all([
      ask("GET /api/sessions/{id}", { params, query: { limit: TURNS } }),
      ask("GET /api/sessions/{id}/events", { params, query: { limit: EVENTS } }),
      user.role === "viewer" ? undefined : ask("GET /api/approvals", {}),
    ]);
    const failed = [found, moments].find((outcome) => !outcome.ok);
    if (failed !== undefined && !failed.ok) {
      if (failed.error.status === 401) signOut();
      return tell(id, { kind: "failed", error: failed.error });
    }
    if (!found.ok || !moments.ok) return;
    const steps = await readSteps(id, found.value.turns.at(-1)?.at);
    tell(id, {
      kind: "loaded",
      conversation: found.value.session,
      turns: found.value.turns.toReversed(),
      older: found.value.next,
      events: moments.value.events.toReversed(),
      steps,
      questions: waiting?.ok === true ? waiting.value.approvals.filter(({ session }) => session === id) : [],
    });
  }, [id, user.role, signOut, tell]);

  useEffect(() => {
    if (id !== undefined) change({ id, change: { kind: "opened" } });
  }, [id]);
  useEffect(() => void load(), [load]);
  const listener = useCallback(
    (update: LiveUpdate) => {
      if (id === undefined) return;
      if (update.kind === "resumed") void load();
      else tell(id, { kind: "live", update });
      // The transcript of a turn is complete when it ends.
      if (update.kind === "turn" && update.turn.conversation === id && update.turn.endedAt !== undefined)
        void readSteps(id, update.turn.at).then((steps) => tell(id, { kind: "steps", steps }));
    },
    [id, load, tell],
  );
  const live = useLive(listener, id);

  return useMemo(
    () => ({
      state: id === undefined ? { ...NO_CONVERSATION, loading: false, sending: state.sending } : state,
      live,
      reload: () => void load(),
      async send(session, text, how) {
        const messageId = newKey();
        tell(session, { kind: "sending", message: { messageId, text } });
        const body = { text, messageId, steer: how === "steer" || undefined };
        const outcome = await ask(
          "POST /api/sessions/{id}/messages",
          { params: { id: session }, body },
          { idempotencyKey: messageId },
        );
        if (!outcome.ok && outcome.error.status === 401) signOut();
        const turn = outcome.ok ? outcome.value : undefined;
        tell(session, { kind: "sent", messageId, turn });
        return outcome;
      },
      async answer(approval, word) {
        const outcome = await ask(
          "POST /api/approvals/{id}",
          { params: { id: approval }, body: { answer: word } },
          { idempotencyKey: newKey() },
        );
        // A question that is gone or was answered elsewhere is no longer open, either.
        if (id !== undefined && (outcome.ok || outcome.error.status === 404 || outcome.error.status === 409))
          tell(id, { kind: "answered", approval });
        return outcome;
      },
      cancel: () => ask("POST /api/sessions/{id}/cancel", { params: { id: id ?? "" } }),
      async loadOlder() {
        if (id === undefined || state.older === undefined) return;
        const first = state.events.find(({ position }) => position !== undefined)?.position;
        const params = { id };
        const [found, moments] = await Promise.all([
          ask("GET /api/sessions/{id}", { params, query: { limit: TURNS, before: state.older } }),
          first === undefined
            ? undefined
            : ask("GET /api/sessions/{id}/events", { params, query: { limit: EVENTS, before: first } }),
        ]);
        if (!found.ok) return tell(id, { kind: "failed", error: found.error });
        tell(id, {
          kind: "older",
          turns: found.value.turns.toReversed(),
          older: found.value.next,
          events: moments?.ok === true ? moments.value.events.toReversed() : [],
          steps: await readSteps(id, found.value.turns.at(-1)?.at),
        });
      },
    }),
    [id, state, live, load, tell, signOut],
  );
}

/** The story has fewer details without the steps, so a failed read is ignored. */
async function readSteps(id: string, since: number | undefined): Promise<readonly Step[]> {
  if (since === undefined) return [];
  const found = await ask("GET /api/sessions/{id}/steps", { params: { id }, query: { since } });
  return found.ok ? found.value.steps : [];
}

type Kept = { readonly id: string | undefined; readonly state: ConversationState };

/**
 * Drops late changes of a conversation that is no longer on the screen. A new conversation keeps the message being
 * sent.
 */
function stepOf(kept: Kept, { id, change }: { readonly id: string; readonly change: Change }): Kept {
  if (kept.id === id) return { id, state: step(kept.state, change) };
  if (change.kind !== "sending" && change.kind !== "opened") return kept;
  return { id, state: step({ ...NO_CONVERSATION, id }, change) };
}
