import type { CallRecord } from "../../../base/words/call.ts";
import type { FeedbackContext, FeedbackProvider, FeedbackProviderConfig } from "../../../base/words/feedback.ts";
import type { SessionView } from "../../../base/words/session-view.ts";
import { feedbackContext } from "../collect-feedback.ts";
import { feedbackSlice } from "../feedback-state.ts";

/** A session for the tests of this room; each test says only what matters to it. */
export function testSession(over: Partial<SessionView> & { readonly calls?: readonly CallRecord[] } = {}): SessionView {
  const { calls = [], ...rest } = over;
  return {
    id: "s_1",
    agent: "coder",
    channel: "web",
    custom: [],
    turn: 1,
    now: 1_000_000,
    startedAt: 1_000_000,
    modes: { think: false, verbose: false, elevated: false },
    usage: { inputTokens: 0, outputTokens: 0, calls: 0, cost: 0 },
    budget: {},
    callCount: calls.length,
    recentCalls: (n) => calls.slice(-n),
    evidence: () => undefined,
    ...rest,
  };
}

/** The context of an agent that has had no feedback yet. */
export function testContext(over: Parameters<typeof testSession>[0] = {}): FeedbackContext {
  return feedbackContext(feedbackSlice.initial, testSession(over), "coder");
}

/** Says its own name whenever it is asked. */
export function speaker(
  name: string,
  trigger: FeedbackProviderConfig["trigger"],
  over: Partial<FeedbackProvider> = {},
): FeedbackProviderConfig {
  return { provider: { name, provide: () => ({ summary: `${name} speaks` }), ...over }, trigger };
}
