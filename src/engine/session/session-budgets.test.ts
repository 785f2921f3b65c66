import { describe, expect, it } from "vitest";
import { FileOutputChecker } from "../../behavior/completion/completion-checkers.ts";
import { testConduct } from "./test/test-conduct.ts";

import { orderPolicy as order, play } from "./test/test-play.ts";

describe("budgets and time", () => {
  it("BT-1 a call budget allows that many calls, and the next one is denied with the figures", async () => {
    const session = testConduct({ limits: { calls: 2 } }).open();
    expect([await play(session, "a"), await play(session, "b")]).toEqual(["allow", "allow"]);
    expect(await session.onCall({ id: "x", tool: "c", args: {} })).toMatchObject({
      code: "budget",
      reason: expect.stringContaining("calls"),
    });
  });

  it("BT-2 calls in progress are reserved in the budget, and denied or cancelled ones are released", async () => {
    const session = testConduct({ limits: { calls: 1 } }).open();
    const first = { id: "1", tool: "a", args: {} };
    await session.onCall(first);
    expect((await session.onCall({ id: "2", tool: "a", args: {} })).kind).toBe("deny");
    await session.onResult(first, { outcome: "cancelled", parts: [] });
    expect((await session.onCall({ id: "3", tool: "a", args: {} })).kind).toBe("allow");
  });

  it("BT-3 tokens and cost are settled by usage, and a reservation counts until then", () => {
    const session = testConduct({ limits: { tokens: 100, cost: 1 } }).open();
    const held = session.reserveBudget({ inputTokens: 80 });
    if (!("reservation" in held)) throw new Error("there is room");
    expect(session.reserveBudget({ inputTokens: 30 })).toEqual({ exhausted: "tokens" });
    session.notice({ kind: "usage", inputTokens: 10, outputTokens: 5, cost: 0.5, reservation: held.reservation });
    expect(session.view.usage).toEqual({ inputTokens: 10, outputTokens: 5, calls: 0, cost: 0.5 });
    expect("reservation" in session.reserveBudget({ inputTokens: 80 })).toBe(true);
  });

  it("BT-4 after the deadline calls are denied, whether the agent or the session set it", async () => {
    for (const options of [{ deadline: 1_005_000 }, {}]) {
      const { open, pass } = testConduct({ limits: { deadline: 5_000 } });
      const session = open(options);
      expect(await play(session, "a")).toBe("allow");
      pass(5_000);
      expect(await session.onCall({ id: "late", tool: "a", args: {} })).toMatchObject({ code: "deadline" });
    }
  });

  it("BT-5 a clock that jumps back does not delay the deadline", async () => {
    const { open, time } = testConduct({ limits: { deadline: 5_000 } });
    const session = open();
    time.now -= 3_600_000;
    time.monotonic += 4_999;
    expect(await play(session, "a")).toBe("allow");
    time.monotonic += 1;
    expect((await session.onCall({ id: "late", tool: "a", args: {} })).kind).toBe("deny");
  });

  it("BT-6 the times of events never decrease", async () => {
    const { open, time, events } = testConduct();
    const session = open();
    for (const jump of [50, -1_000, 7, -7]) {
      time.now += jump;
      await session.onMessage({ text: "tick" });
    }
    const times = events.map((event) => event.at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });
});

describe("bounds given to a session", () => {
  it.each([{ budget: { calls: Number.NaN } }, { deadline: Number.NaN }, { budget: { tokens: -1 } }])(
    "BT-7 a session with %j is rejected",
    (options) => {
      expect(() => testConduct().open(options)).toThrow(expect.objectContaining({ code: "bad-limit" }));
    },
  );

  it("BT-8 a session's budget can tighten the agent's limits but not loosen them", () => {
    const { open } = testConduct({ limits: { calls: 5, tokens: 10 } });
    expect(open({ budget: { calls: 99, tokens: 1, cost: 2 } }).view.budget).toEqual({ calls: 5, tokens: 1, cost: 2 });
  });

  it("BT-9 a reservation on an exhausted budget is rejected, whatever the amount", () => {
    const session = testConduct({ limits: { tokens: 10 } }).open();
    session.notice({ kind: "usage", inputTokens: 11 });
    for (const inputTokens of [1, Number.NaN, -5])
      expect(session.reserveBudget({ inputTokens })).toEqual({ exhausted: "tokens" });
  });

  it("BT-10 work that its last allowed call completes is complete, not bypassed, with the real figures", async () => {
    const completion = new FileOutputChecker({ files: ["report.md"] });
    const { open, files } = testConduct({ completion, limits: { calls: 1 } });
    const session = open();
    await play(session, "x");
    expect(await session.onCall({ id: "y", tool: "x", args: {} })).toMatchObject({
      reason: expect.stringContaining("1 of 1"),
    });
    expect(await session.onStop()).toMatchObject({ status: "bypassed" });
    files.set("/w/report.md", "x");
    expect(await session.onStop()).toMatchObject({ status: "complete" });
  });

  it("BT-11 session time continues after the clock jumps forward and back", () => {
    const { open, time, pass } = testConduct();
    const session = open();
    time.now += 3_600_000;
    const jumped = session.view.now;
    time.now -= 3_600_000;
    pass(60_000);
    expect(session.view.now).toBe(jumped + 60_000);
  });
});

describe("children", () => {
  it("CH-1 a child has its own evidence, spends its parent's budget, and is never elevated by inheritance", async () => {
    const { open, events } = testConduct({ policies: [order()], limits: { calls: 3 } });
    const parent = open({ id: "p", modes: { elevated: true }, deadline: 2_000_000 });
    const child = parent.child("p/1");
    expect(child.view).toMatchObject({ parent: "p", deadline: 2_000_000, modes: { elevated: false } });
    await play(parent, "test");
    expect(await play(child, "deploy")).toBe("deny");
    await play(child, "test");
    await play(child, "look");
    expect(await parent.onCall({ id: "over", tool: "x", args: {} })).toMatchObject({ code: "budget" });
    expect(await child.onCall({ id: "over", tool: "x", args: {} })).toMatchObject({ code: "budget" });
    expect(events.find((event) => event.session === "p/1" && event.type === "call")).toMatchObject({ parent: "p" });
  });
});
