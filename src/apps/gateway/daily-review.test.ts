import { describe, expect, it } from "vitest";
import { memorySessions } from "../../edge/stores/sessions-memory.ts";
import { pastRuns } from "../learning/review/past-runs.ts";
import { DAY, testReview } from "../learning/review/test-review.ts";
import { DailyReview } from "./daily-review.ts";

const HOUR = 3_600_000;

/** A Monday at nine; the review is at 08:15 in London. Two processes on one store. */
function world() {
  const review = testReview();
  const leases = memorySessions();
  const { events, governance, steps, time } = review;
  const clock = { now: () => time.now, monotonic: () => time.monotonic };
  const reported: string[] = [];
  const daily = (holder: string, more: Partial<ConstructorParameters<typeof DailyReview>[0]> = {}) =>
    new DailyReview({
      ...{ steps, events, governance, leases, holder, clock, at: "08:15", zone: "Europe/London" },
      report: (line) => void reported.push(line),
      ...more,
    });
  const say = async (text: string) => {
    const session = review.open();
    await session.onMessage({ text, sender: { id: "u", role: "user" } });
    await review.keep();
  };
  return { ...review, leases, daily, say, reported };
}

describe("the daily review in the gateway", () => {
  it("E14: at its time, once; a missed day is caught up once, and covers the gap", async () => {
    const { daily, say, pass, governance, delivered } = world();
    const review = daily("a");
    await say("hello");
    await review.look();
    expect(await pastRuns(governance)).toHaveLength(0);
    pass(DAY);
    await review.look();
    await review.look();
    expect(await pastRuns(governance)).toHaveLength(1);
    await say("hello again");
    pass(HOUR);
    await review.look();
    expect(await pastRuns(governance)).toHaveLength(1);
    pass(4 * DAY);
    await review.look();
    await review.look();
    const [first, second, ...more] = await pastRuns(governance);
    expect(more).toEqual([]);
    expect(second?.window.after).toBe(first?.window.upTo);
    expect(delivered).toHaveLength(2);
    await review.close();
  });

  it("RVW-2: of two processes on one store one runs it, and a holder that is gone holds nobody off for long", async () => {
    const { daily, say, pass, governance, leases, time } = world();
    await say("hello");
    pass(DAY);
    await leases.lease("conduct:daily-review", { holder: "gone", until: time.now + HOUR / 2, now: time.now });
    expect(await daily("a").run()).toBe("busy");
    pass(HOUR);
    const [one, two] = [daily("a"), daily("b")];
    const ran = await Promise.all([one.run(), two.run()]);
    expect(ran.filter((result) => result === "busy")).toHaveLength(1);
    expect(await pastRuns(governance)).toHaveLength(1);
  });

  it("RVW-3: a run that fails is told and tried again; closing waits for one that runs", async () => {
    const { daily, say, pass, steps, governance, reported } = world();
    await say("hello");
    pass(DAY);
    let broken = true;
    const flaky = {
      ...steps,
      finish: async (...args: Parameters<typeof steps.finish>) => {
        if (broken) throw new Error("the disk is full");
        return steps.finish(...args);
      },
    };
    const review = daily("a", { steps: flaky });
    await review.look();
    expect(reported).toEqual([expect.stringContaining("the disk is full")]);
    broken = false;
    const running = review.look();
    await running;
    await review.close();
    expect(await pastRuns(governance)).toHaveLength(1);
  });
});
