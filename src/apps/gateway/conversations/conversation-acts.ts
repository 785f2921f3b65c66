import { assertNever } from "../../../base/kernel/error-text.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { Ownership } from "../replicas/ownership.ts";
import type { Act, ActResults } from "./acts.ts";
import type { ConversationsOptions } from "./conversations.ts";
import type { LiveConversation } from "./live-conversation.ts";
import type { LiveConversations, Used } from "./live-conversations.ts";
import type { Turns } from "./turns.ts";

/** Performs acts on conversations: here if this process owns the conversation, else at its owner. */
export class ConversationActs {
  readonly #options: ConversationsOptions;
  readonly #ownership: Ownership;
  readonly #lives: LiveConversations;
  readonly #turns: Turns;

  constructor(options: ConversationsOptions, ownership: Ownership, lives: LiveConversations, turns: Turns) {
    this.#options = options;
    this.#ownership = ownership;
    this.#lives = lives;
    this.#turns = turns;
  }

  /** Performs an act at the owner of the conversation. */
  async act<A extends Act>(conversation: Conversation, act: A): Promise<ActResults[A["kind"]]> {
    for (;;) {
      const done = await this.actHere(conversation, act);
      if (done.kind === "here") return done.value;
      const reply = await this.#ownership.ask(done.replica, conversation.id, act as unknown as JsonObject);
      if (reply !== undefined) return reply.value as ActResults[A["kind"]];
    }
  }

  /** Performs an act if this process owns the conversation or can take it. Otherwise it says who owns it. */
  actHere<A extends Act>(conversation: Conversation, act: A): Promise<Used<ActResults[A["kind"]]>> {
    this.#turns.checkStays(conversation);
    return this.#lives.use(conversation, async (live) => {
      live.lastUsed = this.#options.clock.monotonic();
      return (await this.#perform(live, act)) as ActResults[A["kind"]];
    });
  }

  async #perform(live: LiveConversation, act: Act): Promise<ActResults[Act["kind"]]> {
    const { session } = live;
    switch (act.kind) {
      case "look":
        this.#turns.advance(live);
        return null;
      case "cancel":
        return this.cancelHere(live);
      case "leave":
        await this.#leaveHere(live.conversation.id);
        return null;
      case "steer":
        return this.#steerHere(live, act.message);
      case "answer":
        return (
          this.#options.approvals.settle(act.approval, { answer: act.answer, by: act.by }) ||
          this.#answerLate(live, act)
        );
      case "elevate": {
        if (!session.local.elevate(act.forMs, act.by)) return null;
        await session.flush();
        return session.modes;
      }
      case "lower":
        session.local.setModes({ elevated: false });
        await session.flush();
        return session.modes;
      case "tag":
        session.local.setCustom(act.custom);
        await session.flush();
        return null;
      case "classification":
        if (act.again) await session.local.classify();
        return session.local.view.classification ?? null;
      default:
        return assertNever(act);
    }
  }

  #steerHere({ running, hosted }: LiveConversation, message: IncomingMessage): TurnRecord | null {
    const { id = "" } = message;
    if (running === undefined) return null;
    if (running.steered.has(id)) return running.turn;
    if (!hosted.steer(message)) return null;
    if (id !== "") running.steered.add(id);
    return running.turn;
  }

  /** Ends the running turn and drops the queued ones. Returns the number of cancelled turns. */
  async cancelHere(live: LiveConversation): Promise<number> {
    const waiting = await this.#turns.alone(live, async () => {
      const all = live.queue.splice(0);
      for (const turn of all) await this.#turns.end({ ...turn, status: "cancelled" });
      return all.length;
    });
    const { running } = live;
    running?.abort.abort();
    await running?.done;
    return waiting + (running === undefined ? 0 : 1);
  }

  /**
   * Ends a conversation's turns, allows no new ones, and then calls `rest` to delete the stored data. Can be repeated
   * after a failure.
   */
  async forget(id: string, rest: () => Promise<void>): Promise<void> {
    this.#turns.leaving.add(id);
    try {
      for (;;) {
        const hold = await this.#ownership.take(id);
        if (hold.kind === "theirs") {
          await this.#ownership.ask(hold.replica, id, { kind: "leave" } satisfies Act);
          continue;
        }
        try {
          await this.#leaveHere(id);
          await this.#options.approvals.forget(id);
          this.#options.conduct.sessions.release(id);
          return await rest();
        } finally {
          await hold.give();
        }
      }
    } finally {
      this.#turns.leaving.delete(id);
    }
  }

  async #leaveHere(id: string): Promise<void> {
    const live = await this.#lives.find(id);
    if (live === undefined) return;
    await Promise.allSettled(live.entering);
    await this.cancelHere(live);
    await this.#lives.drop(id);
  }

  /** No call waits for this answer any more. The session stores it for an identical retry. */
  async #answerLate({ session }: LiveConversation, act: Extract<Act, { kind: "answer" }>): Promise<boolean> {
    const { approval, answer, by } = act;
    const { local } = session;
    const isOpen = local.openQuestions().some((open) => open.approval === approval);
    if (!isOpen && !local.alwaysAllowed().some((grant) => grant.id === approval)) return false;
    await session.resolve(approval, answer, by);
    return true;
  }
}
