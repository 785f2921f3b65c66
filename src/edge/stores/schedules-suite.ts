import { describe, expect, it } from "vitest";
import type { SchedulesStore } from "../../base/ports/schedules.ts";
import type { Schedule, ScheduleRun } from "../../base/words/schedule.ts";

const morning: Schedule = {
  id: "morning",
  agent: "ada",
  user: "ann",
  cron: "0 8 * * 1-5",
  zone: "Europe/London",
  say: "Morning digest",
  deliver: { channel: "telegram", address: "77" },
  enabled: true,
  at: 1,
};
const run = (id: string, due: number, status: ScheduleRun["status"] = "running"): ScheduleRun => ({
  id,
  schedule: "morning",
  due,
  startedAt: due + 1,
  status,
});

/** What every store of schedules does. */
export function schedulesSuite(name: string, open: () => Promise<SchedulesStore>): void {
  describe(`schedules: ${name}`, () => {
    it("SCH-1 gives them back, by user and agent, and forgets what is removed", async () => {
      const store = await open();
      const night = { ...morning, id: "night", user: "bob", at: 2, enabled: false };
      for (const one of [night, morning]) await store.put(one);
      expect(await store.read("night")).toEqual(night);
      expect(await store.list()).toEqual([morning, night]);
      expect(await store.list({ user: "bob" })).toEqual([night]);
      expect(await store.list({ agent: "none" })).toEqual([]);
      await store.put({ ...night, enabled: true });
      await store.remove("morning");
      expect(await store.list()).toEqual([{ ...night, enabled: true }]);
    });

    it("SCH-2 one run for one time, one at a time, whoever asks", async () => {
      const store = await open();
      const begun = await Promise.all(["r1", "r2", "r3"].map((id) => store.begin(run(id, 100))));
      expect(begun.filter(Boolean)).toHaveLength(1);
      const first = `r${begun.indexOf(true) + 1}`;
      // The next time comes while this one still runs.
      expect(await store.begin(run("r4", 200))).toBe(false);
      await store.end({ ...run(first, 100, "done"), endedAt: 150, result: "all quiet" });
      expect(await store.begin(run("r5", 100))).toBe(false);
      expect(await store.begin(run("r6", 200))).toBe(true);
      expect((await store.runs({ schedule: "morning", limit: 5 })).map(({ id }) => id)).toEqual(["r6", first]);
      await expect(store.end(run("none", 1))).rejects.toThrow("no run");
    });

    it("SCH-3 a time that is skipped is noted beside one that runs", async () => {
      const store = await open();
      expect(await store.begin(run("r1", 100))).toBe(true);
      expect(await store.begin(run("r2", 200, "skipped"))).toBe(true);
      expect((await store.runs({ schedule: "morning", limit: 5 })).map(({ status }) => status)).toEqual([
        "skipped",
        "running",
      ]);
    });

    it("SCH-4 lists what has not ended, whatever was recorded for later times, and looks back from a given time", async () => {
      const store = await open();
      for (let at = 1; at <= 8; at++) await store.begin(run(`ahead${at}`, 1_000 + at, "done"));
      expect(await store.unfinished()).toEqual([]);
      await store.begin(run("now", 100));
      expect((await store.unfinished()).map(({ id }) => id)).toEqual(["now"]);
      const ids = async (dueBy: number) =>
        (await store.runs({ schedule: "morning", limit: 2, dueBy })).map(({ id }) => id);
      expect([await ids(99), await ids(100), await ids(1_002)]).toEqual([[], ["now"], ["ahead2", "ahead1"]]);
      await store.end(run("now", 100, "done"));
      expect(await store.unfinished()).toEqual([]);
    });
  });
}
