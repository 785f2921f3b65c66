import { errorText } from "../../base/kernel/error-text.ts";
import type { ApprovalAnswer, ApprovalQuestion, Approver } from "../../base/ports/approver.ts";
import type { Question } from "../../base/words/decision.ts";
import type { Fault } from "../../base/words/event.ts";

/**
 * How long a call waits for an answer; by default until the question closes. `onAsking` is called with the question.
 */
export type Wait = {
  readonly waitMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onAsking?: (asked: Question) => void;
};

export type OnAnswer = { answered(approval: string, answer: ApprovalAnswer): void; failed(fault: Fault): void };

const MAX_TIMER_MS = 2_147_483_647;

/** Open questions: each is asked once, however many calls wait for it, until it expires. */
export class OpenQuestions {
  readonly #on: OnAnswer;
  readonly #asked = new Map<string, { readonly over: Promise<void>; readonly end: AbortController }>();

  constructor(on: OnAnswer) {
    this.#on = on;
  }

  /** Resolves on an answer, if no approver is available, or when the wait ends. A later answer still counts. */
  async put(approver: Approver, question: ApprovalQuestion, openMs: number, wait: Wait): Promise<void> {
    const { over } = this.#asked.get(question.approval) ?? this.#ask(approver, question, openMs);
    if (wait.signal?.aborted === true) return;
    const patience = new AbortController();
    await Promise.race([over, ...givingUp(wait, patience.signal)]).finally(() => patience.abort());
  }

  /** Closes a question that was answered elsewhere or whose session has ended. Without an id, closes all. */
  drop(approval?: string): void {
    for (const [id, { end }] of this.#asked) if (approval === undefined || approval === id) end.abort();
  }

  #ask(approver: Approver, question: ApprovalQuestion, openMs: number) {
    const end = new AbortController();
    const expiry = setTimeout(() => end.abort(), Math.min(Math.max(0, openMs), MAX_TIMER_MS));
    expiry.unref?.();
    const over = this.#hear(approver, question, end.signal).finally(() => {
      clearTimeout(expiry);
      this.#asked.delete(question.approval);
    });
    const asked = { over, end };
    this.#asked.set(question.approval, asked);
    return asked;
  }

  async #hear(approver: Approver, question: ApprovalQuestion, signal: AbortSignal): Promise<void> {
    try {
      const ended = new Promise<undefined>((resolve) => {
        signal.addEventListener("abort", () => resolve(undefined), { once: true });
      });
      const answer = await Promise.race([approver.ask(question, signal), ended]);
      if (answer === undefined || signal.aborted) return;
      if (isAnswer(answer)) return this.#on.answered(question.approval, answer);
      throw new TypeError("it gave an answer that is neither yes nor no");
    } catch (error) {
      this.#on.failed({ where: "approver", code: "approver-failed", message: errorText(error) });
    }
  }
}

/** Promises that end the wait before the question closes. */
function givingUp({ waitMs, signal }: Wait, over: AbortSignal): readonly Promise<void>[] {
  const waits: Promise<void>[] = [];
  if (waitMs !== undefined) {
    waits.push(
      new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.min(Math.max(0, waitMs), MAX_TIMER_MS));
        over.addEventListener("abort", () => clearTimeout(timer), { once: true });
      }),
    );
  }
  if (signal !== undefined) {
    waits.push(
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true, signal: over })),
    );
  }
  return waits;
}

function isAnswer(answer: unknown): answer is ApprovalAnswer {
  if (typeof answer !== "object" || answer === null || !("answer" in answer) || !("by" in answer)) return false;
  return (answer.answer === "yes" || answer.answer === "no") && typeof answer.by === "string";
}
