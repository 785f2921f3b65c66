/**
 * Feedback providers: advice for the agent after a call.
 * @module feedback
 */

export type {
  Feedback,
  FeedbackContext,
  FeedbackDraft,
  FeedbackProvider,
  FeedbackProviderConfig,
  FeedbackTrigger,
  FileCreatedTrigger,
  Observation,
} from "./base/words/feedback.ts";
export { collectFeedback, renderFeedback } from "./behavior/feedback/collect-feedback.ts";
export {
  DeadlineFeedback,
  RepeatedFailureFeedback,
  StaticFeedbackProvider,
  TokenBudgetFeedback,
} from "./behavior/feedback/feedback-providers.ts";
