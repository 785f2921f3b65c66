import { describe, expect, it } from "vitest";
import type { CallRecord, Outcome } from "../../base/words/call.ts";
import { collectFeedback } from "./collect-feedback.ts";
import {
  DeadlineFeedback,
  RepeatedFailureFeedback,
  StaticFeedbackProvider,
  TokenBudgetFeedback,
} from "./feedback-providers.ts";
import { countCall, feedbackSlice } from "./feedback-state.ts";
import { testContext, testSession } from "./test/test-session.ts";

describe("DeadlineFeedback", () => {
  const at = (left: number, taken = 300) =>
    testContext({ startedAt: 1_000_000 - taken * 1_000, deadline: 1_000_000 + left * 1_000 });

  it.each([
    { left: 9_000, taken: 300, severity: "info", says: ["5 minutes", "2.5 hours remaining"], suggestions: 0 },
    { left: 120.001, taken: 59, severity: "info", says: ["59 seconds", "2 minutes remaining"], suggestions: 0 },
    { left: 120, taken: 60, severity: "warning", says: ["1 minute", "2 minutes remaining"], suggestions: 2 },
    { left: 59, taken: 300, severity: "warning", says: ["59 seconds remaining"], suggestions: 2 },
    { left: 0.5, taken: 300, severity: "warning", says: ["Less than a second remaining"], suggestions: 2 },
    { left: 0, taken: 300, severity: "warning", says: ["deadline has passed"], suggestions: 1 },
    { left: -60, taken: 300, severity: "warning", says: ["deadline has passed"], suggestions: 1 },
  ])(
    "DL-1 deadline feedback with $left s left has severity $severity",
    ({ left, taken, severity, says, suggestions }) => {
      const draft = new DeadlineFeedback().provide(at(left, taken));
      for (const text of says) expect(draft.summary).toContain(text);
      expect([draft.severity, draft.suggestions?.length ?? 0]).toEqual([severity, suggestions]);
    },
  );

  it("DL-2 deadline feedback does not run without a deadline", () => {
    expect(new DeadlineFeedback().shouldRun(testContext())).toBe(false);
    expect(new DeadlineFeedback().shouldRun(at(1))).toBe(true);
  });

  it("DL-3 deadline feedback accepts a name and a threshold, and rejects a threshold that is not above 0", () => {
    const provider = new DeadlineFeedback({ warningThresholdSeconds: 10, name: "Last seconds" });
    expect([provider.name, new DeadlineFeedback().name]).toEqual(["Last seconds", "Deadline"]);
    expect([11, 10].map((left) => provider.provide(at(left)).severity)).toEqual(["info", "warning"]);
    for (const warningThresholdSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new DeadlineFeedback({ warningThresholdSeconds })).toThrow(/warningThresholdSeconds/);
    }
  });
});

describe("StaticFeedbackProvider", () => {
  it.each([
    { given: { feedback: "Run the tests." }, name: "Static", draft: { summary: "Run the tests." } },
    {
      given: { feedback: { summary: "s", suggestions: ["t"] }, name: "Tests" },
      name: "Tests",
      draft: { summary: "s", suggestions: ["t"] },
    },
  ])("ST-1 the static provider $name returns its configured feedback", ({ given, name, draft }) => {
    const provider = new StaticFeedbackProvider(given);
    expect([provider.name, provider.provide()]).toEqual([name, draft]);
  });
});

describe("TokenBudgetFeedback", () => {
  const usage = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens, calls: 0, cost: 0 });

  it.each([
    { budget: { tokens: 1_000 }, used: usage(600, 99), severity: "info", share: "69 %", suggestions: 0 },
    { budget: { tokens: 1_000 }, used: usage(600, 100), severity: "caution", share: "70 %", suggestions: 1 },
    { budget: { tokens: 1_000 }, used: usage(600, 300), severity: "warning", share: "90 %", suggestions: 2 },
    { budget: { tokens: 1_000 }, used: usage(1_600, 0), severity: "warning", share: "160 %", suggestions: 2 },
    {
      budget: { inputTokens: 1_000, outputTokens: 100 },
      used: usage(100, 95),
      severity: "warning",
      share: "95 %",
      suggestions: 2,
    },
    { budget: { tokens: 0 }, used: usage(0, 0), severity: "warning", share: "100 %", suggestions: 2 },
  ])(
    "TB-1 token feedback at $share of $budget has severity $severity",
    ({ budget, used, severity, share, suggestions }) => {
      const draft = new TokenBudgetFeedback().provide(testContext({ budget, usage: used }));
      expect(draft.summary.startsWith(`${share} of`)).toBe(true);
      expect([draft.severity, draft.suggestions?.length]).toEqual([severity, suggestions]);
    },
  );

  it("TB-2 token feedback names each limit with its figures", () => {
    const context = testContext({ budget: { tokens: 20_000, outputTokens: 4_000 }, usage: usage(9_000, 1_000) });
    expect(new TokenBudgetFeedback().provide(context).observations).toEqual([
      { category: "tokens", description: "10,000 of 20,000 (50 %)" },
      { category: "output tokens", description: "1,000 of 4,000 (25 %)" },
    ]);
  });

  it("TB-3 token feedback does not run without a token budget", () => {
    const provider = new TokenBudgetFeedback({ cautionAt: 0.1, warnAt: 0.2, name: "Tokens" });
    expect(provider.name).toBe("Tokens");
    expect(provider.shouldRun(testContext({ budget: { calls: 1, cost: 1 } }))).toBe(false);
    expect(provider.shouldRun(testContext({ budget: { outputTokens: 1 } }))).toBe(true);
    expect(() => new TokenBudgetFeedback({ warnAt: 0 })).toThrow(/warnAt/);
  });
});

describe("RepeatedFailureFeedback", () => {
  const letters: Record<string, Outcome> = { f: "failed", d: "denied", o: "ok", c: "cancelled", u: "unknown" };
  /** `shell:1:f` is a failed call of shell with arguments 1. */
  const log = (text: string): CallRecord[] =>
    text.split(" ").map((word, at) => {
      const [tool = "", argsHash = "", letter = ""] = word.split(":");
      return { id: `${at}`, tool, argsHash, outcome: letters[letter] ?? "ok", actions: [], at };
    });

  it.each([
    { calls: "a:1:f a:1:f", says: undefined },
    { calls: "a:1:f a:1:f a:1:f", says: "a failed 3 times in a row" },
    { calls: "a:1:d a:1:d a:1:d", says: "a was denied 3 times in a row" },
    { calls: "a:1:f a:1:d a:1:f a:1:f", says: "a failed or was denied 4 times in a row" },
    { calls: "a:1:f a:2:f a:3:f", says: undefined },
    { calls: "a:1:f b:1:f c:1:f", says: undefined },
    { calls: "a:1:f a:1:f a:1:o a:1:f", says: undefined },
    { calls: "a:1:f a:1:f a:1:u a:1:f", says: undefined },
    { calls: "a:1:f a:1:f a:1:c a:1:f", says: "a failed 3 times in a row" },
    { calls: "a:1:f b:1:o a:1:f b:1:o a:1:f", says: "a failed 3 times in a row" },
    { calls: "a:1:f a:1:f a:1:f b:1:f b:1:f b:1:f b:1:f", says: "b failed 4 times in a row" },
    { calls: "b:1:f b:1:f b:1:f b:1:f a:1:f a:1:f a:1:f", says: "b failed 4 times in a row" },
  ])("RF-1 repeated-failure feedback after $calls is: $says", ({ calls: text, says }) => {
    const calls = log(text);
    let state = feedbackSlice.initial;
    for (const _ of calls) state = countCall(state, "coder");
    const configs = [{ provider: new RepeatedFailureFeedback(), trigger: { everyNCalls: 1 } }];
    const { feedback, faults } = collectFeedback({
      configs,
      state,
      session: testSession({ calls }),
      agent: "coder",
      files: {},
    });
    expect(feedback[0]?.summary).toBe(says === undefined ? undefined : `${says} with the same arguments.`);
    expect(feedback[0]?.suggestions.length ?? 1).toBe(1);
    expect(faults).toEqual([]);
  });

  it("RF-2 repeated-failure feedback is given once for each further failure", () => {
    const words = "a:1:f a:1:f b:1:o a:1:f a:1:f c:1:o a:1:o".split(" ");
    const configs = [{ provider: new RepeatedFailureFeedback({ after: 2 }), trigger: { everyNCalls: 1 } }];
    let state = feedbackSlice.initial;
    const severities = words.map((_, at) => {
      const session = testSession({ calls: log(words.slice(0, at + 1).join(" ")) });
      const collected = collectFeedback({
        configs,
        state: countCall(state, "coder"),
        session,
        agent: "coder",
        files: {},
      });
      state = collected.state;
      return collected.feedback[0]?.severity ?? "-";
    });
    expect(severities).toEqual(["-", "caution", "-", "caution", "warning", "-", "-"]);
  });

  it("RF-3 repeated-failure feedback accepts a name and a failure count, and rejects a count of 0", () => {
    expect(new RepeatedFailureFeedback({ name: "Loop" }).name).toBe("Loop");
    expect(() => new RepeatedFailureFeedback({ after: 0 })).toThrow(/after/);
    expect(() => new RepeatedFailureFeedback().provide(testContext())).toThrow("nothing failed");
  });
});
