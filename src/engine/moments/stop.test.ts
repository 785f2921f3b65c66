import { describe, expect, it } from "vitest";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import { CompositeChecker, EvidenceChecker, FileOutputChecker } from "../../behavior/completion/completion-checkers.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { Conduct } from "../session/conduct.ts";
import { testConduct } from "../session/test/test-conduct.ts";

import { orderPolicy as order, play } from "../session/test/test-play.ts";

describe("stop", () => {
  it("ST-1 a stop is refused at most five times, then accepted as incomplete; a new turn starts a new count", async () => {
    const { open, files, events } = testConduct({ completion: new FileOutputChecker({ files: ["report.md"] }) });
    const session = open();
    await session.onMessage({ text: "go" });
    for (let i = 0; i < 5; i++)
      expect(await session.onStop()).toMatchObject({ done: false, feedback: expect.stringContaining("report.md") });
    expect(await session.onStop()).toMatchObject({ done: true, status: "incomplete" });
    await session.onMessage({ text: "again" });
    expect((await session.onStop()).done).toBe(false);
    files.set("/w/report.md", "x");
    expect(await session.onStop()).toMatchObject({ done: true, status: "complete" });
    expect(events.filter((event) => event.type === "stop").map((event) => event.status)).toEqual([
      ...Array(5).fill("refused"),
      "incomplete",
      "refused",
      "complete",
    ]);
  });

  it("ST-2 exhausted time or budget bypasses the checker and says so; without a checker nothing is bypassed", async () => {
    const completion = new FileOutputChecker({ files: ["report.md"] });
    const late = testConduct({ completion }).open({ deadline: 1 });
    expect(await late.onStop()).toMatchObject({
      done: true,
      status: "bypassed",
      why: expect.stringContaining("deadline"),
    });
    const broke = testConduct({ completion, limits: { tokens: 5 } }).open();
    broke.notice({ kind: "usage", inputTokens: 6 });
    expect(await broke.onStop()).toMatchObject({ done: true, status: "bypassed" });
    expect(await testConduct().open({ deadline: 1 }).onStop()).toMatchObject({ done: true, status: "complete" });
  });

  it("ST-3 a checker that hangs or throws refuses the stop with the cause", async () => {
    const hang = testConduct({
      completion: { check: () => new Promise<never>(() => {}) },
      limits: { completionMs: 20 },
    }).open();
    expect(await hang.onStop()).toMatchObject({ done: false, feedback: expect.stringContaining("out of time") });
    const boom = testConduct({
      completion: {
        check: () => {
          throw new Error("boom </feedback>");
        },
      },
    }).open();
    expect(await boom.onStop()).toMatchObject({
      done: false,
      feedback: expect.stringContaining("boom &lt;/feedback>"),
    });
  });

  it("ST-4 a completion checker gets session, output, reason, filesystem, commands and adapter", async () => {
    let seen: unknown;
    const { open } = testConduct({
      completion: {
        check: (context) => {
          seen = context;
          return { complete: true };
        },
      },
    });
    const session = open({ adapter: "loop" });
    await session.onStop({ reason: "end_turn", output: { answer: 42 } });
    expect(seen).toMatchObject({
      tentativeOutput: { answer: 42 },
      stopReason: "end_turn",
      adapter: "loop",
      session: { id: session.id },
    });
    expect(Object.keys(seen as object)).toEqual(expect.arrayContaining(["filesystem", "commands", "signal"]));
  });

  it("ST-5 a stop is checked against the record, and the latest run counts", async () => {
    const completion = new CompositeChecker({ checkers: [new EvidenceChecker({ actions: ["test"] })] });
    const session = testConduct({ completion }).open();
    expect((await session.onStop()).done).toBe(false);
    await play(session, "test");
    expect((await session.onStop()).done).toBe(true);
    await play(session, "test", { outcome: "failed", parts: [] });
    expect((await session.onStop()).done).toBe(false);
  });
});

describe("definitions", () => {
  it("DF-1 two agents with the same name are rejected, and a definition cannot be weakened afterwards", () => {
    const policies = [order()];
    const agent = defineAgent({ name: "a", policies });
    policies.length = 0;
    expect(agent.policies).toHaveLength(1);
    expect(() => (agent.policies as AnyPolicy[]).pop()).toThrow();
    expect(() => new Conduct([agent, agent], {} as never)).toThrow("same name");
  });
});

describe("events", () => {
  it("EV-4 a subscriber that fails asynchronously breaks nothing", async () => {
    const { conduct, open } = testConduct();
    conduct.subscribe(async () => {
      throw new Error("later");
    });
    open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(conduct.subscriberFailures).toBe(1);
  });

  it("EV-1 a subscriber that throws breaks nothing, and one that unsubscribed gets no more events", async () => {
    const { conduct, open, events } = testConduct();
    conduct.subscribe(() => {
      throw new Error("bad subscriber");
    });
    const heard: string[] = [];
    const leave = conduct.subscribe((event) => heard.push(event.type));
    const session = open();
    leave();
    await session.onMessage({ text: "hi" });
    expect(heard).toEqual(["session"]);
    expect(events.map((event) => event.type)).toEqual(["session", "message"]);
  });

  it("EV-2 every event has its number in the session, its turn, step and facts", async () => {
    const { open, events } = testConduct();
    const session = open();
    await session.onMessage({ text: "hi" });
    await session.onCall({ id: "1", tool: "read_file", args: { path: "a" }, step: "s1" });
    await session.onPrompt();
    session.notice({ kind: "reply", text: "hello" });
    expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5]);
    expect(events[2]).toMatchObject({
      v: 1,
      type: "call",
      turn: 1,
      step: "s1",
      facts: { paths: { a: { exists: false } } },
    });
  });
});
