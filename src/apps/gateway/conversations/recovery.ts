import { errorText } from "../../../base/kernel/error-text.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import type { Ownership } from "../replicas/ownership.ts";
import type { ConversationsOptions } from "./conversations.ts";
import type { LiveConversations } from "./live-conversations.ts";
import { StoreAwayError } from "./patient-stores.ts";
import { INTERRUPTED } from "./turn-ends.ts";
import type { Turns } from "./turns.ts";

/** A replica that runs so many turns leaves waiting conversations to others. */
const MOST_RUNNING = 100;

/** Takes over the turns of processes that are gone. */
export class Recovery {
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

  /**
   * Takes over the open turns of a process that is gone. Running turns are marked as interrupted and never run again;
   * queued turns are queued here. Turns of this process are skipped. On a shared store, `lookForWork` does this.
   */
  async recover(): Promise<{ readonly interrupted: number; readonly requeued: number }> {
    const { store } = this.#options;
    if (this.#ownership.isShared) return { interrupted: 0, requeued: 0 };
    const open = (await store.openTurns()).filter(({ id }) => !this.#turns.own.has(id));
    const interrupted = open.filter(({ status }) => status === "running");
    for (const turn of interrupted) await this.#turns.end({ ...turn, status: "interrupted", why: INTERRUPTED });
    const queued = open.filter(({ status }) => status === "queued");
    for (const turn of queued) {
      const conversation = await store.read(turn.conversation);
      if (conversation !== undefined) await this.#queueAgain(conversation, turn);
    }
    return { interrupted: interrupted.length, requeued: queued.length };
  }

  /** A conversation that cannot be opened (missing agent, damaged state) must not block the others. */
  async #queueAgain(conversation: Conversation, turn: TurnRecord): Promise<void> {
    this.#turns.own.add(turn.id);
    try {
      const live = await this.#lives.open(conversation);
      live.queue.push(turn);
      this.#turns.pump(live);
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      await this.#turns.end({ ...turn, status: "failed", why: errorText(error) });
    }
  }

  /** Takes conversations with open turns that nobody owns: their owner died or handed them over. */
  async lookForWork(waiting: (limit: number) => Promise<readonly string[]>): Promise<void> {
    const free = MOST_RUNNING - this.#turns.running;
    if (this.#turns.isHeld || this.#turns.isClosing || free <= 0) return;
    for (const id of await waiting(free)) await this.#adopt(id);
  }

  async #adopt(id: string): Promise<void> {
    const { store } = this.#options;
    const conversation = await store.read(id);
    try {
      if (conversation === undefined) throw new Error("the conversation was deleted");
      await this.#lives.use(conversation, (live) => this.#turns.advance(live));
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      // It cannot be opened (missing agent, damaged state). Its turns must not wait for ever.
      const hold = await this.#ownership.take(id);
      if (hold.kind === "theirs") return;
      try {
        for (const turn of await store.openTurns(id))
          await this.#turns.end({ ...turn, status: "failed", why: errorText(error) });
      } finally {
        await hold.give();
      }
    }
  }

  /** Other replicas have taken over everything: aborts the running turns and forgets all conversations. */
  async dropAll(): Promise<void> {
    for (const { conversation } of await this.#lives.all()) await this.#lives.drop(conversation.id);
  }
}

/** Whether the error affects the whole store and not only one damaged session. */
function isStoreFailure(error: unknown): boolean {
  return error instanceof StoreAwayError || (error instanceof StoreError && error.code !== "STORE_DAMAGED");
}
