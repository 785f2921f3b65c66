import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pastEvents } from "../../../test/past-events.ts";
import type { JournalEvent } from "../../moments/line-of.ts";
import { mergeEvents, rowsOf, turnsOf } from "./timeline-rows.ts";

const event = (seq: number, turn: number, type: string, more: object = {}) =>
  ({
    v: 1,
    id: `e${seq}`,
    seq,
    at: seq,
    session: "s",
    agent: "a",
    run: "r",
    turn,
    type,
    ...more,
  }) as JournalEvent;
const said = (seq: number, turn: number, text: string, more: object = {}) =>
  event(seq, turn, "message", { text, ...more });
const denied = (seq: number, turn: number) =>
  event(seq, turn, "call", {
    call: { tool: "deploy", args: {} },
    decision: { kind: "deny", id: `d${seq}`, rule: "needs-proof" },
  });
const stop = (seq: number, turn: number, status = "complete") =>
  event(seq, turn, "stop", { status, refusals: 1, bound: 5 });
const ALL = { words: "", denied: false, chatter: false };

describe("what happened, in one order", () => {
  it("TL-1 stored events appear once, in the journal's order, whatever arrives first; events seen only live come last", () => {
    const kept = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });
    fc.assert(
      fc.property(kept, kept, kept, (pageA, pageB, live) => {
        const page = (some: readonly number[]) => some.map((n) => ({ ...event(n, 1, "stop"), position: n }));
        const heard = live.map((n) => event(n, 1, "stop"));
        const merged = mergeEvents(mergeEvents(mergeEvents([], page(pageA)), heard), page(pageB));
        const known = [...new Set([...pageA, ...pageB])].sort((a, b) => a - b);
        const only = live.filter((n) => !known.includes(n));
        expect(merged.map(({ seq }) => seq)).toEqual([...known, ...only]);
      }),
    );
  });

  it("TL-2 a merge without new events returns the same list, so nothing is rendered again", () => {
    const before = mergeEvents([], [{ ...event(1, 1, "stop"), position: 1 }]);
    expect(mergeEvents(before, [event(1, 1, "stop")])).toBe(before);
  });
});

describe("turns", () => {
  it("TL-3 a turn starts with a message and its directives, and a reply by Conduct is a separate turn", () => {
    const turns = turnsOf([
      event(1, 0, "session", { change: "opened" }),
      said(2, 1, "deploy it"),
      denied(3, 1),
      stop(4, 1, "refused"),
      stop(5, 1),
      event(6, 1, "directive", { outcome: "added", text: "STOP: x" }),
      said(7, 1, "STOP: x", { reply: "noted" }),
      said(8, 2, "again"),
      event(9, 2, "fault", { fault: { where: "w", code: "c", message: "m" } }),
      stop(10, 2, "incomplete"),
    ]);
    expect(
      turns.map(({ said: text, isOurs, events, denials, refused, faults, incomplete }) => [
        text,
        isOurs,
        events.map(({ seq }) => seq),
        denials,
        refused,
        faults,
        incomplete,
      ]),
    ).toEqual([
      [undefined, false, [1], 0, 0, 0, false],
      ["deploy it", false, [2, 3, 4, 5], 1, 1, 0, false],
      ["STOP: x", true, [7, 6], 0, 0, 0, false],
      ["again", false, [8, 9, 10], 0, 0, 1, true],
    ]);
  });

  it("TL-4 grouping events into turns loses and repeats none", () => {
    const kinds = fc.constantFrom("message", "directive", "call", "stop", "notice");
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, fc.nat(3), fc.boolean())), (made) => {
        const events = made.map(([type, turn, ours], at) =>
          type === "message"
            ? said(at, turn, "x", ours ? { reply: "y" } : {})
            : type === "call"
              ? denied(at, turn)
              : event(at, turn, type, { notice: { kind: "ended" }, status: "complete" }),
        );
        const held = turnsOf(events).flatMap((turn) => turn.events.map(({ seq }) => seq));
        expect(held.toSorted((a, b) => a - b)).toEqual(events.map(({ seq }) => seq));
      }),
    );
  });
});

describe("rows", () => {
  const turns = turnsOf(pastEvents({ session: "s_1", agent: "demo", at: 0, turns: 4 }));

  it("TL-5 a closed turn is one row, an open one also shows its events, and chatter is shown only on request", () => {
    expect(rowsOf(turns, () => false, ALL)).toHaveLength(4);
    const open = rowsOf(turns, (key) => key === turns[2]?.key, ALL);
    expect(open.map(({ kind }) => kind)).toEqual(["turn", "turn", ...Array(7).fill("event"), "turn", "turn"]);
    expect(rowsOf(turns, () => false, { ...ALL, chatter: true })).toHaveLength(5);
  });

  it.each([
    [{ ...ALL, words: "deploy number 3" }, 1, 1],
    [{ ...ALL, words: "NEVER ran" }, 4, 4],
    [{ ...ALL, denied: true }, 4, 6],
    [{ ...ALL, denied: true, words: "report.md" }, 2, 2],
    [{ ...ALL, words: "no such thing" }, 0, 0],
  ])(
    "TL-6 the filter %j shows matching events and their turns, even if the turns are closed",
    (shown, heads, events) => {
      const rows = rowsOf(turns, () => false, shown);
      expect(rows.filter(({ kind }) => kind === "turn")).toHaveLength(heads);
      expect(rows.filter(({ kind }) => kind === "event")).toHaveLength(events);
    },
  );
});
