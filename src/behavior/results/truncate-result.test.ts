import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { Part, ToolResult } from "../../base/words/result.ts";
import { logText } from "./test/sample-texts.ts";
import { loadTokenizer } from "./token-counter.ts";
import {
  chargeResult,
  NO_RESULTS,
  resultBudget,
  shareBudget,
  type TruncateResultOptions,
  truncateResult,
} from "./truncate-result.ts";

let counter: TokenCounter;
beforeAll(async () => {
  counter = await loadTokenizer();
});

function options(more: Partial<TruncateResultOptions> = {}): TruncateResultOptions {
  let made = 0;
  return { tool: "shell", counter, window: 128_000, turn: NO_RESULTS, newHandle: () => `h${++made}`, ...more };
}

function ok(...parts: Part[]): ToolResult {
  return { outcome: "ok", parts };
}

const text = (value: string): Part => ({ kind: "text", text: value });
const image: Part = { kind: "image", mime: "image/png", data: "A".repeat(400_000) };

function shown(result: ToolResult): string[] {
  return result.parts.map((part) => (part.kind === "text" ? part.text : part.kind));
}

function countOf(result: ToolResult): number {
  return result.parts.reduce((sum, part) => sum + (part.kind === "text" ? counter.count(part.text) : 0), 0);
}

describe("parts", () => {
  it("J03 a result that fits is unchanged and counts towards the turn's budget", () => {
    const given = ok(text("hello there"), { kind: "json", value: { a: [1, 2] } }, image);
    const cut = truncateResult(given, options());
    expect(cut.result).toEqual(given);
    expect(cut.truncations).toEqual([]);
    expect(cut.keep).toEqual([]);
    expect(cut.turn.used).toBe(counter.count("hello there") + counter.count('{"a":[1,2]}'));
  });

  it("J03 an image is passed on and not counted, even next to a truncated text", () => {
    const cut = truncateResult(ok(image, text(logText(400_000)), image), options());
    expect(cut.result.parts[0]).toBe(image);
    expect(cut.result.parts[2]).toBe(image);
    expect(countOf(cut.result)).toBeLessThanOrEqual(30_720);
    expect(cut.keep).toEqual([{ handle: "h1", text: logText(400_000) }]);
  });

  it("J11 truncated JSON becomes text with a notice, and its handle stores the complete value", () => {
    const value = Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `item ${i}` }));
    const cut = truncateResult(ok({ kind: "json", value }), options());
    expect(cut.result.parts[0]?.kind).toBe("text");
    expect(shown(cut.result)[0]).toContain("⚠️ [Output truncated: ");
    expect(JSON.parse(cut.keep[0]?.text ?? "")).toEqual(value);
    expect(cut.truncations[0]).toMatchObject({ tool: "shell", strategy: "head-tail", handle: "h1" });
  });

  it("J03 bytes that are valid UTF-8 are shown as text, including a byte order mark", () => {
    const bytes = new TextEncoder().encode("\ufeffgrüße 你好");
    expect(shown(truncateResult(ok({ kind: "bytes", bytes }), options()).result)).toEqual(["\ufeffgrüße 你好"]);
    const long = new TextEncoder().encode(logText(400_000));
    expect(truncateResult(ok({ kind: "bytes", bytes: long }), options()).keep[0]?.text).toBe(logText(400_000));
  });

  it.each([
    ["a NUL", Uint8Array.of(65, 0, 66), undefined],
    ["broken UTF-8", Uint8Array.of(0xff, 0xfe, 0x41), "image/x-odd"],
  ])("J03 bytes with %s are described in one line and never shown", (_what, bytes, mime) => {
    const cut = truncateResult(ok({ kind: "bytes", bytes, mime }), options());
    expect(shown(cut.result)).toEqual([
      `[Binary data: 3 bytes, ${mime ?? "application/octet-stream"}; not shown, read_result with handle "h1" gives base64]`,
    ]);
    expect(cut.keep).toEqual([{ handle: "h1", text: Buffer.from(bytes).toString("base64") }]);
    expect(cut.truncations).toMatchObject([{ strategy: "replaced", handle: "h1", estimated: true }]);
  });

  it("J03 very large binary data is described and not stored", () => {
    const cut = truncateResult(ok({ kind: "bytes", bytes: new Uint8Array(17 * 1024 * 1024) }), options());
    expect(shown(cut.result)[0]).toContain("not shown, not stored]");
    expect(cut.keep).toEqual([]);
  });

  it("J18 a long failure keeps its outcome, exit code, first line and last lines", () => {
    const long = `Error E42: disk full\n${logText(400_000)}\nfatal: gave up\n`;
    const cut = truncateResult({ outcome: "failed", exitCode: 2, parts: [text(long)] }, options());
    expect(cut.result).toMatchObject({ outcome: "failed", exitCode: 2 });
    expect(shown(cut.result)[0]).toMatch(/^Error E42: disk full\n/);
    expect(shown(cut.result)[0]).toContain("fatal: gave up");
  });

  it("J18 a short error next to a long log is shown in full, even if the turn's budget is used up", () => {
    const parts = [text("Error E42: disk full"), text(logText(400_000))];
    for (const used of [0, 999_999]) {
      const cut = truncateResult({ outcome: "failed", parts }, options({ turn: { used } }));
      expect(shown(cut.result)[0]).toBe("Error E42: disk full");
      expect(cut.truncations).toHaveLength(1);
    }
  });

  it("J08 many parts for a small budget are truncated as one text", () => {
    const parts = [image, ...Array.from({ length: 500 }, (_, i) => text(`part ${i} ${"word ".repeat(50)}`))];
    const cut = truncateResult(ok(...parts), options({ window: 2_000 }));
    expect(cut.result.parts).toHaveLength(2);
    expect(cut.result.parts[0]).toBe(image);
    expect(countOf(cut.result)).toBeLessThanOrEqual(480);
    expect(shown(cut.result)[1]).toMatch(/^part 0 word/);
    expect(cut.keep[0]?.text).toContain("part 499 word");
  });

  it("J12 a result without a handle says that the rest is not stored, and stores nothing", () => {
    const cut = truncateResult(ok(text(logText(400_000))), options({ newHandle: undefined }));
    expect(shown(cut.result)[0]).toContain("The rest is not stored.");
    expect(cut.keep).toEqual([]);
  });

  it("J05 a result part of 100 MB is truncated to the limit", () => {
    const huge = "0123456789".repeat(10_000_000);
    const cut = truncateResult(ok(text(huge)), options());
    expect(countOf(cut.result)).toBeLessThanOrEqual(30_720);
    expect(cut.keep[0]?.text.length).toBe(huge.length);
  });
});

describe("charging short results", () => {
  it("FAST-1 a charged result has at most as many tokens as it is charged, and the exact way shows it whole, too", () => {
    const unicode = fc.string({ unit: "grapheme", maxLength: 300 });
    fc.assert(
      fc.property(
        fc.array(unicode, { maxLength: 4 }),
        fc.nat(80_000),
        fc.integer({ min: 1, max: 9 }),
        (texts, used, n) => {
          const result = ok(...texts.map(text));
          const given = options({ turn: { used }, parallel: n });
          const charged = chargeResult(result, given);
          if (charged === undefined) return;
          const exact = truncateResult(result, given);
          expect(exact.truncations).toEqual([]);
          expect(shown(exact.result)).toEqual(texts);
          expect(charged.used).toBeGreaterThanOrEqual(exact.turn.used);
        },
      ),
    );
  });

  it("FAST-2 charges take at most a tenth of the turn's budget; then results are counted", () => {
    let turn = NO_RESULTS;
    let charged = 0;
    for (let next = chargeResult(ok(text("x".repeat(500))), options({ turn })); next !== undefined; charged++) {
      turn = next;
      next = chargeResult(ok(text("x".repeat(500))), options({ turn }));
    }
    expect(charged).toBe(15);
    expect(turn).toEqual({ used: 7_500, charged: 7_500 });
    expect(truncateResult(ok(text("one two")), options({ turn })).turn).toEqual({ used: 7_502, charged: 7_500 });
  });

  it("FAST-3 images, bytes and values are counted, and so is a text that is too long for its share", () => {
    expect(chargeResult(ok(image), options())).toBeUndefined();
    expect(chargeResult(ok({ kind: "json", value: 1 }), options())).toBeUndefined();
    expect(chargeResult(ok(text("x".repeat(200))), options({ window: 500 }))).toBeUndefined();
  });
});

describe("turn", () => {
  const third = " the".repeat(37_120);

  it("J15 of ten sequential results of 29 % two fit, the others share the rest, and none is empty", () => {
    let turn = NO_RESULTS;
    const sizes: number[] = [];
    for (let i = 0; i < 10; i++) {
      const cut = truncateResult(ok(text(third)), options({ turn }));
      turn = JSON.parse(JSON.stringify(cut.turn));
      sizes.push(countOf(cut.result));
      expect(shown(cut.result)[0]).not.toBe("");
      if (i > 1) expect(shown(cut.result)[0]).toContain("h1");
    }
    expect(sizes.slice(0, 2)).toEqual([37_120, 37_120]);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(76_800 + 8 * 256);
    expect(turn.used).toBe(sizes.reduce((sum, size) => sum + size));
  });

  it("J15 ten parallel results get equal shares of the turn's budget", () => {
    let turn = NO_RESULTS;
    const sizes: number[] = [];
    for (let left = 10; left > 0; left--) {
      const cut = truncateResult(ok(text(third)), options({ turn, parallel: left }));
      turn = cut.turn;
      sizes.push(countOf(cut.result));
    }
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(100);
    expect(turn.used).toBeLessThanOrEqual(76_800);
    expect(turn.used).toBeGreaterThan(75_000);
  });

  it("J15 budget that short results do not use goes to the other parallel results", () => {
    expect(resultBudget({ used: 0 }, { window: 128_000, parallel: 2 })).toBe(38_400);
    expect(resultBudget({ used: 800 }, { window: 128_000, parallel: 1 })).toBe(76_000);
    expect(resultBudget({ used: 76_800 }, { window: 128_000 })).toBe(256);
    expect(resultBudget({ used: 9_999 }, { window: 8_000, parallel: 0 })).toBe(64);
    expect(resultBudget({ used: 0 }, { window: Number.NaN, turnShare: 0.5 })).toBe(64_000);
  });

  it("J16 a result is truncated to the window of the model that receives it", () => {
    const given = ok(text(third));
    expect(truncateResult(given, options()).truncations).toEqual([]);
    expect(countOf(truncateResult(given, options({ window: 32_000 })).result)).toBeLessThanOrEqual(7_680);
    expect(countOf(truncateResult(given, options({ window: 0 })).result)).toBe(37_120);
  });

  it("J15 J08 a truncated result never exceeds the budget for any parts", () => {
    const parts = fc.array(
      fc.oneof(
        fc.string({ unit: "grapheme", maxLength: 200 }).map(text),
        fc.integer({ min: 1, max: 400 }).map((n) => text("word and line\n".repeat(n))),
        fc.json().map((value): Part => ({ kind: "json", value: JSON.parse(value) })),
        fc.uint8Array({ maxLength: 300 }).map((bytes): Part => ({ kind: "bytes", bytes })),
        fc.constant(image),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        parts,
        fc.integer({ min: 0, max: 1_400 }),
        fc.integer({ min: 1, max: 5 }),
        (given, used, parallel) => {
          const turn = { used };
          const cut = truncateResult(ok(...given), options({ window: 2_000, turn, parallel }));
          const budget = Math.min(600, resultBudget(turn, { window: 2_000, parallel }));
          const taken = cut.result.parts.reduce((sum, part) => {
            if (part.kind === "json") return sum + counter.count(JSON.stringify(part.value));
            return sum + (part.kind === "text" ? counter.count(part.text) : 0);
          }, 0);
          expect(taken).toBeLessThanOrEqual(budget);
          expect(cut.turn.used - used).toBe(taken);
          expect(cut.result.parts.filter((part) => part.kind === "image")).toHaveLength(
            given.filter((part) => part.kind === "image").length,
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("shareBudget", () => {
  it("J03 the budget is shared by size and never exceeds the need or the total", () => {
    expect(shareBudget([10, 100_000], 1_000)).toEqual([10, 990]);
    expect(shareBudget([20_000, 40_000], 3_000).map((share) => Math.round(share / 100))).toEqual([11, 19]);
    expect(shareBudget([], 10)).toEqual([]);
    fc.assert(
      fc.property(fc.array(fc.nat(5_000), { maxLength: 20 }), fc.nat(20_000), (sizes, budget) => {
        const shares = shareBudget(sizes, budget);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(budget);
        for (const [i, share] of shares.entries()) expect(share).toBeLessThanOrEqual(sizes[i] ?? 0);
        const wanted = sizes.reduce((sum, size) => sum + size, 0);
        if (wanted <= budget) expect(shares).toEqual(sizes);
      }),
    );
  });
});

describe("a runtime that cuts results itself", () => {
  it.each([
    ["log lines", logText(131_072)],
    ["words", "lorem ipsum dolor ".repeat(8_000)],
    ["Japanese", "日本語の長い文章。".repeat(4_000)],
    ["blanks", `${" ".repeat(200)}x\n`.repeat(600)],
  ])("TRC-1 %s are cut to the characters that the runtime passes on, with the handle", (_, given) => {
    const cut = truncateResult(ok(text(given)), options({ most: 16_000, window: 200_000 }));
    const [kept = ""] = shown(cut.result);
    const weight = kept.length + 3 * (kept.match(/[\u1100-\uffff]/g)?.length ?? 0);
    expect(weight).toBeLessThanOrEqual(16_000);
    expect(kept).toContain('"handle":"h1"');
    expect(cut.keep).toEqual([{ handle: "h1", text: given }]);
  });

  it("TRC-2 a result that the runtime passes on is not cut", () => {
    const given = ok(text(logText(15_000)));
    expect(truncateResult(given, options({ most: 16_000 })).result).toEqual(given);
  });
});
