import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { characterCounter } from "../../results/token-counter.ts";
import {
  type Cut,
  countDrops,
  countMessage,
  cutAt,
  describeCalls,
  goneMessages,
  LEAST,
  levelFor,
  NO_CUT,
  planCut,
  safeCuts,
  standing,
  type TranscriptMessage,
} from "./transcript.ts";

const system: TranscriptMessage = { kind: "system", text: "tools" };
const user = (text: string): TranscriptMessage => ({ kind: "user", text, images: 0 });
const says = (text: string): TranscriptMessage => ({ kind: "assistant", text, calls: [] });
const calls = (...ids: string[]): TranscriptMessage => ({
  kind: "assistant",
  text: "",
  calls: ids.map((id) => ({ id, tool: `tool_${id[0]}`, args: "{}" })),
});
const result = (call: string): TranscriptMessage => ({
  kind: "result",
  call,
  tool: `tool_${call[0]}`,
  text: "done",
  images: 0,
  failed: false,
});

/** Pieces as runtimes make them: talk, steps whose results come in any order, a call that was never answered. */
const piece = fc.oneof(
  fc.constant([user("say")]),
  fc.constant([says("well")]),
  fc.constant([system]),
  fc.constant([calls("lost")]),
  fc
    .uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 4 })
    .chain((ids) =>
      fc.shuffledSubarray(ids, { minLength: ids.length }).map((order) => [calls(...ids), ...order.map(result)]),
    ),
);
const transcript = fc.array(piece, { minLength: 1, maxLength: 24 }).map((pieces) => pieces.flat());
const sized = transcript.chain((messages) =>
  fc.record({
    messages: fc.constant(messages),
    sizes: fc.array(fc.nat(100), { minLength: messages.length, maxLength: messages.length }),
    budget: fc.nat(2_000),
  }),
);

/** For each result the place of its call: the last one with its id before it. */
function pairs(messages: readonly TranscriptMessage[]): readonly (readonly [number, number])[] {
  return messages.flatMap((message, at) => {
    if (message.kind !== "result") return [];
    const from = messages
      .slice(0, at)
      .findLastIndex((other) => other.kind === "assistant" && other.calls.some(({ id }) => id === message.call));
    return from < 0 ? [] : [[from, at] as const];
  });
}

function stays(messages: readonly TranscriptMessage[], { cut, kept, current }: Cut): readonly number[] {
  return [...kept, ...current, ...messages.map((_, at) => at).slice(cut)];
}

describe("where a transcript is cut", () => {
  it.each([
    { name: "talk", messages: [user("a"), says("b"), user("c")], cuts: [0, 1, 2, 3] },
    { name: "a step", messages: [user("a"), calls("a", "b"), result("b"), result("a"), says("x")], cuts: [0, 1, 4, 5] },
    { name: "an unanswered call", messages: [user("a"), calls("a"), user("b")], cuts: [0, 1, 2, 3] },
    { name: "an id used again", messages: [calls("a"), result("a"), calls("a"), result("a")], cuts: [0, 2, 4] },
    { name: "nothing", messages: [], cuts: [0] },
  ])("L03 a transcript with $name can be cut at $cuts", ({ messages, cuts }) => {
    expect(safeCuts(messages)).toEqual(cuts);
  });

  it("L03 a cut never separates a call from its result", () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        for (const cut of safeCuts(messages))
          for (const [from, at] of pairs(messages)) expect(from < cut).toBe(at < cut);
      }),
    );
  });

  it("L02 a cut keeps system messages, the first and last user message and the last step, in order", () => {
    fc.assert(
      fc.property(sized, ({ messages, sizes, budget }) => {
        const plan = planCut(messages, sizes, { last: NO_CUT, budget });
        if (plan === undefined) return;
        const left = stays(messages, plan);
        const users = messages.flatMap(({ kind }, at) => (kind === "user" ? [at] : []));
        const must = [
          ...messages.flatMap(({ kind }, at) => (kind === "system" ? [at] : [])),
          ...users.slice(0, 1),
          ...users.slice(-1),
          messages.length - 1,
        ];
        expect(left).toEqual(expect.arrayContaining(must));
        expect(left).toEqual(left.toSorted((a, b) => a - b));
        expect(new Set(left).size).toBe(left.length);
      }),
    );
  });

  it("L01 the earliest cut that fits is used; if none fits only the last step remains", () => {
    fc.assert(
      fc.property(sized, ({ messages, sizes, budget }) => {
        const plan = planCut(messages, sizes, { last: NO_CUT, budget });
        if (plan === undefined) return;
        const inner = safeCuts(messages).filter((cut) => cut > 0 && cut < messages.length);
        if (standing(plan, sizes) > budget) expect(plan.cut).toBe(inner.at(-1));
        for (const cut of inner.filter((at) => at < plan.cut)) {
          const earlier = cutAt(messages, cut);
          if (goneMessages(messages, earlier).length > 0) expect(standing(earlier, sizes)).toBeGreaterThan(budget);
        }
      }),
    );
  });

  it("L05 over two compactions each message is dropped once, and every dropped message is counted", () => {
    fc.assert(
      fc.property(sized, fc.nat(1_000), transcript, ({ messages, sizes, budget }, less, more) => {
        const first = planCut(messages, sizes, { last: NO_CUT, budget });
        if (first === undefined) return;
        const longer = [...messages, ...more];
        const second = planCut(longer, [...sizes, ...more.map(() => 50)], { last: first, budget: less });
        if (second === undefined) return;
        expect(second.cut).toBeGreaterThan(first.cut);
        const before = goneMessages(longer, first);
        const since = goneMessages(longer, second, first);
        const all = goneMessages(longer, second);
        expect(since.length).toBeGreaterThan(0);
        expect(before.length + since.length).toBe(all.length);
        expect(all.length + stays(longer, second).length).toBe(longer.length);
        const called = all.reduce((sum, message) => sum + (message.kind === "assistant" ? message.calls.length : 0), 0);
        expect(Object.values(countDrops(all).calls).reduce((sum, count) => sum + count, 0)).toBe(called);
      }),
    );
  });

  it("L10 dropped calls are reported per tool, most frequent first", () => {
    const drops = countDrops([calls("a1", "b1"), result("a1"), calls("b2"), calls("b3")]);
    expect(drops.messages).toBe(4);
    expect(describeCalls(drops)).toBe("4 calls (tool_b 3, tool_a 1)");
    expect(describeCalls({ messages: 2, calls: {} })).toBe("0 calls");
  });

  it('L10 dropped calls of a tool named "constructor" are counted correctly', () => {
    const odd: TranscriptMessage = { kind: "assistant", text: "", calls: [{ id: "1", tool: "constructor", args: "" }] };
    expect(describeCalls(countDrops([odd, odd]))).toBe("2 calls (constructor 2)");
  });
});

describe("what counts", () => {
  it("L01 the size of a message includes arguments, tool names and images", () => {
    const plain = countMessage(says("hello"), characterCounter);
    const called = countMessage(
      { ...calls("a"), kind: "assistant", text: "hello", calls: [{ id: "a", tool: "write", args: "x".repeat(400) }] },
      characterCounter,
    );
    expect(called - plain).toBeGreaterThan(100);
    const picture = countMessage({ kind: "user", text: "", images: 2 }, characterCounter);
    expect(picture).toBeGreaterThan(3_000);
  });

  it("L04 the largest results are cut to one common size, smaller ones are unchanged, and all fit together", () => {
    expect(levelFor([1_000, 500, 200], 1_000)).toBe(400);
    expect(levelFor([1_000, 500, 200], 2_000)).toBe(1_000);
    expect(levelFor([1_000, 1_000], LEAST)).toBeUndefined();
    expect(levelFor([], 10)).toBe(LEAST);
    fc.assert(
      fc.property(fc.array(fc.nat(5_000), { minLength: 1 }), fc.nat(20_000), (sizes, budget) => {
        const level = levelFor(sizes, budget);
        if (level === undefined) return;
        expect(sizes.reduce((sum, size) => sum + Math.min(size, level), 0)).toBeLessThanOrEqual(budget);
      }),
    );
  });
});
