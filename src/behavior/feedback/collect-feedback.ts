import { errorText } from "../../base/kernel/error-text.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Feedback, FeedbackContext, FeedbackProvider, FeedbackProviderConfig } from "../../base/words/feedback.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import { dueProviders, type FilesSeen, settleFiles } from "./due-providers.ts";
import { feedbackContext } from "./feedback-context.ts";
import { type FeedbackState, followClock, rememberFeedback } from "./feedback-state.ts";
import { readAnswer, readDraft } from "./read-draft.ts";
import { renderFeedback } from "./render-feedback.ts";

/** `files` tells of each of `watchedFiles` whether it exists. The call itself was counted before. */
export type CollectInput = {
  readonly configs: readonly FeedbackProviderConfig[];
  readonly state: FeedbackState;
  readonly session: SessionView;
  readonly agent: string;
  readonly files: FilesSeen;
};

/** `text` is what the agent reads after its call; absent when nobody had anything to say. */
export type Collected = {
  readonly feedback: readonly Feedback[];
  readonly text?: string;
  readonly state: FeedbackState;
  readonly faults: readonly Fault[];
};

/**
 * All that is to be said after a call. Every trigger and every `shouldRun` is decided before any provider speaks; a provider
 * that fails is a fault and stays due, and costs nobody else's feedback.
 */
export function collectFeedback({ configs, state: before, session, agent, files }: CollectInput): Collected {
  let state = followClock(before, agent, configs, session.now);
  const due = dueProviders({ configs, state, agent, now: session.now, files });
  if (due.length === 0) return { feedback: [], state, faults: [] };

  const context = feedbackContext(state, session, agent);
  const faults: Fault[] = [];
  const willing = due.filter(({ provider }) => guarded(provider, faults, () => wantsToRun(provider, context)) === true);
  const feedback: Feedback[] = [];
  for (const { provider } of willing) {
    const said = guarded(provider, faults, () => ask(provider, context));
    if (said !== undefined) feedback.push(said);
  }

  for (const said of feedback) state = rememberFeedback(state, agent, said);
  state = settleFiles(state, due, new Set(feedback.map((said) => said.providerName)));
  if (feedback.length === 0) return { feedback, state, faults };
  return { feedback, text: feedback.map(renderFeedback).join("\n\n"), state, faults };
}

function wantsToRun(provider: FeedbackProvider, context: FeedbackContext): boolean {
  return provider.shouldRun === undefined || readAnswer(provider.shouldRun(context));
}

function ask(provider: FeedbackProvider, context: FeedbackContext): Feedback {
  return {
    providerName: provider.name,
    ...readDraft(provider.provide(context)),
    timestamp: context.session.now,
    callIndex: context.toolCallCount,
    promptName: context.prompt.name,
  };
}

function guarded<T>(provider: FeedbackProvider, faults: Fault[], run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    faults.push({ where: `feedback:${provider.name}`, code: "feedback-failed", message: errorText(error) });
    return undefined;
  }
}
