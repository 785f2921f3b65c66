import type { CallRecord } from "./call.ts";
import type { SessionView } from "./session-view.ts";

export type Severity = "info" | "caution" | "warning";
export type Observation = { readonly category: string; readonly description: string };

/** Advice delivered after a call. `promptName` is the agent that was at work. */
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

/** What a provider writes; the engine adds when, where and by whom. */
export type FeedbackDraft = Pick<Feedback, "summary"> &
  Partial<Pick<Feedback, "observations" | "suggestions" | "severity">>;

/** What a provider may look at. Every count is of the agent at work. */
export type FeedbackContext = {
  readonly session: SessionView;
  readonly prompt: { readonly name: string };
  readonly deadline?: number;
  readonly lastFeedback?: Feedback;
  lastFeedbackForProvider(name: string): Feedback | undefined;
  readonly toolCallCount: number;
  toolCallsSinceLastFeedback(): number;
  toolCallsSinceLastFeedbackForProvider(name: string): number;
  recentToolCalls(n: number): readonly CallRecord[];
};

/** Observes the trajectory and advises; never blocks. */
export interface FeedbackProvider {
  readonly name: string;
  /** False leaves the provider due. Absent means always. */
  shouldRun?(context: FeedbackContext): boolean;
  provide(context: FeedbackContext): FeedbackDraft;
}

/** Fires once per session, when the file is first seen to exist. */
export type FileCreatedTrigger = { readonly filename: string };

/** When a provider runs: conditions are OR'd and inclusive; an empty trigger never fires. */
export type FeedbackTrigger = {
  readonly everyNCalls?: number;
  readonly everyNSeconds?: number;
  readonly onFileCreated?: FileCreatedTrigger;
};

export type FeedbackProviderConfig = { readonly provider: FeedbackProvider; readonly trigger: FeedbackTrigger };
