import { InngestTestEngine } from "@inngest/test";
import { Inngest } from "inngest";
import { describe, expect, it } from "vitest";
import type { ReviewRecord, ReviewSteps, ReviewWindow } from "../../src/apps/learning/review/steps.ts";
import { inngestReview, REVIEW_EVENT } from "../../src/apps/learning/runners/inngest-review.ts";

const window: ReviewWindow = { run: "r", after: 0, upTo: 9, from: 0, to: 1 };
const record: ReviewRecord = {
  ...{ window, at: 1, by: "daily-review", sessions: 1, messages: 1, decisions: 1, found: 0, known: 0 },
  ...{ proposed: [], merged: [], refused: [], good_patterns: [], bad_patterns: [], adherence: [] },
};

/** Steps that note what was done; one of them fails so often. */
function noting(failing = "", times = 0) {
  const done: string[] = [];
  let left = times;
  const step = async <T>(name: string, result: T): Promise<T> => {
    if (name === failing && left > 0) {
      left -= 1;
      done.push(`${name} failed`);
      throw new Error("the store is away");
    }
    done.push(name);
    return result;
  };
  const steps: ReviewSteps = {
    window: () => step("window", window),
    find: () => step("find", []),
    ask: () => step("ask", { findings: [] }),
    propose: () => step("propose", []),
    adherence: () => step("adherence", []),
    finish: () => step("finish", record),
    digest: () => step("digest", undefined),
  };
  return { steps, done };
}
const ALL = ["window", "find", "ask", "propose", "adherence", "finish", "digest"];
const events: [{ name: string }] = [{ name: REVIEW_EVENT }];

describe("the review as an Inngest function", () => {
  it("RVW-50: every step runs once, in order, and the run returns its record", async () => {
    const { steps, done } = noting();
    const engine = new InngestTestEngine({
      function: new Inngest({ id: "test" }).createFunction(...inngestReview(steps)),
      events,
    });
    const { result, error } = await engine.execute();
    expect(error).toBeUndefined();
    expect(result).toEqual(record);
    expect(done).toEqual(ALL);
  });

  it("RVW-51: a resumed run does not repeat finished steps", async () => {
    const { steps, done } = noting();
    const engine = new InngestTestEngine({
      function: new Inngest({ id: "test" }).createFunction(...inngestReview(steps)),
      events,
      steps: [
        { id: "window", handler: () => window },
        { id: "find", handler: () => [] },
        { id: "ask", handler: () => ({ findings: [] }) },
      ],
    });
    expect((await engine.execute()).result).toEqual(record);
    expect(done).toEqual(ALL.slice(3));
  });

  it("RVW-52: a failing step is reported, and no later step runs", async () => {
    const { steps, done } = noting("propose", 99);
    const engine = new InngestTestEngine({
      function: new Inngest({ id: "test" }).createFunction(...inngestReview(steps)),
      events,
    });
    expect((await engine.execute()).error).toMatchObject({ message: "the store is away" });
    expect(done).not.toContain("adherence");
  });
});
