import { type ReviewRecord, type ReviewSteps, runReview } from "../review/steps.ts";

/** The required part of Inngest's function arguments; users install Inngest themselves. */
type Given = {
  readonly step: { run(name: string, step: () => Promise<unknown>): Promise<unknown> };
  readonly event: { readonly ts?: number };
};

/** The arguments of `createFunction`: Inngest requires mutable lists. */
type InngestFunction = [
  options: { id: string; concurrency: { limit: number }; triggers: [{ cron: string }, { event: string }] },
  handler: (given: Given) => Promise<ReviewRecord | "nothing">,
];

export const REVIEW_EVENT = "conduct/review.requested";

/**
 * The daily review as an Inngest function: `client.createFunction(...inngestReview(steps))`. Runs on a schedule and on
 * request. Inngest saves each step's result, retries failed steps and runs one review at a time.
 */
export function inngestReview(
  steps: ReviewSteps,
  { cron = "TZ=UTC 15 8 * * *" }: { readonly cron?: string } = {},
): InngestFunction {
  return [
    { id: "conduct-daily-review", concurrency: { limit: 1 }, triggers: [{ cron }, { event: REVIEW_EVENT }] },
    ({ step, event }: Given) =>
      // Inngest returns JSON, and so do the steps.
      runReview(
        steps,
        event.ts ?? Date.now(),
        <T>(name: string, work: () => Promise<T>) => step.run(name, work) as Promise<T>,
      ),
  ];
}
