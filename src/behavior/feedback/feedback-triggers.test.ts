import { describe, expect, it } from "vitest";
import type { FeedbackProviderConfig } from "../../base/words/feedback.ts";
import { collectFeedback } from "./collect-feedback.ts";
import { countCall, type FeedbackState, type FilesSeen, feedbackSlice, watchedFiles } from "./feedback-state.ts";
import { speaker, testSession } from "./test/test-session.ts";

type Step = { at?: number; agent?: string; files?: FilesSeen };

/** Makes one call per step and tells who spoke after each. */
function speakers(configs: readonly FeedbackProviderConfig[], steps: readonly Step[], from = feedbackSlice.initial) {
  let state: FeedbackState = from;
  const spoke = steps.map(({ at = 0, agent = "coder", files = {} }) => {
    const session = testSession({ now: 1_000_000 + at * 1_000 });
    const collected = collectFeedback({ configs, state: countCall(state, agent), session, agent, files });
    state = collected.state;
    return collected.feedback.map((said) => said.providerName).join(" ");
  });
  return { spoke, state };
}

const calls = (n: number): Step[] => Array.from({ length: n }, () => ({}));
const present = { "a.txt": true };

describe("triggers", () => {
  it.each([
    { trigger: {}, steps: calls(3), spoke: ["", "", ""], rule: "FB-1 an empty trigger never fires" },
    {
      trigger: { everyNCalls: 2 },
      steps: calls(5),
      spoke: ["", "A", "", "A", ""],
      rule: "FB-2 every N calls, inclusive",
    },
    {
      trigger: { everyNSeconds: 30 },
      steps: [{ at: 0 }, { at: 29.9 }, { at: 59.8 }, { at: 60 }, { at: 89.8 }],
      spoke: ["A", "", "A", "", "A"],
      rule: "FB-3 seconds: at the first opportunity, then from this provider's last feedback, inclusive",
    },
    {
      trigger: { everyNCalls: 3, everyNSeconds: 10 },
      steps: [{ at: 0 }, { at: 1 }, { at: 11 }, { at: 12 }, { at: 13 }, { at: 14 }],
      spoke: ["A", "", "A", "", "", "A"],
      rule: "FB-4 conditions are OR'd",
    },
    {
      trigger: { onFileCreated: { filename: "a.txt" } },
      steps: [{}, { files: present }, { files: present }, { files: {} }, { files: present }],
      spoke: ["", "A", "", "", ""],
      rule: "FB-5 a file fires once a session, also when it is deleted and made again",
    },
    {
      trigger: { everyNCalls: 2, onFileCreated: { filename: "a.txt" } },
      steps: [{}, {}, { files: present }, { files: present }],
      spoke: ["", "A", "A", ""],
      rule: "FB-6 speaking for the calls does not mark a file that is absent",
    },
    {
      trigger: { everyNCalls: 2, onFileCreated: { filename: "a.txt" } },
      steps: [{}, { files: present }, { files: present }],
      spoke: ["", "A", ""],
      rule: "FB-7 a file that is there when the calls fire is marked too",
    },
    {
      trigger: { onFileCreated: { filename: "a.txt" } },
      steps: [{ files: { "a.txt": false } }, { files: { "b.txt": true } }],
      spoke: ["", ""],
      rule: "FB-8 an absent file and another file do not fire it",
    },
    {
      trigger: { onFileCreated: { filename: "constructor" } },
      steps: [{}],
      spoke: [""],
      rule: "FB-8 a filename that objects inherit is not seen as existing",
    },
  ])("$rule", ({ trigger, steps, spoke }) => {
    expect(speakers([speaker("A", trigger)], steps).spoke).toEqual(spoke);
  });

  it("FB-9 each provider keeps its own cadence", () => {
    const configs = [speaker("fast", { everyNCalls: 2 }), speaker("slow", { everyNCalls: 3 })];
    expect(speakers(configs, calls(6)).spoke).toEqual(["", "fast", "slow", "fast", "", "fast slow"]);
  });

  it("FB-10 calls are counted per agent, files per session", () => {
    const configs = [speaker("A", { everyNCalls: 2, onFileCreated: { filename: "a.txt" } })];
    const steps = [
      { agent: "one" },
      { agent: "two" },
      { agent: "one", files: present },
      { agent: "two", files: present },
    ];
    expect(speakers(configs, [...steps, { agent: "two", files: present }]).spoke).toEqual(["", "", "A", "A", ""]);
    const fileOnly = [speaker("A", { onFileCreated: { filename: "a.txt" } })];
    expect(speakers(fileOnly, steps.slice(2)).spoke).toEqual(["A", ""]);
  });

  it.each([
    { steps: [{ at: 100 }, { at: 20 }, { at: 49 }, { at: 50 }], spoke: ["A", "", "", "A"] },
    { steps: [{ at: 100 }, { at: 20 }, { at: 10 }, { at: 40 }], spoke: ["A", "", "", "A"] },
    { steps: [{ at: 1e9 }, { at: 0 }, { at: 30 }, { at: 60 }], spoke: ["A", "", "A", "A"] },
  ])("FB-11 a clock that jumps back delays feedback by at most one interval: $spoke", ({ steps, spoke }) => {
    expect(speakers([speaker("A", { everyNSeconds: 30 })], steps).spoke).toEqual(spoke);
  });
});

describe("a provider that is held back", () => {
  const held = (answers: boolean[]) => ({ shouldRun: () => answers.shift() ?? true });

  it.each([
    { trigger: { everyNCalls: 2 }, answers: [false, false], spoke: ["", "", "", "A", "", "A"] },
    { trigger: { everyNSeconds: 999 }, answers: [false], spoke: ["", "A", "", "", "", ""] },
    { trigger: { onFileCreated: { filename: "a.txt" } }, answers: [false, false], spoke: ["", "", "A", "", "", ""] },
  ])("FB-12 a provider whose shouldRun returns false stays due for $trigger", ({ trigger, answers, spoke }) => {
    const steps = Array.from({ length: 6 }, () => ({ files: present }));
    expect(speakers([speaker("A", trigger, held(answers))], steps).spoke).toEqual(spoke);
  });

  it("FB-12 a file trigger suppressed by shouldRun is not marked as fired and is checked again", () => {
    const configs = [speaker("A", { onFileCreated: { filename: "a.txt" } }, held([false]))];
    const { state } = speakers(configs, [{ files: present }]);
    expect(watchedFiles(configs, state)).toEqual(["a.txt"]);
    expect(speakers(configs, [{}, { files: present }], state).spoke).toEqual(["", "A"]);
  });

  it("FB-13 of two providers that watch one file, the suppressed one stays due after the other fired", () => {
    const trigger = { onFileCreated: { filename: "a.txt" } };
    const configs = [speaker("A", trigger), speaker("B", trigger, held([false, false]))];
    const { spoke, state } = speakers(configs, [{ files: present }, { files: present }, {}, { files: present }]);
    expect(spoke).toEqual(["A", "", "B", ""]);
    expect(watchedFiles(configs, state)).toEqual([]);
  });
});

describe("watchedFiles", () => {
  const configs = [
    speaker("A", { onFileCreated: { filename: "a.txt" } }),
    speaker("B", { onFileCreated: { filename: "b.txt" }, everyNCalls: 1 }),
    speaker("C", { onFileCreated: { filename: "a.txt" } }),
    speaker("D", { everyNCalls: 5 }),
  ];

  it.each([
    { files: {}, watched: ["a.txt", "b.txt"] },
    { files: { "a.txt": true }, watched: ["b.txt"] },
    { files: { "a.txt": true, "b.txt": true }, watched: [] },
  ])("FB-14 after $files the watched files are $watched", ({ files, watched }) => {
    expect(watchedFiles(configs, speakers(configs, [{ files }]).state)).toEqual(watched);
  });
});
