import { errorText } from "../../base/kernel/error-text.ts";
import type { ApprovalAnswer, ApprovalQuestion, Approver } from "../../base/ports/approver.ts";
import type { Question } from "../../base/words/decision.ts";
import type { Fault } from "../../base/words/event.ts";
import { aborted } from "../moments/gather.ts";

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
    const { waitMs, signal } = wait;
    if (signal?.aborted === true) return;
    const late = new AbortController();
    const timer = waitMs === undefined ? undefined : setTimeout(() => late.abort(), timerMs(waitMs));
    await Promise.race([over, aborted(signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]))]);
    clearTimeout(timer);
  }

  /** Closes a question that was answered elsewhere or whose session has ended. Without an id, closes all. */
  drop(approval?: string): void {
    for (const [id, { end }] of this.#asked) if (approval === undefined || approval === id) end.abort();
  }

  #ask(approver: Approver, question: ApprovalQuestion, openMs: number) {
    const end = new AbortController();
    const expiry = setTimeout(() => end.abort(), timerMs(openMs));
    expiry.unref?.();
    const over = this.#awaitAnswer(approver, question, end.signal).finally(() => {
      clearTimeout(expiry);
      this.#asked.delete(question.approval);
    });
    const asked = { over, end };
    this.#asked.set(question.approval, asked);
    return asked;
  }

  async #awaitAnswer(approver: Approver, question: ApprovalQuestion, signal: AbortSignal): Promise<void> {
    try {
      const answer = await Promise.race([approver.ask(question, signal), aborted(signal)]);
      if (answer === undefined || signal.aborted) return;
      if (isAnswer(answer)) return this.#on.answered(question.approval, answer);
      throw new TypeError("the answer is neither yes nor no");
    } catch (error) {
      this.#on.failed({ where: "approver", code: "approver-failed", message: errorText(error) });
    }
  }
}

function timerMs(ms: number): number {
  return Math.min(Math.max(0, ms), MAX_TIMER_MS);
}

function isAnswer(answer: unknown): answer is ApprovalAnswer {
  if (typeof answer !== "object" || answer === null || !("answer" in answer) || !("by" in answer)) return false;
  return ["yes", "no", "always"].includes(String(answer.answer)) && typeof answer.by === "string";
}
