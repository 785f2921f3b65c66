import { describe, expect, it } from "vitest";
import type { SchedulesStore } from "../../../base/ports/stores/schedules.ts";
import type { Schedule, ScheduleRun } from "../../../base/words/hosting/schedule.ts";

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
    it("SCH-1 schedules are listed by user and agent, without removed ones", async () => {
      const store = await open();
      const night = { ...morning, id: "night", user: "bob", at: 2, enabled: false };
      for (const one of [night, morning]) expect(await store.add(one)).toBe("added");
      expect(await store.read("night")).toEqual(night);
      expect(await store.list()).toEqual([morning, night]);
      expect(await store.list({ user: "bob" })).toEqual([night]);
      expect(await store.list({ agent: "none" })).toEqual([]);
      expect(await store.add({ ...night, say: "other" })).toBe("exists");
      const on = await store.change("night", (before) => ({ to: { ...before, enabled: true } }));
      expect(on).toEqual({ kind: "changed", schedule: { ...night, enabled: true } });
      expect(await store.change("night", () => ({ refused: "no" }))).toEqual({ kind: "refused", refused: "no" });
      await store.remove("morning");
      expect(await store.list()).toEqual([{ ...night, enabled: true }]);
    });

    it("SCH-2 a schedule runs once per scheduled time, and one run at a time", async () => {
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

    it("SCH-5 concurrent changes to different fields of a schedule lose nothing; a removed schedule stays removed", async () => {
      const store = await open();
      await store.add(morning);
      const change = (fields: Partial<Schedule>) =>
        store.change("morning", (before) => ({ to: { ...before, ...fields } }));
      for (let round = 0; round < 5; round++) {
        const wanted = {
          cron: `${round} 8 * * *`,
          say: `round ${round}`,
          enabled: round % 2 === 0,
          zone: `Etc/GMT-${round}`,
        };
        await Promise.all(Object.entries(wanted).map(([field, value]) => change({ [field]: value })));
        expect(await store.read("morning")).toEqual({ ...morning, ...wanted });
      }
      const [, late] = await Promise.all([store.remove("morning"), change({ say: "late" })]);
      expect(["changed", "missing"]).toContain(late.kind);
      expect(await store.read("morning")).toBeUndefined();
      expect(await change({ say: "later" })).toEqual({ kind: "missing" });
    });

    it("SCH-6 no user exceeds the limit of schedules, even with concurrent additions", async () => {
      const store = await open();
      const added = await Promise.all(Array.from({ length: 8 }, (_, at) => store.add({ ...morning, id: `s${at}` }, 3)));
      expect(added.toSorted()).toEqual([...Array(3).fill("added"), ...Array(5).fill("full")]);
      expect(await store.list({ user: "ann" })).toHaveLength(3);
      expect(await store.add({ ...morning, id: "other", user: "bob" }, 3)).toBe("added");
    });

    it("SCH-7 of concurrent ends of a run exactly one wins, and it is final", async () => {
      const store = await open();
      await store.begin(run("r1", 100));
      const ends = (["done", "failed", "interrupted"] as const).map((status) => ({
        ...run("r1", 100, status),
        endedAt: 150,
      }));
      const won = await Promise.all(ends.map((end) => store.end(end)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.runs({ schedule: "morning", limit: 1 })).toEqual([ends[won.indexOf(true)]]);
    });

    it("SCH-3 a skipped time is recorded while another run is in progress", async () => {
      const store = await open();
      expect(await store.begin(run("r1", 100))).toBe(true);
      expect(await store.begin(run("r2", 200, "skipped"))).toBe(true);
      expect((await store.runs({ schedule: "morning", limit: 5 })).map(({ status }) => status)).toEqual([
        "skipped",
        "running",
      ]);
    });

    it("SCH-4 unfinished runs are listed, whatever was recorded later, and runs can be filtered by time", async () => {
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
