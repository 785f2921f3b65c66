import { describe, expect, it } from "vitest";
import type { FeedbackContext, FeedbackProvider, FeedbackProviderConfig } from "../../base/words/feedback.ts";
import { collectFeedback } from "./collect-feedback.ts";
import { countCall, feedbackSlice } from "./feedback-state.ts";
import { speaker, testSession } from "./test/test-session.ts";

const always = { everyNCalls: 1 };

function collect(configs: readonly FeedbackProviderConfig[], state = feedbackSlice.initial, session = testSession()) {
  return collectFeedback({ configs, state: countCall(state, "coder"), session, agent: "coder", files: {} });
}

/** Foreign code keeps no promise that the types make. */
function broken(over: Record<keyof FeedbackProvider, unknown> | Record<string, unknown>): FeedbackProviderConfig {
  return speaker("bad", always, over as Partial<FeedbackProvider>);
}

describe("collectFeedback", () => {
  it("FB-20 all due providers give feedback in declaration order, in blocks joined by one blank line", () => {
    const { text, feedback, faults } = collect([speaker("B", always), speaker("-", {}), speaker("A", always)]);
    expect(text).toBe(
      "<feedback provider='B'>\nB speaks\n</feedback>\n\n<feedback provider='A'>\nA speaks\n</feedback>",
    );
    expect(feedback.map((said) => said.providerName)).toEqual(["B", "A"]);
    expect(faults).toEqual([]);
  });

  it("FB-21 if no provider is due there is no text and the state is unchanged", () => {
    const state = countCall(feedbackSlice.initial, "coder");
    const input = { configs: [speaker("A", {})], state, session: testSession(), agent: "coder", files: {} };
    const collected = collectFeedback(input);
    expect(collected).toEqual({ feedback: [], state, faults: [] });
    expect(collected.state).toBe(state);
    expect("text" in collected).toBe(false);
  });

  it("FB-22 feedback records its provider, time, agent and call index", () => {
    const draft = { summary: " hi ", observations: [{ category: "c", description: "d" }], suggestions: ["s"] };
    const provide = () => ({ ...draft, severity: "warning" as const });
    const first = collect([speaker("A", { everyNCalls: 2 }, { provide })]);
    expect(first.feedback).toEqual([]);
    expect(collect([speaker("A", { everyNCalls: 2 }, { provide })], first.state).feedback).toEqual([
      {
        providerName: "A",
        ...draft,
        summary: "hi",
        severity: "warning",
        timestamp: 1_000_000,
        callIndex: 2,
        promptName: "coder",
      },
    ]);
  });

  it.each([
    {
      what: "a throw in provide",
      over: {
        provide: () => {
          throw new Error("boom");
        },
      },
      message: "boom",
    },
    {
      what: "a thrown text",
      over: {
        provide: () => {
          throw "boom";
        },
      },
      message: "boom",
    },
    {
      what: "a throw of nothing",
      over: {
        provide: () => {
          throw undefined;
        },
      },
      message: "no reason given",
    },
    {
      what: "a throw in shouldRun",
      over: {
        shouldRun: () => {
          throw new Error("no");
        },
      },
      message: "no",
    },
    { what: "a promise", over: { provide: async () => ({ summary: "late" }) }, message: /promise/ },
    { what: "a promise that rejects", over: { provide: () => Promise.reject(new Error("late")) }, message: /promise/ },
    { what: "a promise in shouldRun", over: { shouldRun: () => Promise.reject(new Error("x")) }, message: /promise/ },
    { what: "a number in shouldRun", over: { shouldRun: () => 1 }, message: "shouldRun returned 1" },
    { what: "nothing", over: { provide: () => undefined }, message: "it returned undefined" },
    { what: "null", over: { provide: () => null }, message: "it returned null" },
    { what: "a text", over: { provide: () => "hi" }, message: "it returned a string" },
    { what: "no summary", over: { provide: () => ({}) }, message: /no summary/ },
    { what: "a blank summary", over: { provide: () => ({ summary: " \n" }) }, message: /no summary/ },
    {
      what: "odd observations",
      over: { provide: () => ({ summary: "s", observations: [null] }) },
      message: /observations/,
    },
    {
      what: "odd categories",
      over: { provide: () => ({ summary: "s", observations: [{ category: 1 }] }) },
      message: /observations/,
    },
    {
      what: "odd suggestions",
      over: { provide: () => ({ summary: "s", suggestions: "do it" }) },
      message: /suggestions/,
    },
    { what: "an odd severity", over: { provide: () => ({ summary: "s", severity: "fatal" }) }, message: /severity/ },
    {
      what: "a getter that throws",
      over: {
        provide: () => ({
          get summary() {
            throw new Error("get");
          },
        }),
      },
      message: "get",
    },
  ])(
    "FB-23 $what from one provider is a fault and does not lose the feedback of other providers",
    ({ over, message }) => {
      const { feedback, faults, state } = collect([speaker("A", always), broken(over), speaker("C", always)]);
      expect(feedback.map((said) => said.providerName)).toEqual(["A", "C"]);
      expect(faults).toEqual([
        { where: "feedback:bad", code: "feedback-failed", message: expect.stringMatching(message) },
      ]);
      expect(state.agents.get("coder")?.providers.get("bad")).toBeUndefined();
    },
  );

  it("FB-23 the message of a fault has a maximum length", () => {
    const provide = () => {
      throw new Error("x".repeat(10_000));
    };
    expect(collect([broken({ provide })]).faults[0]?.message).toHaveLength(300);
  });

  it("FB-24 a provider that failed stays due for the next call", () => {
    const answers: (() => { summary: string })[] = [
      () => {
        throw new Error("once");
      },
    ];
    const flaky = speaker(
      "A",
      { everyNCalls: 2 },
      { provide: () => (answers.shift() ?? (() => ({ summary: "ok" })))() },
    );
    const one = collect([flaky]);
    const two = collect([flaky], one.state);
    const three = collect([flaky], two.state);
    expect([one, two, three].map(({ feedback, faults }) => [feedback.length, faults.length])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
  });

  it("FB-25 all triggers and shouldRun checks are evaluated on one context before any provider gives feedback", () => {
    const seen: string[] = [];
    const nosy = (name: string) =>
      speaker(name, always, {
        shouldRun: (context: FeedbackContext) => seen.push(`${name}? ${context.lastFeedback?.summary ?? "-"}`) > 0,
        provide: (context: FeedbackContext) => {
          seen.push(`${name}! ${context.lastFeedback?.summary ?? "-"} ${context.toolCallsSinceLastFeedback()}`);
          return { summary: `by ${name}` };
        },
      });
    const { state } = collect([nosy("A"), nosy("B")]);
    expect(seen).toEqual(["A? -", "B? -", "A! - 1", "B! - 1"]);
    expect(state.agents.get("coder")?.last?.summary).toBe("by B");
  });

  it("FB-26 a provider's feedback is limited in size and copied, so later changes do not affect the record", () => {
    const suggestions = Array.from({ length: 100 }, (_, i) => `${i}`);
    const observations = [{ category: "c".repeat(1_000), description: "\ud800" }];
    const provide = () => ({ summary: "x".repeat(1_000_000), observations, suggestions });
    const said = collect([speaker("A", always, { provide })]).feedback[0];
    suggestions[0] = "changed";
    expect(said?.summary).toHaveLength(2_000);
    expect(said?.summary.endsWith("…")).toBe(true);
    expect(said?.observations[0]?.category).toHaveLength(500);
    expect(said?.observations[0]?.description).toBe("\ufffd");
    expect(said?.suggestions).toHaveLength(20);
    expect(said?.suggestions[0]).toBe("0");
  });

  it("FB-27 provider methods are called with the provider as `this`", () => {
    class Counter implements FeedbackProvider {
      readonly name = "Counter";
      readonly #text: string = "mine";
      shouldRun() {
        return this.#text !== "";
      }
      provide() {
        return { summary: this.#text };
      }
    }
    expect(collect([{ provider: new Counter(), trigger: always }]).feedback[0]?.summary).toBe("mine");
  });
});
