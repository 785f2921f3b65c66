import type { Clock } from "../../../base/ports/clock.ts";
import type { GivenAnswer, QuestionsStore } from "../../../base/ports/stores/hosting/questions.ts";
import type { PendingApproval } from "../../../base/words/hosting/question.ts";
import { Listeners } from "../listeners.ts";

/** Delivers an answer to its session, wherever that is. Resolves to false if it can no longer be answered. */
export type DeliverAnswer = (question: PendingApproval, given: GivenAnswer) => Promise<boolean>;

/** How long a call waits before it is denied. A later yes still allows one identical retry. */
const WAIT_MS = 120_000;

export type ApprovalsOptions = {
  readonly store: QuestionsStore;
  readonly clock: Pick<Clock, "now">;
  readonly waitMs?: number;
};

/**
 * The questions of all channels. They are rows of the store, so that every gateway shows and answers them. The calls
 * that wait for an answer are in this process.
 */
export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #waiting = new Map<string, (given: GivenAnswer | undefined) => void>();
  readonly #asked = new Listeners<PendingApproval>();
  readonly #deliveries: DeliverAnswer[] = [];

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Calls the listener for every new question of this process. Returns a function that unsubscribes. */
  onAsked(listener: (question: PendingApproval) => void): () => void {
    return this.#asked.subscribe(undefined, listener);
  }

  /** Of several, the first that knows the session delivers the answer. */
  deliverBy(deliver: DeliverAnswer): void {
    this.#deliveries.push(deliver);
  }

  /** Waits for an answer. Resolves to undefined on timeout. */
  async ask(question: PendingApproval, signal: AbortSignal | undefined): Promise<GivenAnswer | undefined> {
    const { store, clock, waitMs = WAIT_MS } = this.#options;
    const { promise, resolve } = Promise.withResolvers<GivenAnswer | undefined>();
    const settle = (given: GivenAnswer | undefined) => {
      this.#waiting.delete(question.approval);
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      resolve(given);
    };
    const giveUp = () => settle(undefined);
    const timer = setTimeout(giveUp, waitMs);
    signal?.addEventListener("abort", giveUp, { once: true });
    this.#waiting.set(question.approval, settle);
    try {
      await store.add(question, clock.now());
    } catch (error) {
      giveUp();
      throw error;
    }
    this.#asked.tell(undefined, question);
    return promise;
  }

  /** Gives the answer to a call that waits in this process. Returns false if none does. */
  settle(approval: string, given: GivenAnswer): boolean {
    const settle = this.#waiting.get(approval);
    settle?.(given);
    return settle !== undefined;
  }

  /** Adds a question of an earlier process. No call waits for it; a yes allows one identical retry. */
  async adopt(question: PendingApproval): Promise<void> {
    await this.#options.store.add(question, this.#options.clock.now());
  }

  /** Adds what an earlier process allowed for the rest of a session. */
  async adoptAlways(question: PendingApproval): Promise<void> {
    await this.#options.store.addAlways(question, "", this.#options.clock.now());
  }

  /** What is allowed for the rest of a session, oldest first. */
  always(): Promise<readonly PendingApproval[]> {
    return this.#options.store.always();
  }

  /** Drops the questions of a deleted conversation. */
  async forget(session: string): Promise<void> {
    const { store, clock } = this.#options;
    for (const { approval, session: of } of await store.open(clock.now()))
      if (of === session) this.#waiting.get(approval)?.(undefined);
    await store.forget(session);
  }

  find(approval: string): Promise<PendingApproval | undefined> {
    return this.#options.store.find(approval);
  }

  /** Questions that can still be answered, oldest first. */
  list(now: number): Promise<readonly PendingApproval[]> {
    return this.#options.store.open(now);
  }

  /**
   * The first answer wins. Returns false if the question is unknown, answered or expired. A "no" to an earlier "always"
   * ends it.
   */
  async answer(approval: string, given: GivenAnswer, now: number): Promise<boolean> {
    const { store } = this.#options;
    const question = await store.find(approval);
    if (question === undefined) return false;
    if (await store.answer(approval, given, now)) return this.#give(question, given);
    const isAllowed = (await store.always()).some((one) => one.approval === approval);
    if (!isAllowed || given.answer !== "no" || !(await this.#deliver(question, given))) return false;
    return store.endAlways(approval, given.by, now);
  }

  async #give(question: PendingApproval, given: GivenAnswer): Promise<boolean> {
    const { store, clock } = this.#options;
    // While the call waits, the adapter passes the answer on to the session.
    if (this.settle(question.approval, given)) return true;
    try {
      const isTaken = await this.#deliver(question, given);
      if (!isTaken && given.answer === "always") await store.endAlways(question.approval, given.by, clock.now());
      return isTaken;
    } catch (error) {
      // The answer was not delivered, so the question stays open.
      await store.reopen(question.approval);
      throw error;
    }
  }

  async #deliver(question: PendingApproval, given: GivenAnswer): Promise<boolean> {
    for (const deliver of this.#deliveries) if (await deliver(question, given)) return true;
    return false;
  }
}
