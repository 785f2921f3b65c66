import { describe, expect, it } from "vitest";
import type { CallRecord } from "../../base/words/call.ts";
import type { Feedback } from "../../base/words/feedback.ts";
import { feedbackContext } from "./collect-feedback.ts";
import { countCall, feedbackSlice, rememberFeedback } from "./feedback-state.ts";
import { testSession } from "./test/test-session.ts";

const said = (providerName: string, callIndex: number): Feedback => ({
  providerName,
  summary: providerName,
  observations: [],
  suggestions: [],
  severity: "info",
  timestamp: 1_000_000,
  callIndex,
  promptName: "coder",
});

const call = (id: string): CallRecord => ({ id, tool: "t", actions: [], outcome: "ok", at: 0, argsHash: "h" });

/** Two calls, A speaks, one call, B speaks, three calls; one call of another agent. */
function played() {
  let state = feedbackSlice.initial;
  const count = (times: number) => {
    for (let i = 0; i < times; i++) state = countCall(state, "coder");
  };
  count(2);
  state = rememberFeedback(state, "coder", said("A", 2));
  count(1);
  state = rememberFeedback(state, "coder", said("B", 3));
  count(3);
  return countCall(state, "other");
}

describe("feedbackContext", () => {
  it("FB-40 the feedback context has every field and method, counted for the current agent", () => {
    const session = testSession({ deadline: 5, calls: ["1", "2", "3"].map(call) });
    const context = feedbackContext(played(), session, "coder");
    expect(context.session).toBe(session);
    expect(context.prompt).toEqual({ name: "coder" });
    expect(context.deadline).toBe(5);
    expect(context.lastFeedback?.providerName).toBe("B");
    expect(["A", "B", "C"].map((name) => context.lastFeedbackForProvider(name)?.callIndex)).toEqual([2, 3, undefined]);
    expect(context.toolCallCount).toBe(6);
    expect(context.toolCallsSinceLastFeedback()).toBe(3);
    expect(["A", "B", "C"].map((name) => context.toolCallsSinceLastFeedbackForProvider(name))).toEqual([4, 3, 6]);
    expect(context.recentToolCalls(2).map(({ id }) => id)).toEqual(["2", "3"]);
  });

  it("FB-41 the feedback context hides other agents' feedback and omits missing values", () => {
    const context = feedbackContext(played(), testSession(), "other");
    expect(context.toolCallCount).toBe(1);
    expect(context.toolCallsSinceLastFeedback()).toBe(1);
    expect(context.lastFeedbackForProvider("A")).toBeUndefined();
    expect(context.lastFeedback ?? context.deadline).toBeUndefined();
  });
});
