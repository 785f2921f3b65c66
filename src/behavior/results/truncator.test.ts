import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import { logText, SAMPLE_TEXTS } from "./test/sample-texts.ts";
import { characterCounter, loadTokenizer } from "./token-counter.ts";
import { endMatters, ToolResultTruncator, truncatorFor } from "./truncator.ts";

let counter: TokenCounter;
let truncator: ToolResultTruncator;
beforeAll(async () => {
  counter = await loadTokenizer();
  truncator = new ToolResultTruncator({ counter });
});

/** A text of exactly so many tokens. */
function tokens(count: number): string {
  return " the".repeat(count);
}

function shownBefore(text: string): string {
  return text.split(/(?:\n\n)?(?:\[\.\.\. \d+ characters omitted|⚠️ \[Output truncated: )/)[0] ?? "";
}

describe("numbers", () => {
  it("J01 a window of 128,000 x 0.3 gives threshold 38,400 and keep 30,720; only larger results are truncated", () => {
    expect(truncator.threshold).toBe(38_400);
    expect(truncator.keep).toBe(30_720);
    expect(counter.count(tokens(38_400))).toBe(38_400);
    expect(truncator.truncate(tokens(38_400), "t")).toEqual({ text: tokens(38_400) });
    const cut = truncator.truncate(tokens(38_401), "t");
    expect(cut.truncation).toMatchObject({ original: 38_401, estimated: false, limit: 38_400 });
    expect(counter.count(cut.text)).toBeLessThanOrEqual(30_720);
    expect(counter.count(cut.text)).toBeGreaterThan(30_600);
  });

  it("J02 an empty result stays empty", () => {
    expect(truncator.truncate("", "t")).toEqual({ text: "" });
  });

  it.each([
    { maxTokens: 0 },
    { maxTokens: -1 },
    { maxTokens: Number.NaN },
    { maxShare: 0 },
    { maxShare: 1.01 },
    { maxShare: -0.1 },
    { maxShare: Number.NaN },
  ])("J02 the truncator rejects the options %o", (options) => {
    expect(() => new ToolResultTruncator({ ...options, counter })).toThrow(RangeError);
  });

  it.each([{ window: 0 }, { window: Number.NaN }, { window: -5, share: 7 }, {}])(
    "J16 truncatorFor(%o) falls back to the default",
    (options) => {
      expect(truncatorFor({ ...options, counter }).threshold).toBe(38_400);
    },
  );

  it("J16 a model with a smaller window has a smaller threshold", () => {
    expect(truncatorFor({ window: 32_000, counter }).threshold).toBe(9_600);
  });

  it("J04 a run of 200,000 x has 25,000 tokens and passes; varied text of that length is truncated", () => {
    expect(truncator.truncate("x".repeat(200_000), "t").truncation).toBeUndefined();
    expect(truncator.truncate(logText(200_000), "t").truncation).toBeDefined();
  });
});

describe("notice", () => {
  it("J09 the notice is on its own line with original size, limit, shown size and how to read the rest", () => {
    const { text, truncation } = truncator.truncate(tokens(50_000), "t", { handle: "r-1" });
    const kept = truncation?.kept ?? 0;
    const offset = shownBefore(text).length;
    expect(text.slice(offset)).toBe(
      `\n\n⚠️ [Output truncated: 50000 tokens exceeds limit of 38400. Showing first ${kept} tokens. ` +
        `Call read_result with {"handle":"r-1","offset":${offset}} for the rest, or use pagination or filters.]`,
    );
    expect(kept).toBe(counter.count(text));
  });

  it("J12 without a handle the notice says that the rest is not stored", () => {
    const { text, truncation } = truncator.truncate(tokens(50_000), "t");
    expect(text).toContain("The rest is not stored. Use pagination or filters");
    expect(truncation).toMatchObject({ handle: undefined });
  });

  it("J20 a truncation is recorded; beyond twice the limit the original size is an estimate marked ~", () => {
    const { text, truncation } = truncator.truncate(logText(1_000_000), "shell", { handle: "h" });
    expect(truncation).toMatchObject({ tool: "shell", strategy: "head", estimated: true, limit: 38_400, handle: "h" });
    expect(text).toContain(`[Output truncated: ~${truncation?.original} tokens`);
    const real = counter.count(logText(1_000_000));
    expect(Math.abs((truncation?.original ?? 0) / real - 1)).toBeLessThan(0.1);
  });

  it("J08 a truncated result including its notice is within any budget", () => {
    const text = `${logText(300_000)}\nError: it broke\n`;
    for (let budget = 0; budget < 400; budget++) {
      const cut = truncator.truncate(text, "t", { budget, handle: "result-17" });
      expect(counter.count(cut.text)).toBeLessThanOrEqual(budget);
      expect(cut.truncation?.kept).toBe(counter.count(cut.text));
      if (budget >= 20) expect(cut.text).toContain("⚠️ [Output truncated: ");
      if (budget >= 60) expect(cut.text).toContain("result-17");
    }
    expect(truncator.truncate(text, "t", { budget: -3 }).text).toBe("");
    expect(truncator.truncate(text, "t", { budget: Number.NaN }).truncation?.limit).toBe(38_400);
  });

  it.each([990, 995, 1_000, 1_005, 1_010, 1_020, 1_040, 1_060])(
    "J09 the notice states the exact token count around 1,000 (budget %i)",
    (budget) => {
      const { text, truncation } = truncator.truncate(tokens(5_000), "t", { budget });
      expect(text).toContain(` ${counter.count(text)} tokens.`);
      expect(truncation?.kept).toBe(counter.count(text));
    },
  );

  it("J07 a character counter also truncates results over the limit", () => {
    const short = new ToolResultTruncator({ counter: characterCounter });
    const { text, truncation } = short.truncate(logText(400_000), "t");
    expect(text.length).toBeLessThanOrEqual(30_720 * 4);
    expect(truncation?.kept).toBe(characterCounter.count(text));
  });
});

describe("which part is kept", () => {
  it("J10 a build log keeps its start and the error on its last line", () => {
    const log = `${logText(500_000)}\nsrc/a.ts(3,1): error TS2304: Cannot find name 'x'.\n`;
    const { text, truncation } = truncator.truncate(log, "shell");
    expect(truncation?.strategy).toBe("head-tail");
    expect(log.startsWith(shownBefore(text))).toBe(true);
    expect(text).toMatch(/\n\n\[\.\.\. \d+ characters omitted \.\.\.\]\n\n/);
    expect(text).toMatch(/error TS2304: Cannot find name 'x'\.\n\n\n⚠️ \[Output truncated: /);
    const tail = text.split("omitted ...]\n\n")[1]?.split("\n\n⚠️")[0] ?? "";
    expect(tail.length).toBeLessThanOrEqual(4_000);
    expect(log.endsWith(tail)).toBe(true);
    expect(tail.startsWith("2026-")).toBe(true);
  });

  it("J10 the tail uses at most 30 % of a small budget", () => {
    const log = `${logText(500_000)}\nTotal: 17 passed\n`;
    const { text } = truncator.truncate(log, "shell", { budget: 1_000 });
    const tail = text.split("omitted ...]\n\n")[1]?.split("\n\n⚠️")[0] ?? "";
    expect(tail).toContain("Total: 17 passed");
    expect(counter.count(tail)).toBeLessThanOrEqual(300);
  });

  it.each([
    ["Error: no such file\n", true],
    ["Process finished with exit code 1", true],
    ["Tests: 3 failed, 12 passed", true],
    ["Total 17", true],
    ['  "last": 1\n  }\n]\n', true],
    ["and they lived happily ever after\n", false],
    ["", false],
  ])("J10 a text that ends with %j needs its tail: %s", (end, matters) => {
    expect(endMatters(`${"x ".repeat(2_000)}${end}`)).toBe(matters);
  });

  it("J11 a truncation cuts between lines if a line end is near", () => {
    const text = logText(400_000);
    const head = shownBefore(truncator.truncate(text, "t").text);
    expect(text[head.length]).toBe("\n");
    const windows = text.replaceAll("\n", "\r\n");
    const other = shownBefore(truncator.truncate(windows, "t").text);
    expect(windows.startsWith(`${other}\r\n`)).toBe(true);
  });

  it.each(["👩‍❤️‍👨", "🇩🇪", "e\u0301", "각"])("J11 a truncation never splits %s", (grapheme) => {
    for (const end of ["", " error"]) {
      const text = grapheme.repeat(3_000) + end;
      for (let budget = 100; budget < 130; budget++) {
        const shown = shownBefore(truncator.truncate(text, "t", { budget }).text);
        expect(shown.length % grapheme.length).toBe(0);
      }
    }
  });

  it("J11 lone surrogates are replaced in truncated and complete results", () => {
    expect(truncator.truncate("a\ud800b", "t").text).toBe("a\ufffdb");
    expect(truncator.truncate(`\udc00${logText(300_000)}`, "t").text.isWellFormed()).toBe(true);
  });
});

describe("for every text", () => {
  const pieces = fc.array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom("\n", "\r\n", "x".repeat(700), " ".repeat(300), "Error: 7\n", "}\n", "\ud83d", "字".repeat(200)),
    ),
    { maxLength: 40 },
  );

  it.each(["o200k", "cl100k", "characters"] as const)(
    "J08 J11 a truncated text is a well-formed prefix within its budget, counted exactly (%s)",
    async (encoding) => {
      const own = encoding === "characters" ? characterCounter : await loadTokenizer(encoding);
      const small = new ToolResultTruncator({ maxTokens: 2_000, counter: own });
      fc.assert(
        fc.property(pieces, fc.integer({ min: 0, max: 700 }), fc.boolean(), (parts, budget, kept) => {
          const text = parts.join("");
          const cut = small.truncate(text, "t", { budget, handle: kept ? "h-1" : undefined });
          const counted = own.count(cut.text);
          expect(cut.text.isWellFormed()).toBe(true);
          if (cut.truncation === undefined) {
            expect(cut.text).toBe(text.toWellFormed());
            expect(counted).toBeLessThanOrEqual(Math.min(600, budget));
            return;
          }
          expect(counted).toBeLessThanOrEqual(Math.min(480, budget));
          expect(cut.truncation.kept).toBe(counted);
          expect(cut.truncation.original).toBeGreaterThan(cut.truncation.limit);
          expect(text.toWellFormed().startsWith(shownBefore(cut.text))).toBe(true);
        }),
        { numRuns: 300 },
      );
    },
  );
});

describe("huge texts", () => {
  // The budget is 100 ms, and bench/truncation.ts measures it. Here a quadratic one would run into the test's own limit.
  it.each(Object.entries(SAMPLE_TEXTS))("J05 truncating 10 MB of %s takes linear time", (_name, make) => {
    const text = make(10_000_000);
    const cut = truncator.truncate(text, "t", { handle: "h" });
    expect(cut.truncation?.estimated).toBe(true);
    expect(counter.count(cut.text)).toBeLessThanOrEqual(30_720);
  });
});
