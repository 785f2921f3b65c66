import { checkOptions, name, number, optional, type ShapesOf } from "../../base/kernel/check-options.ts";
import { formatDuration } from "../../base/kernel/duration.ts";
import type { FeedbackContext, FeedbackDraft, FeedbackProvider } from "../../base/words/feedback.ts";
import { positive } from "./positive.ts";

type DeadlineOptions = { readonly warningThresholdSeconds?: number; readonly name?: string };
const KEYS: ShapesOf<DeadlineOptions> = { warningThresholdSeconds: optional(number), name: optional(name) };

/** Tells how much time is left, and to finish what matters when it is little. Silent in a session without a deadline. */
export class DeadlineFeedback implements FeedbackProvider {
  readonly name: string;
  readonly #warnAtMs: number;

  constructor(options: DeadlineOptions = {}) {
    checkOptions("DeadlineFeedback", options, KEYS);
    this.name = options.name ?? "Deadline";
    this.#warnAtMs = positive("warningThresholdSeconds", options.warningThresholdSeconds ?? 120) * 1_000;
  }

  shouldRun({ deadline }: FeedbackContext): boolean {
    return deadline !== undefined;
  }

  provide({ deadline = 0, session }: FeedbackContext): FeedbackDraft {
    const left = deadline - session.now;
    const taken = `You have been at work for ${formatDuration(session.now - session.startedAt)}`;
    if (left <= 0) {
      return {
        summary: `${taken} and the deadline is reached: there is no time left.`,
        suggestions: ["Wrap up now: start nothing new and say what is done and what is not."],
        severity: "warning",
      };
    }
    const summary = `${taken}. ${left < 1_000 ? "Less than a second" : formatDuration(left)} remaining until the deadline.`;
    if (left > this.#warnAtMs) return { summary, severity: "info" };
    return {
      summary,
      suggestions: ["Finish the critical part of the work first.", "Summarise what will be left undone."],
      severity: "warning",
    };
  }
}
