import type { CallRecord } from "./call.ts";
import type { SessionView } from "./session-view.ts";

export type Severity = "info" | "caution" | "warning";
/** One thing that a provider noticed. */
export type Observation = { readonly category: string; readonly description: string };

/** Advice delivered after a call. `promptName` is the agent at work. */
export type Feedback = {
  readonly providerName: string;
  readonly summary: string;
  readonly observations: readonly Observation[];
  readonly suggestions: readonly string[];
  readonly severity: Severity;
  readonly timestamp: number;
  readonly callIndex: number;
  readonly promptName: string;
};

/** A provider's output; the engine adds time, place and author. */
export type FeedbackDraft = Pick<Feedback, "summary"> &
  Partial<Pick<Feedback, "observations" | "suggestions" | "severity">>;

/** Input of a provider. Every count is for the agent at work. */
export type FeedbackContext = {
  readonly session: SessionView;
  readonly prompt: { readonly name: string };
  readonly deadline?: number;
  readonly lastFeedback?: Feedback;
  /** Returns the last feedback of this provider. */
  lastFeedbackForProvider(name: string): Feedback | undefined;
  readonly toolCallCount: number;
  /** Counts the calls since any provider's last feedback. */
  toolCallsSinceLastFeedback(): number;
  /** Counts the calls since this provider's last feedback. */
  toolCallsSinceLastFeedbackForProvider(name: string): number;
  /** Returns the last `n` calls, oldest first. */
  recentToolCalls(n: number): readonly CallRecord[];
};

/** Observes the trajectory and advises; never blocks. */
export interface FeedbackProvider {
  readonly name: string;
  /** False postpones the provider; it stays due. Absent means always. */
  shouldRun?(context: FeedbackContext): boolean;
  /** Returns the feedback to deliver with the call's result. */
  provide(context: FeedbackContext): FeedbackDraft;
}

/** Fires once per session, when the file is first seen. */
export type FileCreatedTrigger = { readonly filename: string };

/** When a provider runs. Conditions are OR'd and inclusive; an empty trigger never fires. */
export type FeedbackTrigger = {
  readonly everyNCalls?: number;
  readonly everyNSeconds?: number;
  readonly onFileCreated?: FileCreatedTrigger;
};

/** A provider and when it runs. */
export type FeedbackProviderConfig = { readonly provider: FeedbackProvider; readonly trigger: FeedbackTrigger };
