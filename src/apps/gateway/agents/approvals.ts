import type { PersonAnswer } from "../../../base/words/decision.ts";
import { Listeners } from "../listeners.ts";

/** An open question to a person. */
export type PendingApproval = {
  readonly approval: string;
  readonly session: string;
  readonly agent: string;
  /** The owner of the conversation. */
  readonly user: string;
  readonly rule: string;
  readonly tool: string;
  readonly question: string;
  readonly expiresAt: number;
  /** "always" is a possible answer. */
  readonly remember?: true;
};

export type ApprovalWord = { readonly answer: PersonAnswer; readonly by: string };

/** `settle` is missing once the call no longer waits; the question can still be answered. */
type Waiting = PendingApproval & { settle?: (word: ApprovalWord | undefined) => void };

/** Delivers an answer to a session in which no call waits. Resolves to false if it can no longer be answered. */
export type AnswerLate = (question: PendingApproval, word: ApprovalWord) => Promise<boolean>;

/** How long a call waits before it is denied. A later yes still allows one identical retry. */
const WAIT_MS = 120_000;

/** The open questions of all channels. */
export class Approvals {
  readonly #waiting = new Map<string, Waiting>();
  /** What is allowed for the rest of a session. A "no" ends it. */
  readonly #always = new Map<string, PendingApproval>();
  readonly #asked = new Listeners<PendingApproval>();
  readonly #waitMs: number;
  #late: AnswerLate = async () => false;

  constructor(waitMs: number = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /** Calls the listener for every new question. Returns a function that unsubscribes. */
  onAsked(listener: (question: PendingApproval) => void): () => void {
    return this.#asked.subscribe(undefined, listener);
  }

  answerLateBy(late: AnswerLate): void {
    this.#late = late;
  }

  /** Waits for an answer. Resolves to undefined on timeout. */
  ask(question: PendingApproval, signal: AbortSignal | undefined): Promise<ApprovalWord | undefined> {
    return new Promise((resolve) => {
      const waiting: Waiting = { ...question };
      waiting.settle = (word) => {
        delete waiting.settle;
        clearTimeout(timer);
        signal?.removeEventListener("abort", giveUp);
        resolve(word);
      };
      const giveUp = () => waiting.settle?.(undefined);
      const timer = setTimeout(giveUp, this.#waitMs);
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#waiting.set(question.approval, waiting);
      this.#asked.tell(undefined, question);
    });
  }

  /** Adds a question of an earlier process. No call waits for it; a yes allows one identical retry. */
  adopt(question: PendingApproval): void {
    if (!this.#waiting.has(question.approval)) this.#waiting.set(question.approval, { ...question });
  }

  /** Adds what an earlier process allowed for the rest of a session. */
  adoptAlways(question: PendingApproval): void {
    this.#always.set(question.approval, question);
  }

  /** What is allowed for the rest of a session, oldest first. */
  always(): readonly PendingApproval[] {
    return [...this.#always.values()];
  }

  /** Drops the questions of a deleted conversation. */
  forget(session: string): void {
    for (const [id, one] of this.#always) if (one.session === session) this.#always.delete(id);
    for (const [id, one] of this.#waiting) {
      if (one.session !== session) continue;
      this.#waiting.delete(id);
      one.settle?.(undefined);
    }
  }

  find(approval: string): PendingApproval | undefined {
    const found = this.#waiting.get(approval);
    return found === undefined ? this.#always.get(approval) : shown(found);
  }

  /** Questions that can still be answered, oldest first. */
  list(now: number): readonly PendingApproval[] {
    for (const [id, { expiresAt }] of this.#waiting) if (expiresAt <= now) this.#waiting.delete(id);
    return [...this.#waiting.values()].map(shown);
  }

  /** Returns false if the question is unknown, answered or expired. A "no" to an earlier "always" ends it. */
  async answer(approval: string, word: ApprovalWord, now: number): Promise<boolean> {
    const allowed = this.#always.get(approval);
    if (allowed !== undefined) {
      if (word.answer !== "no" || !(await this.#late(allowed, word))) return false;
      return this.#always.delete(approval);
    }
    const found = this.#waiting.get(approval);
    this.#waiting.delete(approval);
    if (found === undefined || found.expiresAt <= now) return false;
    if (word.answer === "always") this.#always.set(approval, shown(found));
    // While the call waits, the adapter passes the answer on to the session.
    if (found.settle !== undefined) {
      found.settle(word);
      return true;
    }
    try {
      const taken = await this.#late(shown(found), word);
      // Opening the session may have added the question again.
      this.#waiting.delete(approval);
      return taken;
    } catch (error) {
      // The answer was not delivered, so the question stays open.
      this.#always.delete(approval);
      this.#waiting.set(approval, found);
      throw error;
    }
  }
}

function shown({ settle: _settle, ...question }: Waiting): PendingApproval {
  return question;
}
