import { describe, expect, it } from "vitest";
import type { Evidence } from "../../base/words/session-view.ts";
import { EvidenceChecker } from "./completion-checkers.ts";
import { testContext } from "./test/test-context.ts";

const run = (ok: number, last: Evidence["last"]): Evidence => ({ ok, lastOkAt: 0, last });
const say = (rest: string) => `These must succeed before the work is done. ${rest}`;

describe("EvidenceChecker", () => {
  it.each([
    { actions: [], evidence: {}, feedback: undefined },
    { actions: ["test"], evidence: { test: run(1, "ok") }, feedback: undefined },
    { actions: ["test"], evidence: {}, feedback: say("Not run in this session: test.") },
    { actions: ["test"], evidence: { test: run(1, "failed") }, feedback: say("Failed the last time: test.") },
    { actions: ["test"], evidence: { test: run(0, "failed") }, feedback: say("Failed the last time: test.") },
    {
      actions: ["test"],
      evidence: { test: run(1, "unknown") },
      feedback: say("Ended with an unknown outcome the last time: test."),
    },
    { actions: ["test"], latest: false, evidence: { test: run(1, "failed") }, feedback: undefined },
    {
      actions: ["test"],
      latest: false,
      evidence: { test: run(0, "failed") },
      feedback: say("Failed the last time: test."),
    },
    { actions: ["test"], evidence: { test: run(0, "ok") }, feedback: say("Not run in this session: test.") },
    {
      actions: ["lint", "test", "build", "e2e", "docs", "lint"],
      evidence: { test: run(2, "failed"), build: run(0, "unknown"), docs: run(3, "ok") },
      feedback: say(
        "Not run in this session: lint, e2e. Failed the last time: test. Ended with an unknown outcome the last time: build.",
      ),
    },
  ])(
    "TC-30 requiring $actions with $evidence (latest: $latest) gives the feedback $feedback",
    ({ actions, evidence, latest, feedback }) => {
      const checker = new EvidenceChecker({ actions, ...(latest !== undefined && { latest }) });
      const result = checker.check(testContext({ evidence: evidence as Record<string, Evidence> }));
      expect(result).toEqual(feedback === undefined ? { complete: true } : { complete: false, feedback });
    },
  );

  it("TC-31 a fact is there when an action that implies it has succeeded, and gone when the only one has failed since", () => {
    const checker = new EvidenceChecker({ actions: ["tested"], impliedBy: { tested: ["unit", "e2e"] } });
    const result = (evidence: Record<string, Evidence>) => checker.check(testContext({ evidence })).complete;
    expect(result({})).toBe(false);
    expect(result({ unit: run(1, "ok") })).toBe(true);
    expect(result({ unit: run(1, "failed") })).toBe(false);
    expect(result({ unit: run(1, "failed"), e2e: run(1, "ok") })).toBe(true);
  });
});
