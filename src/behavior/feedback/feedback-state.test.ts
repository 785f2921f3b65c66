import { describe, expect, it } from "vitest";
import { collectFeedback } from "./collect-feedback.ts";
import { countCall, type FeedbackState, feedbackSlice } from "./feedback-state.ts";
import { speaker, testSession } from "./test/test-session.ts";

describe("feedbackSlice", () => {
  it("FB-30 the feedback slice is STATE, so restore resets counts, feedback and fired files together", () => {
    expect(feedbackSlice).toMatchObject({ name: "feedback", kind: "STATE" });
  });

  it("FB-31 counting a call changes only that agent's state and does not mutate the old state", () => {
    const one = countCall(countCall(feedbackSlice.initial, "a"), "b");
    const two = countCall(one, "a");
    const countsOf = (state: FeedbackState) => [...state.agents].map(([name, { calls }]) => `${name} ${calls}`).sort();
    expect(countsOf(two)).toEqual(["a 2", "b 1"]);
    expect(countsOf(one)).toEqual(["a 1", "b 1"]);
    expect(feedbackSlice.initial.agents.size).toBe(0);
  });

  it("FB-32 after 5,000 calls the state has one entry per provider and file and no history", () => {
    const configs = [
      speaker("A", { everyNCalls: 1, onFileCreated: { filename: "a" } }),
      speaker("B", { everyNSeconds: 1 }),
    ];
    let state = feedbackSlice.initial;
    for (let call = 0; call < 5_000; call++) {
      const session = testSession({ now: call * 1_000 });
      const input = { configs, state: countCall(state, "coder"), session, agent: "coder", files: { a: true } };
      state = collectFeedback(input).state;
    }
    const mine = state.agents.get("coder");
    expect([state.agents.size, state.firedFiles.size, mine?.providers.size, mine?.calls]).toEqual([1, 1, 2, 5_000]);
    const entries = [...state.agents].map(([, { last, providers }]) => [last, [...providers]]);
    expect(JSON.stringify([entries, [...state.firedFiles]]).length).toBeLessThan(1_500);
  });

  it("FB-33 an older feedback state is a snapshot: the same call from it gives the same feedback", () => {
    const configs = [speaker("A", { everyNCalls: 2, onFileCreated: { filename: "a" } })];
    const before = countCall(countCall(feedbackSlice.initial, "coder"), "coder");
    const input = { configs, state: before, session: testSession(), agent: "coder", files: { a: true } };
    const first = collectFeedback(input);
    expect(collectFeedback({ ...input, state: first.state }).feedback).toEqual([]);
    expect(collectFeedback(input)).toEqual(first);
  });
});
