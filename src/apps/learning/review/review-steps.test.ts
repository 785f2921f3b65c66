import { describe, expect, it } from "vitest";
import { characterCounter } from "../../../behavior/results/token-counter.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import { ContractService } from "../../../engine/governance/contract-service.ts";
import { pastRuns } from "./past-runs.ts";
import { reviewSteps } from "./review-steps.ts";
import { directly, runReview } from "./steps.ts";
import { DAY, testReview } from "./test-review.ts";

const WISH = "Please stop sending status reports.";

async function saying(text: string, more: Parameters<ReturnType<typeof testReview>["open"]>[0] = {}) {
  const world = testReview();
  const session = world.open({ user: "bob", ...more });
  await session.onMessage({ text });
  await world.keep();
  return { world, session };
}

describe("the window", () => {
  it("RV-50 a review without events writes nothing", async () => {
    const world = testReview();
    expect(await world.run()).toBe("nothing");
    expect(await world.governance.head()).toMatchObject({ seq: 0 });
  });

  it("RV-51 the first review looks back seven days, and no further", async () => {
    const world = testReview();
    await world.open().onMessage({ text: "long ago" });
    await world.keep();
    const old = await world.events.head();
    world.pass(8 * DAY);
    expect(await world.run()).toBe("nothing");
    await world.open().onMessage({ text: "today" });
    expect(await world.run()).toMatchObject({ window: { after: old }, messages: 1, sessions: 1 });
  });

  it("RV-52 each review begins where the last one ended, however late it runs", async () => {
    const world = testReview();
    const seen: unknown[] = [];
    for (const days of [0, 1, 5, 20]) {
      world.pass(days * DAY);
      await world.open().onMessage({ text: "hello" });
      const record = await world.run();
      if (record !== "nothing") seen.push([record.window.after, record.window.upTo, record.messages]);
      expect(await world.run()).toBe("nothing");
    }
    expect(seen).toEqual([
      [0, 2, 1],
      [2, 4, 1],
      [4, 6, 1],
      [6, 8, 1],
    ]);
  });

  it("RV-53 an event stored late is in the next window, whatever its time", async () => {
    const { world } = await saying("hello");
    await world.run();
    const late = testReview();
    late.time.now = world.time.now - 20 * DAY;
    await late.open({ id: "s_late", user: "ann" }).onMessage({ text: WISH });
    await late.keep();
    const kept = await late.events.follow({ after: 0, limit: 10 });
    await world.events.append(kept.map(({ event }) => ({ ...event, id: `late_${event.id}` })));
    expect(await world.run()).toMatchObject({ messages: 1, proposed: { length: 1 } });
  });

  it("RV-54 a damaged review record is an error and does not repeat its window", async () => {
    const { world } = await saying("hello");
    await world.governance.append(0, [{ at: 1, by: "x", kind: "review.ran", body: { window: {} } }]);
    await expect(world.run()).rejects.toThrow("entry 1 (review.ran) of the governance journal is damaged");
  });
});

describe("exactly once", () => {
  it("RV-55 repeating one or all review steps adds nothing", async () => {
    const { world } = await saying(WISH);
    const window = await world.steps.window(world.time.now);
    if (window === "nothing") throw new Error("there is no window");
    const found = await world.steps.find(window);
    expect(await world.steps.find(window)).toEqual(found);
    const reviewed = await world.steps.propose(window, found);
    expect(reviewed).toMatchObject([{ outcome: "proposed" }]);
    const { seq } = await world.governance.head();
    expect(await world.steps.propose(window, found)).toMatchObject([{ outcome: "known" }]);
    expect((await world.governance.head()).seq).toBe(seq);
    const record = await world.steps.finish(window, reviewed, [], undefined);
    expect(await world.steps.finish(window, [], [], undefined)).toEqual(record);
    expect(await pastRuns(world.governance)).toHaveLength(1);
  });

  it("RV-55 another process continues a review after a crash with the same result", async () => {
    const { world } = await saying(WISH);
    const window = await world.steps.window(world.time.now);
    if (window === "nothing") throw new Error("there is no window");
    const reviewed = await world.steps.propose(window, await world.steps.find(window));
    const record = await reviewSteps(world.review).finish(window, reviewed, [], undefined);
    expect(record).toMatchObject({ sessions: 1, messages: 1, decisions: 0, proposed: { length: 1 } });
    expect(await world.steps.finish(window, reviewed, [], undefined)).toEqual(record);
  });

  it("RV-56 only one of several concurrent review runners writes, and all get its record", async () => {
    const events = memoryStores().events;
    const governance = memoryStores().governance;
    const world = testReview({}, { events, governance });
    await world.open({ user: "bob" }).onMessage({ text: WISH });
    await world.keep();
    let ids = 0;
    const runners = Array.from({ length: 4 }, (_, at) => {
      const { clock } = world.review;
      const counter = async () => characterCounter;
      const unique = { next: (prefix: string) => `${prefix}_${at}_${++ids}` };
      const contracts = new ContractService({ journal: governance, clock, ids: unique, counter });
      return reviewSteps({ ...world.review, contracts });
    });
    const records = await Promise.all(runners.map((steps) => runReview(steps, world.time.now, directly)));
    expect(await pastRuns(governance)).toHaveLength(1);
    expect(await world.candidates()).toHaveLength(1);
    for (const record of records) expect(record).toEqual(records[0]);
  });

  it("RV-57 a finished review window takes precedence over the larger window of a retry", async () => {
    const { world, session } = await saying("hello");
    const small = await world.steps.window(world.time.now);
    await session.onMessage({ text: WISH });
    await world.keep();
    const large = await world.steps.window(world.time.now);
    if (small === "nothing" || large === "nothing") throw new Error("there is no window");
    expect(await world.steps.find(small)).toEqual([]);
    const first = await world.steps.finish(small, [], [], undefined);
    expect(await world.steps.finish(large, [], [], undefined)).toEqual(first);
    expect(await world.run()).toMatchObject({ window: { after: small.upTo }, proposed: { length: 1 } });
  });
});

describe("whose words", () => {
  it.each<
    [
      string,
      Parameters<typeof saying>[1],
      Parameters<Awaited<ReturnType<typeof saying>>["session"]["onMessage"]>[0]["sender"],
      number,
    ]
  >([
    ["a user", {}, { role: "user", user: "bob" }, 1],
    ["an operator", {}, { role: "operator" }, 1],
    ["somebody nobody knows", {}, undefined, 1],
    ["a viewer", {}, { role: "viewer" }, 0],
    ["a schedule", {}, { role: "user", id: "schedule:morning", user: "bob" }, 0],
    ["whoever asks on the channel scheduled", { channel: "scheduled" }, { role: "user", user: "bob" }, 0],
  ])(
    "RV-58 a message can lead to a proposal unless it is from a viewer or a schedule: %s",
    async (_, options, sender, count) => {
      const world = testReview();
      const session = world.open({ user: "bob", ...options });
      await session.onMessage({ text: WISH, ...(sender === undefined ? {} : { sender }) });
      await world.run();
      expect(await world.candidates()).toHaveLength(count);
    },
  );

  it("RV-59 messages to subagents, replies, tools and stops do not count as people's wishes", async () => {
    const world = testReview();
    const session = world.open({ user: "bob" });
    await session.onMessage({ text: "hello", sender: { role: "user", user: "bob" } });
    const child = session.child("s_child", { agent: "agent" });
    await child.onMessage({ text: WISH });
    session.notice({ kind: "reply", text: WISH });
    const call = { id: "c1", tool: "read", args: { path: WISH } };
    await session.onCall(call);
    await session.onResult(call, { outcome: "ok", parts: [{ kind: "text", text: WISH }] });
    await world.run();
    expect(await world.candidates()).toEqual([]);
  });
});
