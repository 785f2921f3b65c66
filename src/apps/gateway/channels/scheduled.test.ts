import { afterEach, describe, expect, it } from "vitest";
import type { Schedule } from "../../../base/words/hosting/schedule.ts";
import { nodeIds } from "../../../edge/host/node/node-ids.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import type { HostedRuntime } from "../runtimes/hosted.ts";
import { testConversations } from "../test/test-gateway.ts";
import { lastDue, nextDue, timesFault } from "./schedule-times.ts";
import { NOTHING_TO_REPORT, Scheduled } from "./scheduled.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const at = (iso: string) => Date.parse(iso);

function world(say = "hello", runtime?: HostedRuntime) {
  const made = testConversations(runtime === undefined ? {} : { runtime });
  const opened = made.open();
  const store = memoryStores().schedules;
  const time = { now: at("2026-11-16T07:59:30Z") };
  const delivered: string[] = [];
  const make = () =>
    new Scheduled({
      store,
      conversations: opened.conversations,
      clock: { now: () => time.now, monotonic: () => time.now },
      ids: nodeIds(),
      deliver: async (schedule, text) => {
        if (schedule.deliver?.channel === "nowhere") throw new Error("no such channel");
        delivered.push(`${schedule.deliver?.channel}: ${text}`);
      },
      mayTalk: async (user) => user !== "vic",
      report: (line) => {
        throw new Error(line);
      },
    });
  const scheduled = make();
  const schedule: Schedule = {
    id: "morning",
    agent: "demo",
    user: "ann",
    cron: "0 8 * * *",
    zone: "UTC",
    say,
    deliver: { channel: "telegram", address: "7" },
    enabled: true,
    at: at("2026-11-15T12:00:00Z"),
  };
  closing.push(async () => {
    await scheduled.close();
    await opened.conversations.close();
    await opened.conduct.close();
    made.remove();
  });
  const runs = () => store.runs({ schedule: "morning", limit: 20 });
  const lookAt = async (iso: string) => {
    time.now = at(iso);
    await scheduled.look();
    await scheduled.settled();
  };
  return { ...made, ...opened, store, time, delivered, scheduled, schedule, runs, lookAt, make };
}

describe("schedule times", () => {
  it.each([
    ["30 1 * * *", "Europe/London", "2026-10-24T12:00:00Z", ["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"]],
    ["30 1 * * *", "Europe/London", "2026-03-28T12:00:00Z", ["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"]],
    ["0 9 * * 1-5", "Asia/Kolkata", "2026-11-13T12:00:00Z", ["2026-11-16T03:30:00.000Z", "2026-11-17T03:30:00.000Z"]],
  ])("SC-1 the schedule %s in %s after %s runs once a day, also when the clocks change", (cron, zone, from, wanted) => {
    const first = nextDue({ cron, zone }, at(from)) ?? 0;
    const second = nextDue({ cron, zone }, first) ?? 0;
    expect([first, second].map((time) => new Date(time).toISOString())).toEqual(wanted);
    expect(lastDue({ cron, zone }, second - 60_000)).toBe(first);
    expect(lastDue({ cron, zone }, second)).toBe(second);
  });

  it.each([
    ["61 * * * *", "UTC", "is not a cron expression"],
    ["whenever", "UTC", "is not a cron expression"],
    ["0 8 * * *", "Mars/Base", "is not a time zone"],
    ["0 0 31 2 *", "UTC", "never runs in the future"],
  ])("SC-2 the schedule %j in %s is rejected with the reason", (cron, zone, words) => {
    expect(timesFault({ cron, zone }, 0)).toContain(words);
  });
});

describe("schedules", () => {
  it("SC-3 a schedule runs once when due, on the channel scheduled, and its result is stored and delivered", async () => {
    const { store, schedule, runs, lookAt, delivered, conversations } = world();
    await store.add(schedule);
    await lookAt("2026-11-15T23:00:00Z");
    expect(await runs()).toEqual([]);
    await lookAt("2026-11-16T08:00:00Z");
    await lookAt("2026-11-16T08:00:20Z");
    const [run, ...others] = await runs();
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      status: "done",
      due: at("2026-11-16T08:00:00Z"),
      result: expect.stringContaining("demo"),
    });
    expect(delivered).toHaveLength(1);
    expect(conversations.live).toBe(1);
  });

  it("SC-4 missed times are caught up once, for the latest one", async () => {
    const { store, schedule, runs, lookAt } = world();
    await store.add(schedule);
    await lookAt("2026-11-20T10:00:00Z");
    await lookAt("2026-11-20T10:01:00Z");
    expect((await runs()).map(({ due }) => new Date(due).toISOString())).toEqual(["2026-11-20T08:00:00.000Z"]);
  });

  it("SC-5 two schedulers on one store run a schedule once", async () => {
    const { store, schedule, runs, time, scheduled, make } = world();
    await store.add(schedule);
    const other = make();
    time.now = at("2026-11-16T08:00:00Z");
    await Promise.all([scheduled.look(), other.look()]);
    await Promise.all([scheduled.settled(), other.settled()]);
    expect(await runs()).toHaveLength(1);
    await other.close();
  });

  it("SC-6 only an answer that is exactly HEARTBEAT_OK is silent", async () => {
    const answers = [` ${NOTHING_TO_REPORT}\n`, `All quiet, so no ${NOTHING_TO_REPORT} today.`];
    const runtime: HostedRuntime = {
      name: "scripted",
      open: async () => ({
        prompt: async () => ({ status: "complete", text: answers.shift() ?? "", notes: [] }),
        steer: () => false,
        close: async () => undefined,
      }),
    };
    const { store, schedule, runs, lookAt, delivered } = world("hello", runtime);
    await store.add(schedule);
    await lookAt("2026-11-16T08:00:00Z");
    expect(delivered).toEqual([]);
    await lookAt("2026-11-17T08:00:00Z");
    expect((await runs()).map(({ status }) => status)).toEqual(["done", "silent"]);
    expect(delivered).toEqual([`telegram: All quiet, so no ${NOTHING_TO_REPORT} today.`]);
  });

  it("SC-7 a disabled schedule does not run, and an undelivered result is stored with the reason", async () => {
    const { store, schedule, runs, lookAt } = world();
    await store.add({ ...schedule, enabled: false });
    await lookAt("2026-11-16T08:00:00Z");
    expect(await runs()).toEqual([]);
    await store.change(schedule.id, () => ({ to: { ...schedule, deliver: { channel: "nowhere" } } }));
    await lookAt("2026-11-16T08:00:30Z");
    expect((await runs())[0]).toMatchObject({ status: "done", why: expect.stringContaining("no such channel") });
  });

  it("SC-9 schedules of viewers do not run", async () => {
    const { store, schedule, runs, lookAt, delivered, conversations } = world();
    await store.add({ ...schedule, user: "vic" });
    await lookAt("2026-11-16T08:00:00Z");
    expect(await runs()).toMatchObject([{ status: "failed", why: expect.stringContaining("read-only access") }]);
    expect([delivered, conversations.live]).toEqual([[], 0]);
  });

  it("SC-8 a crashed run is marked as interrupted, and the next one runs", async () => {
    const { store, schedule, runs, time, scheduled, lookAt } = world();
    await store.add(schedule);
    const due = at("2026-11-16T08:00:00Z");
    await store.begin({ id: "r0", schedule: "morning", due, startedAt: due, status: "running" });
    time.now = due + 60_000;
    await scheduled.recover();
    await scheduled.look();
    await scheduled.settled();
    expect((await runs()).map(({ status }) => status)).toEqual(["interrupted"]);
    await lookAt("2026-11-17T08:00:00Z");
    expect((await runs()).map(({ status }) => status)).toEqual(["done", "interrupted"]);
  });

  const dues = async (runs: () => Promise<readonly { readonly due: number }[]>) =>
    (await runs()).map(({ due }) => new Date(due).toISOString().slice(0, 16)).toReversed();

  it("SC-10 if the clock jumps 30 days ahead and back, the next due time runs, and no time runs twice", async () => {
    const { store, schedule, runs, lookAt } = world();
    await store.add(schedule);
    for (const time of ["11-16T08:00:10", "12-16T09:00:00", "11-16T09:00:00", "11-17T08:00:10", "11-18T08:00:10"])
      await lookAt(`2026-${time}Z`);
    expect(await dues(runs)).toEqual(["2026-11-16T08:00", "2026-11-17T08:00", "2026-11-18T08:00", "2026-12-16T08:00"]);
    // The day that the wrong clock has already run for is not run again.
    await lookAt("2026-12-16T08:00:10Z");
    await lookAt("2026-12-17T08:00:10Z");
    expect((await dues(runs)).slice(-2)).toEqual(["2026-12-16T08:00", "2026-12-17T08:00"]);
  });

  it("SC-11 a clock that is set back by minutes repeats no run, and the schedule resumes at the next due time", async () => {
    const { store, schedule, runs, lookAt } = world();
    await store.add({ ...schedule, cron: "* * * * *", at: at("2026-11-16T07:59:30Z") });
    const minutes = [0, 1, 2, 3, 4, 1, 2, 3, 4, 5].map((minute) => `2026-11-16T08:0${minute}:05Z`);
    for (const time of minutes) await lookAt(time);
    expect((await dues(runs)).map((due) => due.slice(-2))).toEqual(["00", "01", "02", "03", "04", "05"]);
  });

  it("SC-12 a schedule created while the clock was ahead counts from when it is first seen", async () => {
    const { store, schedule, runs, lookAt } = world();
    await store.add({ ...schedule, at: at("2026-12-16T12:00:00Z") });
    await lookAt("2026-11-16T09:00:00Z");
    expect(await runs()).toEqual([]);
    await lookAt("2026-11-17T08:00:10Z");
    expect(await dues(runs)).toEqual(["2026-11-17T08:00"]);
  });

  it("SC-13 after a suspend or a restored backup a schedule catches up once, whatever the clock did", async () => {
    const { store, schedule, runs, lookAt } = world();
    await store.add({ ...schedule, cron: "* * * * *" });
    await lookAt("2026-11-16T08:00:05Z");
    await lookAt("2026-11-19T08:00:05Z");
    await lookAt("2026-11-19T08:00:35Z");
    expect(await dues(runs)).toEqual(["2026-11-16T08:00", "2026-11-19T08:00"]);
  });

  it("SC-14 recovery finds a crashed run behind any number of future runs, and never takes one of this process", async () => {
    const { store, schedule, runs, time, scheduled } = world();
    await store.add(schedule);
    const due = at("2026-11-15T08:00:00Z");
    for (let ahead = 1; ahead <= 10; ahead++)
      await store.begin({
        id: `f${ahead}`,
        schedule: "morning",
        due: due + ahead * 1e10,
        startedAt: due,
        status: "done",
      });
    await store.begin({ id: "left", schedule: "morning", due, startedAt: due, status: "running" });
    time.now = at("2026-11-16T08:00:10Z");
    await scheduled.recover();
    expect(await store.unfinished()).toEqual([]);
    await scheduled.look();
    // In the middle of its own run.
    await scheduled.recover();
    await scheduled.settled();
    const mine = (await runs()).find(({ due: one }) => one === at("2026-11-16T08:00:00Z"));
    expect(mine?.status).toBe("done");
  });
});
