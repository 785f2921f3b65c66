import { describe, expect, it } from "vitest";
import { DeadlineFeedback } from "./feedback-providers.ts";
import { feedbackFaults } from "./feedback-state.ts";
import { speaker } from "./test/test-session.ts";

const every = (trigger: Parameters<typeof speaker>[1]) => [speaker("A", trigger)];

describe("feedbackFaults", () => {
  it.each([
    { configs: [], faults: [] },
    { configs: every({}), faults: [] },
    { configs: every({ everyNCalls: 1, everyNSeconds: 0.5, onFileCreated: { filename: "a" } }), faults: [] },
    {
      configs: [speaker("A", {}), speaker("B", {}), speaker("A", {}), speaker("A", {})],
      faults: [/'A'.*more than once/],
    },
    { configs: [speaker(" ", {})], faults: [/no name/] },
    { configs: every({ everyNCalls: 0 }), faults: [/'A'.*everyNCalls.*not 0/] },
    { configs: every({ everyNCalls: 1.5 }), faults: [/everyNCalls.*not 1.5/] },
    { configs: every({ everyNSeconds: -1 }), faults: [/everyNSeconds.*not -1/] },
    {
      configs: every({ everyNCalls: Number.NaN, everyNSeconds: Number.POSITIVE_INFINITY }),
      faults: [/NaN/, /Infinity/],
    },
    { configs: every({ onFileCreated: { filename: "" } }), faults: [/onFileCreated/] },
    { configs: every({ onFileCreated: { filename: "a\0" } }), faults: [/onFileCreated/] },
  ])("FB-60 validation reports every fault of a feedback configuration: $faults", ({ configs, faults }) => {
    expect(feedbackFaults(configs)).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });

  it("FB-61 two instances of one provider must have different names", () => {
    const trigger = { everyNCalls: 1 };
    const twins = (name: string) => [
      { provider: new DeadlineFeedback(), trigger },
      { provider: new DeadlineFeedback({ name }), trigger },
    ];
    expect(feedbackFaults(twins("Deadline"))).toHaveLength(1);
    expect(feedbackFaults(twins("Last minutes"))).toEqual([]);
  });
});
