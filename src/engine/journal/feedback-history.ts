import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { Feedback } from "../../base/words/feedback.ts";

export type FeedbackQuery = {
  readonly session: string;
  /** Only the feedback of this provider. */
  readonly provider?: string | undefined;
  /** `next` of the page before. */
  readonly before?: number | undefined;
  readonly limit: number;
};

/** `next`: the position to continue from; absent at the end. */
export type FeedbackPage = { readonly feedback: readonly Feedback[]; readonly next?: number | undefined };

const READ_AT_ONCE = 500;

/** The feedback of a session, newest first. The feedback of one call is never split between two pages. */
export async function feedbackHistory(
  journal: Pick<EventJournal, "read">,
  { session, provider, before, limit }: FeedbackQuery,
): Promise<FeedbackPage> {
  const feedback: Feedback[] = [];
  for (let from = before; ; ) {
    const { events, next } = await journal.read({ session, types: ["result"], before: from, limit: READ_AT_ONCE });
    for (const [at, { event, position }] of events.entries()) {
      if (event.type !== "result") continue;
      const given = event.feedback.toReversed();
      feedback.push(...given.filter((one) => provider === undefined || one.providerName === provider));
      const isLast = at === events.length - 1 && next === undefined;
      if (feedback.length >= limit) return { feedback, next: isLast ? undefined : position - 1 };
    }
    if (next === undefined) return { feedback };
    from = next;
  }
}
