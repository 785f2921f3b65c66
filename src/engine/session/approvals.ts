import { errorText } from "../../base/kernel/error-text.ts";
import type { ApprovalAnswer, ApprovalQuestion, Approver } from "../../base/ports/approver.ts";
import type { Question } from "../../base/words/decision.ts";
import type { Fault } from "../../base/words/event.ts";

/** How long a call waits for an answer. Left out: as long as the question is open. `onAsking` hears what it waits for. */
export type Wait = {
  readonly waitMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onAsking?: (asked: Question) => void;
};

/** What a session does with what came of asking. */
export type OnAnswer = { answered(approval: string, answer: ApprovalAnswer): void; failed(fault: Fault): void };

/** Longer than this a timer of JavaScript's cannot run. */
const MAX_TIMER_MS = 2_147_483_647;

/** Questions that are being put to a person: each once, however many calls wait for it, and until it expires. */
export class OpenQuestions {
  readonly #on: OnAnswer;
  readonly #asked = new Map<string, { readonly over: Promise<void>; readonly end: AbortController }>();

  constructor(on: OnAnswer) {
    this.#on = on;
  }

  /** Resolves when the person has answered, nobody is there, or the wait is over; an answer that comes later counts too. */
  async put(approver: Approver, question: ApprovalQuestion, openMs: number, wait: Wait): Promise<void> {
    const { over } = this.#asked.get(question.approval) ?? this.#ask(approver, question, openMs);
    if (wait.signal?.aborted === true) return;
    const patience = new AbortController();
    await Promise.race([over, ...givingUp(wait, patience.signal)]).finally(() => patience.abort());
  }

  /** The question is no longer one: it was answered elsewhere, or the session is over. All of them when none is named. */
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

/** What ends a wait before the question is over. */
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
