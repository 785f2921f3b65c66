import {
  checkOptions,
  either,
  listOf,
  name as nameShape,
  oneOf,
  optional,
  type ShapesOf,
  shape,
  text,
} from "../../base/kernel/check-options.ts";
import type { FeedbackDraft, FeedbackProvider } from "../../base/words/feedback.ts";

const DRAFT: ShapesOf<FeedbackDraft> = {
  summary: text,
  observations: optional(listOf(shape({ category: text, description: text }))),
  suggestions: optional(listOf(text)),
  severity: optional(oneOf("info", "caution", "warning")),
};

/** Says the same whenever its trigger is met: a reminder. */
export class StaticFeedbackProvider implements FeedbackProvider {
  readonly name: string;
  readonly #draft: FeedbackDraft;

  constructor(options: { readonly feedback: string | FeedbackDraft; readonly name?: string }) {
    checkOptions("StaticFeedbackProvider", options, {
      feedback: either(text, shape(DRAFT)),
      name: optional(nameShape),
    });
    const { feedback, name = "Static" } = options;
    this.name = name;
    this.#draft = typeof feedback === "string" ? { summary: feedback } : feedback;
  }

  provide(): FeedbackDraft {
    return this.#draft;
  }
}
