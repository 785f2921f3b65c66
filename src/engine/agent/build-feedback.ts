import type { FeedbackProvider, FeedbackProviderConfig, FeedbackTrigger } from "../../base/words/feedback.ts";
import { DeadlineFeedback } from "../../behavior/feedback/deadline-feedback.ts";
import { RepeatedFailureFeedback } from "../../behavior/feedback/repeated-failure-feedback.ts";
import { StaticFeedbackProvider } from "../../behavior/feedback/static-feedback-provider.ts";
import { TokenBudgetFeedback } from "../../behavior/feedback/token-budget-feedback.ts";
import type { FeedbackConfig } from "./config-schema.ts";

/** A provider and when it runs. What has no `every` and no `on` runs as often as is useful for its kind. */
export function buildFeedback(config: FeedbackConfig): FeedbackProviderConfig {
  const { every, on } = config;
  const { provider, usual } = build(config);
  if (every === undefined && on === undefined) return { provider, trigger: usual };
  const trigger = {
    everyNCalls: every?.calls === undefined ? undefined : every.calls,
    everyNSeconds: every?.seconds === undefined ? undefined : every.seconds,
    onFileCreated: on === undefined ? undefined : { filename: on.fileCreated },
  };
  return { provider, trigger };
}

function build(config: FeedbackConfig): { readonly provider: FeedbackProvider; readonly usual: FeedbackTrigger } {
  const { deadline, static: said, tokenBudget } = config;
  const named = config.name === undefined ? {} : { name: config.name };
  if (said !== undefined) return { provider: new StaticFeedbackProvider({ feedback: said, ...named }), usual: {} };
  if (deadline !== undefined) {
    const warn = deadline?.warnAt === undefined ? {} : { warningThresholdSeconds: deadline.warnAt / 1_000 };
    return { provider: new DeadlineFeedback({ ...warn, ...named }), usual: { everyNSeconds: 30 } };
  }
  if (tokenBudget !== undefined) {
    return { provider: new TokenBudgetFeedback({ ...tokenBudget, ...named }), usual: { everyNCalls: 10 } };
  }
  const provider = new RepeatedFailureFeedback({ ...config.repeatedFailure, ...named });
  return { provider, usual: { everyNCalls: 1 } };
}
