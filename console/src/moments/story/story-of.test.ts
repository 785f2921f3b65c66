import { describe, expect, it } from "vitest";
import type { JournalEvent } from "../line-of.ts";
import { stepsIn, storyOf } from "./story-of.ts";

const event = (at: number, type: string, more: object = {}) =>
  ({ v: 1, id: `e${at}`, seq: at, at, session: "s", agent: "demo", run: "r", turn: 1, type, ...more }) as JournalEvent;
const call = (at: number, id: string, kind = "allow") =>
  event(at, "call", { call: { id, tool: "shell", args: {} }, decision: { kind, id: `d${at}`, advice: [] } });
const usage = (at: number) => event(at, "notice", { notice: { kind: "usage", inputTokens: 5, outputTokens: 1 } });

describe("the story of a turn", () => {
  const events = [
    event(1, "message", { text: "go" }),
    event(2, "prompt"),
    usage(12),
    call(13, "c1"),
    event(20, "result", { call: "c1", outcome: "ok" }),
    usage(31),
    event(32, "stop", { status: "refused" }),
    event(40, "notice", { notice: { kind: "fault", fault: { code: "turn-failed", message: "529" } } }),
    event(50, "stop", { status: "complete" }),
    event(51, "notice", { notice: { kind: "reply", text: "Done." } }),
  ];
  const steps = [
    { at: 3, text: "First.", inputTokens: 7, outputTokens: 3, cost: 0.5, calls: [{ id: "c1", output: "fine" }] },
    { at: 21, text: "Done?", calls: [] },
  ];

  it("TS-1 texts, calls, refused stops and errors are in the order in which they happened, each with its figures", () => {
    const story = storyOf(events, steps);
    expect(story.map((item) => [item.kind, item.at])).toEqual([
      ["text", 3],
      ["call", 13],
      ["text", 21],
      ["event", 32],
      ["event", 40],
    ]);
    expect(story[0]).toMatchObject({ text: "First.", spent: { tokens: 10, cost: 0.5, ms: 9 } });
    expect(story[1]).toMatchObject({ result: { at: 20 }, output: "fine", cut: false });
  });

  it("TS-2 without a transcript, the figures and the answer come from the events", () => {
    const story = storyOf(events, []);
    expect(story.filter(({ kind }) => kind === "text")).toMatchObject([
      { at: 12, text: "", spent: { tokens: 6, ms: 10 } },
      { at: 31, spent: { tokens: 6 } },
      { at: 51, text: "Done." },
    ]);
  });

  it("TS-3 a subagent is nested in the call that started it", () => {
    const child = (session: string, startedAt: number) => ({
      session,
      agent: "a",
      startedAt,
      calls: 0,
      denials: 0,
      tokens: 0,
      label: undefined,
    });
    const calls = [
      call(100, "c1"),
      call(300, "c2"),
      event(500, "result", { call: "c2" }),
      event(600, "result", { call: "c1" }),
    ];
    const story = storyOf(calls, [], [child("one", 150), child("two", 310), child("later", 900)]);
    expect(story.map((item) => item.kind === "call" && item.children.map(({ session }) => session))).toEqual([
      ["one"],
      ["two"],
    ]);
  });

  it("TS-4 a turn has the steps from its start until the next turn", () => {
    expect(stepsIn(steps, 3, 21)).toEqual([steps[0]]);
    expect(stepsIn(steps, 100)).toEqual([]);
  });
});
