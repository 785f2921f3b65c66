import { describe, expect, it } from "vitest";
import type { DayUsageStore, UserDay } from "../../base/ports/stores/day-usage.ts";
import type { Usage } from "../../base/words/budget.ts";
import { NOTHING } from "../../behavior/session/budget.ts";
import { DayLedger } from "./day-ledger.ts";

const DAY: UserDay = { agent: "clerk", user: "ann", day: "2026-03-06" };
const CALL: Usage = { ...NOTHING, calls: 1 };

/** A store in memory that remembers the sum of calls after each write. */
function sharedStore() {
  let calls = 0;
  const sums: number[] = [];
  const store: DayUsageStore = {
    async add(_of, amount) {
      calls += amount.calls;
      sums.push(calls);
      return { ...NOTHING, calls };
    },
  };
  return { store, sums };
}

describe("the use of a day in several processes", () => {
  it("DLG-1 an allowed call counts once in the store, at every moment", async () => {
    const { store, sums } = sharedStore();
    const ledger = new DayLedger(store);
    const release = await ledger.take(DAY, CALL);
    ledger.change(CALL);
    // Time for a write in the background, which must not happen yet.
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await ledger.flush();
    expect(Math.max(...sums)).toBe(1);
    expect([sums.at(-1), ledger.usage.calls]).toEqual([1, 1]);
  });

  it("DLG-2 a denied call is given back in the store without another call", async () => {
    const { store, sums } = sharedStore();
    const ledger = new DayLedger(store);
    (await ledger.take(DAY, CALL))();
    await expect.poll(() => sums.at(-1)).toBe(0);
  });

  it("DLG-3 a second process sees the calls of the first", async () => {
    const { store } = sharedStore();
    const [one, two] = [new DayLedger(store), new DayLedger(store)];
    const release = await one.take(DAY, CALL);
    one.change(CALL);
    release();
    await one.flush();
    await two.take(DAY);
    expect(two.usage.calls).toBe(1);
  });
});
