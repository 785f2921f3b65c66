import { describe, expect, it } from "vitest";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import { pastRuns } from "../../learning/review/past-runs.ts";
import { DAY, testReview } from "../../learning/review/test-review.ts";
import { DailyReview } from "./daily-review.ts";

const HOUR = 3_600_000;

/** A Monday at nine; the review is at 08:15 in London. Two processes on one store. */
function world() {
  const review = testReview();
  const leases = memoryStores().sessions;
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
  it("E14: the review runs once at its time, and a missed day is caught up once and covers the gap", async () => {
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

  it("RVW-2: only one of two processes on one store runs the review, and a dead holder's lease expires soon", async () => {
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

  it("RVW-3: a failed review is reported and retried, and closing waits for a running one", async () => {
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

  it("RVW-4: after a quiet night the review waits for its time instead of running during the first conversation", async () => {
    const { daily, say, pass, governance } = world();
    const review = daily("a");
    await say("hello");
    pass(DAY);
    await review.look();
    pass(DAY);
    await review.look();
    await say("good morning");
    pass(HOUR);
    await review.look();
    expect(await pastRuns(governance)).toHaveLength(1);
    pass(DAY);
    await review.look();
    expect(await pastRuns(governance)).toHaveLength(2);
    await review.close();
  });

  it("RVW-5: reviews continue after a clock that was years ahead is corrected", async () => {
    const { daily, say, pass, governance, time } = world();
    const review = daily("a");
    await say("hello");
    pass(DAY);
    await review.look();
    const { now } = time;
    await say("hello again");
    time.now = Date.UTC(2099, 0, 1);
    await review.look();
    time.now = now;
    await say("and again");
    pass(DAY);
    await review.look();
    await review.look();
    expect(await pastRuns(governance)).toHaveLength(3);
    await review.close();
  });

  it("RVW-31: events recorded with a clock 30 days ahead do not prevent the review from running at its time", async () => {
    const { daily, say, pass, governance, time } = world();
    const review = daily("a");
    await say("hello");
    pass(DAY);
    await review.look();
    const { now } = time;
    time.now = now + 30 * DAY;
    await say("in the future");
    time.now = now;
    pass(DAY);
    await review.look();
    await review.look();
    expect(await pastRuns(governance)).toHaveLength(2);
    await review.close();
  });

  it("RVW-6: a request during a review is rejected as busy, and closing waits for the review from its first step", async () => {
    const { daily, say, pass, governance, leases } = world();
    await say("hello");
    pass(DAY);
    let go: (() => void) | undefined;
    const slow = {
      lease: async (...args: Parameters<typeof leases.lease>) => {
        await new Promise<void>((resolve) => {
          go = resolve;
        });
        return leases.lease(...args);
      },
      renew: leases.renew,
      release: () => Promise.reject(new Error("the store is away")),
    };
    const review = daily("a", { leases: slow });
    const running = review.run();
    expect(await review.run()).toBe("busy");
    let closed = false;
    const closing = review.close().then(() => {
      closed = true;
    });
    await Promise.resolve();
    expect(closed).toBe(false);
    go?.();
    expect(await running).toMatchObject({ sessions: 1 });
    await closing;
    expect(await pastRuns(governance)).toHaveLength(1);
    expect(await review.run()).toBe("busy");
  });

  it("RVW-7: an unavailable store is reported once per outage", async () => {
    const { daily, say, pass, governance, reported } = world();
    await say("hello");
    pass(DAY);
    let away = true;
    const head: typeof governance.head = () =>
      away ? Promise.reject(new Error("connection refused")) : governance.head();
    const review = daily("a", { governance: { ...governance, head } });
    for (let looks = 0; looks < 5; looks++) await review.look();
    expect(reported).toHaveLength(1);
    away = false;
    await review.look();
    expect(await pastRuns(governance)).toHaveLength(1);
    away = true;
    await review.look();
    expect(reported).toHaveLength(2);
    await review.close();
  });

  it.each([
    ["02:30 in the night that has none", "02:30", Date.UTC(2027, 2, 27, 20)],
    ["02:30 in the night that has two", "02:30", Date.UTC(2026, 9, 24, 20)],
    ["08:15 on a day of 23 hours", "08:15", Date.UTC(2027, 2, 27, 20)],
    ["08:15 on a day of 25 hours", "08:15", Date.UTC(2026, 9, 24, 20)],
  ])("RVW-8: the review runs once a day when the clocks change: %s", async (_name, at, start) => {
    const { daily, say, governance, time } = world();
    const review = daily("a", { at, zone: "Europe/Berlin" });
    time.now = start - 26 * HOUR;
    await say("before");
    const runs: number[] = [];
    for (time.now = start; time.now <= start + 40 * HOUR; time.now += HOUR / 2) {
      await review.look();
      // Somebody talks all the time.
      await say("hello");
      if ((time.now - start) % (20 * HOUR) === 0) runs.push((await pastRuns(governance)).length);
    }
    expect(runs).toEqual([1, 2, 3]);
    await review.close();
  });
});
