import type { FeedbackContext } from "../../base/words/feedback.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import { agentFeedback, type FeedbackState } from "./feedback-state.ts";

/** What providers see: the state before any of them spoke, and nothing of another agent's. */
export function feedbackContext(state: FeedbackState, session: SessionView, agent: string): FeedbackContext {
  const { calls, last, providers } = agentFeedback(state, agent);
  return {
    session,
    prompt: { name: agent },
    ...(session.deadline !== undefined && { deadline: session.deadline }),
    ...(last !== undefined && { lastFeedback: last }),
    lastFeedbackForProvider: (name) => providers.get(name)?.last,
    toolCallCount: calls,
    toolCallsSinceLastFeedback: () => calls - (last?.callIndex ?? 0),
    toolCallsSinceLastFeedbackForProvider: (name) => calls - (providers.get(name)?.lastCallIndex ?? 0),
    recentToolCalls: (n) => session.recentCalls(n),
  };
}
