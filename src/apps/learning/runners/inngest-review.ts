import { type ReviewRecord, type ReviewSteps, runReview } from "../review/steps.ts";

/** As much of what Inngest gives a function as is needed: Inngest itself is installed by whoever uses it. */
type Given = {
  readonly step: { run(name: string, step: () => Promise<unknown>): Promise<unknown> };
  readonly event: { readonly ts?: number };
};

/** As `createFunction` takes it: Inngest wants lists that can be written to. */
type InngestFunction = [
  options: { id: string; concurrency: { limit: number }; triggers: [{ cron: string }, { event: string }] },
  handler: (given: Given) => Promise<ReviewRecord | "nothing">,
];

/** Asks for a review now. */
export const REVIEW_EVENT = "conduct/review.requested";

/**
 * The daily review as an Inngest function: `client.createFunction(...inngestReview(steps))`. It runs by the clock, and when the event
 * asks for it. Inngest keeps what each step came to, tries a failed one again, and runs one review at a time.
 */
export function inngestReview(
  steps: ReviewSteps,
  { cron = "TZ=UTC 15 8 * * *" }: { readonly cron?: string } = {},
): InngestFunction {
  return [
    { id: "conduct-daily-review", concurrency: { limit: 1 }, triggers: [{ cron }, { event: REVIEW_EVENT }] },
    ({ step, event }: Given) =>
      // Inngest gives back JSON; so do the steps.
      runReview(
        steps,
        event.ts ?? Date.now(),
        <T>(name: string, work: () => Promise<T>) => step.run(name, work) as Promise<T>,
      ),
  ];
}
