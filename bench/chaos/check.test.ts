import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkHistory, dueAfter } from "./check.ts";
import type { Fault, History, ModelCall, PromiseName } from "./records.ts";

/** Two conversations with three complete turns each: a message every 2 s, answered after 500 ms. */
function goodHistory(): History {
  const messages = ["a", "b"].flatMap((conversation) =>
    [0, 1, 2].map((nth) => ({ conversation, message: `${conversation}-${nth}`, nth, base: nth * 2_000 })),
  );
  return {
    endedAt: 60_000,
    faults: [],
    sent: messages.map(({ conversation, message, base }) => ({
      ...{ conversation, message },
      sentAt: base,
      ackedAt: base + 10,
    })),
    model: messages.flatMap(({ conversation, message, nth, base }) => {
      const earlier = Array.from({ length: nth }, (_, at) => `${conversation}-${at}`);
      const call = { message, replica: `r${nth + 1}`, earlier, directives: base >= 2_000 ? ["D1"] : [] };
      return [
        { ...call, at: base + 100, step: 0 },
        { ...call, at: base + 300, step: 1 },
      ];
    }),
    tools: messages.map(({ message, base }) => ({ message, at: base + 200 })),
    seen: messages.map(({ message, base }) => ({
      message,
      status: "complete",
      at: base + 500,
      via: "stream" as const,
    })),
    directives: [{ id: "D1", ackedAt: 500 }],
  };
}

/** Names of the broken promises after a change to the good history. */
function broken(change: (good: History) => Partial<History>): readonly PromiseName[] {
  const good = goodHistory();
  const found = checkHistory({ ...good, ...change(good) });
  return [...new Set(found.map(({ promise }) => promise))].toSorted();
}

const moved = <T extends { readonly message: string }>(records: readonly T[], message: string, change: Partial<T>) =>
  records.map((one) => (one.message === message ? { ...one, ...change } : one));
const without = <T extends { readonly message: string }>(records: readonly T[], message: string) =>
  records.filter((one) => one.message !== message);
const first = (calls: readonly ModelCall[], message: string, change: Partial<ModelCall>) =>
  calls.map((one) => (one.message === message && one.step === 0 ? { ...one, ...change } : one));
const kill: Fault = { kind: "kill", replica: "r3", at: 4_250, until: 4_250 };
/** The owner of the last turn of `a` dies after the tool ran. */
const died = (good: History, change: Partial<History>): Partial<History> => ({
  faults: [kill],
  model: good.model.filter(({ message, step }) => message !== "a-2" || step === 0),
  seen: moved(good.seen, "a-2", { status: "interrupted", at: 9_000 }),
  ...change,
});

type Case = readonly [title: string, promise: PromiseName, change: (good: History) => Partial<History>];
const CASES: readonly Case[] = [
  ["a side effect twice", "side-effect-once", ({ tools }) => ({ tools: [...tools, { message: "a-1", at: 2_250 }] })],
  [
    "a turn begun by two replicas",
    "turn-once",
    ({ model }) => ({ model: [...model, { ...callOf(model, "a-2"), at: 4_110, replica: "r1" }] }),
  ],
  [
    "a side effect of a frozen owner that woke up after its person was told",
    "no-effect-after-end",
    (good) => died(good, { tools: moved(good.tools, "a-2", { at: 24_250 }), faults: [freeze(4_150)] }),
  ],
  [
    "an end that a stale owner changes",
    "one-end",
    ({ seen }) => ({ seen: [...seen, { message: "a-1", status: "interrupted", at: 9_000, via: "read" as const }] }),
  ],
  ["an acknowledged message without an end", "nothing-lost", ({ seen }) => ({ seen: without(seen, "b-2") })],
  ["a complete turn that the model never saw", "nothing-lost", ({ model }) => ({ model: without(model, "b-2") })],
  ["a complete turn whose tool never ran", "nothing-lost", ({ tools }) => ({ tools: without(tools, "b-2") })],
  [
    "a message that overtakes another",
    "order",
    ({ model, tools }) => ({
      model: model.map((one) => (one.message === "a-1" ? { ...one, at: one.at + 3_000 } : one)),
      tools: moved(tools, "a-1", { at: 5_200 }),
    }),
  ],
  [
    "a turn that begins while the one before still works",
    "order",
    ({ tools }) => ({ tools: moved(tools, "a-1", { at: 4_150 }) }),
  ],
  [
    "a transcript without a complete turn, as after a stale owner's write",
    "transcript",
    ({ model }) => ({ model: first(model, "a-2", { earlier: ["a-0"] }) }),
  ],
  [
    "a transcript with a message twice",
    "transcript",
    ({ model }) => ({ model: first(model, "a-2", { earlier: ["a-0", "a-1", "a-1"] }) }),
  ],
  [
    "a transcript in another order",
    "transcript",
    ({ model }) => ({ model: first(model, "a-2", { earlier: ["a-1", "a-0"] }) }),
  ],
  ["an interrupted turn that nobody reports", "reported", (good) => died(good, { seen: without(good.seen, "a-2") })],
  [
    "an interrupted turn that is reported 11 s after the kill",
    "reported",
    (good) => died(good, { seen: moved(good.seen, "a-2", { status: "interrupted", at: 15_300 }) }),
  ],
  [
    "a late report that is not excused by another replica's end",
    "reported",
    (good) =>
      died(good, {
        faults: [kill, { ...kill, replica: "r1", at: 9_000, until: 9_000 }],
        seen: moved(good.seen, "a-2", { status: "interrupted", at: 15_300 }),
      }),
  ],
  [
    "a message that no replica accepts",
    "accepted",
    ({ sent }) => ({
      sent: [...sent, { conversation: "c", message: "c-0", sentAt: 1_000, gaveUpAt: 31_000 }],
    }),
  ],
  [
    "a message that is refused for good",
    "accepted",
    ({ sent }) => ({ sent: [...sent, { conversation: "c", message: "c-0", sentAt: 1_000, refused: "404 NOT_FOUND" }] }),
  ],
  [
    "a message that waits for 12 s behind nothing",
    "prompt-start",
    ({ sent, seen, model, tools }) => ({
      sent: [...sent, { conversation: "c", message: "c-0", sentAt: 0, ackedAt: 5 }],
      model: [...model, { ...callOf(model, "a-0"), message: "c-0", at: 12_005, directives: ["D1"] }],
      tools: [...tools, { message: "c-0", at: 12_100 }],
      seen: [...seen, { message: "c-0", status: "complete", at: 12_500, via: "read" as const }],
    }),
  ],
  [
    "a turn that fails although nothing was disturbed",
    "no-fault-no-failure",
    ({ seen }) => ({ seen: moved(seen, "a-2", { status: "failed" }) }),
  ],
  [
    "a directive that a replica does not know after a second",
    "directive-in-force",
    ({ model }) => ({ model: first(model, "b-1", { directives: [] }) }),
  ],
];

function callOf(model: readonly ModelCall[], message: string): ModelCall {
  const found = model.find((one) => one.message === message && one.step === 0);
  if (found === undefined) throw new Error(`no call for ${message}`);
  return found;
}

function freeze(at: number): Fault {
  return { kind: "freeze", replica: "r3", at, until: at + 20_000 };
}

describe("the checker of the chaos suite", () => {
  it("CHAOS-01 a history that keeps every promise has no violation", () => {
    expect(checkHistory(goodHistory())).toEqual([]);
  });

  it.each(CASES)("CHAOS-02 finds %s", (_title, promise, change) => {
    expect(broken(change)).toContain(promise);
  });

  it("CHAOS-03 a turn that was killed and reported within 10 s breaks nothing", () => {
    expect(broken((good) => died(good, {}))).toEqual([]);
  });

  it("CHAOS-04 a restart of PostgreSQL moves the time of a report, a flushed Redis does not", () => {
    const late = (fault: Fault) =>
      broken((good) =>
        died(good, {
          faults: [kill, fault],
          seen: moved(good.seen, "a-2", { status: "interrupted", at: 15_300 }),
        }),
      );
    expect(late({ kind: "postgres-restart", at: 5_000, until: 7_000 })).toEqual([]);
    expect(late({ kind: "redis-flush", at: 5_000, until: 5_000 })).toEqual(["reported"]);
  });

  it("CHAOS-05 a replica that is cut off may miss a directive, until a second after the cut", () => {
    const cut = (until: number) => (good: History) => ({
      model: first(good.model, "a-1", { directives: [] }),
      faults: [{ kind: "cut" as const, replica: "r2", at: 400, until }],
    });
    expect(broken(cut(1_500))).toEqual([]);
    expect(broken(cut(600))).toEqual(["directive-in-force"]);
    expect(broken((good) => ({ ...cut(1_500)(good), model: first(good.model, "a-2", { directives: [] }) }))).toEqual([
      "directive-in-force",
    ]);
  });

  it("CHAOS-06 the order of the records does not matter", () => {
    const good = goodHistory();
    const bad = { ...good, tools: [...good.tools, { message: "a-1", at: 2_250 }], seen: without(good.seen, "b-2") };
    const expected = checkHistory(bad);
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...bad.model], { minLength: bad.model.length }),
        fc.shuffledSubarray([...bad.sent], { minLength: bad.sent.length }),
        fc.shuffledSubarray([...bad.seen], { minLength: bad.seen.length }),
        (model, sent, seen) => {
          const found = checkHistory({ ...bad, model, sent, seen });
          expect(found.map(({ promise }) => promise)).toEqual(expected.map(({ promise }) => promise));
        },
      ),
    );
  });

  it.each([
    ["nothing happens", [], 10_000],
    ["a kill moves it", [{ kind: "kill", at: 5_000, until: 5_000 }], 15_000],
    ["a later kill does not", [{ kind: "kill", at: 10_001, until: 10_001 }], 10_000],
    ["an earlier kill does not", [{ kind: "kill", at: -1, until: -1 }], 10_000],
    ["PostgreSQL must be back", [{ kind: "postgres-restart", at: 5_000, until: 30_000 }], 40_000],
    ["a woken replica counts again", [{ kind: "freeze", at: -5_000, until: 2_000 }], 12_000],
    ["Redis is no excuse", [{ kind: "redis-kill", at: 1_000, until: 5_000 }], 10_000],
  ] as const)("CHAOS-07 the latest time from 0 on: %s", (_title, faults, due) => {
    expect(dueAfter(0, faults)).toBe(due);
  });
});
