import type { FeedbackDraft, FeedbackProvider } from "../../base/words/feedback.ts";

/** Says the same whenever its trigger is met: a reminder. */
export class StaticFeedbackProvider implements FeedbackProvider {
  readonly name: string;
  readonly #draft: FeedbackDraft;

  constructor({ feedback, name = "Static" }: { readonly feedback: string | FeedbackDraft; readonly name?: string }) {
    this.name = name;
    this.#draft = typeof feedback === "string" ? { summary: feedback } : feedback;
  }

  provide(): FeedbackDraft {
    return this.#draft;
  }
}
