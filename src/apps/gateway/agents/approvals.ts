/** A question to a person that waits for its answer. */
export type PendingApproval = {
  readonly approval: string;
  readonly session: string;
  readonly agent: string;
  /** Whose conversation it is. */
  readonly user: string;
  readonly rule: string;
  readonly tool: string;
  readonly question: string;
  readonly expiresAt: number;
};

export type ApprovalWord = { readonly answer: "yes" | "no"; readonly by: string };

/** `settle` is gone once the call no longer waits; the question may still be answered. */
type Waiting = PendingApproval & { settle?: (word: ApprovalWord | undefined) => void };

/** Takes a word to a session that no call waits in; false when it cannot be answered there any more. */
export type AnswerLate = (question: PendingApproval, word: ApprovalWord) => Promise<boolean>;

/** How long a call waits for an answer before it is refused; a later yes still admits one identical retry. */
const WAIT_MS = 120_000;

/** The questions that wait, on whichever channel they are shown. */
export class Approvals {
  readonly #waiting = new Map<string, Waiting>();
  readonly #asked = new Set<(question: PendingApproval) => void>();
  readonly #waitMs: number;
  #late: AnswerLate = async () => false;

  constructor(waitMs: number = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /** Hears every question as it is asked. Returns what ends it. */
  onAsked(listener: (question: PendingApproval) => void): () => void {
    this.#asked.add(listener);
    return () => this.#asked.delete(listener);
  }

  /** Whoever has the sessions says how they hear an answer that no call waits for. */
  answerLateBy(late: AnswerLate): void {
    this.#late = late;
  }

  /** Waits for a person's word; undefined when nobody gives one in time. */
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
      for (const listener of this.#asked) listener(question);
    });
  }

  /** A question that an earlier process has asked: nothing waits for it, and a yes admits one identical retry. */
  adopt(question: PendingApproval): void {
    if (!this.#waiting.has(question.approval)) this.#waiting.set(question.approval, { ...question });
  }

  /** The conversation is deleted: nobody is left to hear an answer. */
  forget(session: string): void {
    for (const [id, one] of this.#waiting) {
      if (one.session !== session) continue;
      this.#waiting.delete(id);
      one.settle?.(undefined);
    }
  }

  find(approval: string): PendingApproval | undefined {
    const found = this.#waiting.get(approval);
    return found === undefined ? undefined : shown(found);
  }

  /** Those that can still be answered, the oldest first. */
  list(now: number): readonly PendingApproval[] {
    for (const [id, { expiresAt }] of this.#waiting) if (expiresAt <= now) this.#waiting.delete(id);
    return [...this.#waiting.values()].map(shown);
  }

  /** A person's word. False when there is no such question, or it was answered or has expired. */
  async answer(approval: string, word: ApprovalWord, now: number): Promise<boolean> {
    const found = this.#waiting.get(approval);
    this.#waiting.delete(approval);
    if (found === undefined || found.expiresAt <= now) return false;
    // While the call waits the adapter takes the word to the session; afterwards it is ours to do.
    if (found.settle !== undefined) {
      found.settle(word);
      return true;
    }
    try {
      const taken = await this.#late(shown(found), word);
      // Whoever opened the session for it may have adopted it again.
      this.#waiting.delete(approval);
      return taken;
    } catch (error) {
      // Nobody has heard it: it can be answered again.
      this.#waiting.set(approval, found);
      throw error;
    }
  }
}

function shown({ settle: _settle, ...question }: Waiting): PendingApproval {
  return question;
}
