import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import cl100kRanks from "gpt-tokenizer/bpeRanks/cl100k_base";
import o200kRanks from "gpt-tokenizer/bpeRanks/o200k_base";
import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as o200k from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { logText, SAMPLE_TEXTS } from "./test/sample-texts.ts";
import {
  characterCounter,
  counterOver,
  encodingOf,
  estimateTokens,
  LONGEST_TOKEN,
  loadTokenizer,
  nextWindow,
} from "./token-counter.ts";

const plain = { disallowedSpecial: new Set<string>() };
const references = { o200k, cl100k } as const;
const awkward = fc.string({
  unit: fc.constantFrom(
    ..."aZéßx'sdtmlvre 019½٣²\n\r\t\u00a0\u3000.,!/-_(){}\u0300\u200d\ufe0f😀👩❤字、。かゞ한ʰǅ\0\u0085\ufeff",
  ),
  maxLength: 60,
});

describe.each(["o200k", "cl100k"] as const)("%s", (encoding) => {
  const reference = references[encoding];

  it("TOK-1 the token counts of the windows add up to the encoding's count of the whole text", () => {
    fc.assert(
      fc.property(awkward, (text) => {
        let sum = 0;
        for (let at = 0; at < text.length; ) {
          const end = nextWindow(text, at, 1);
          sum += reference.countTokens(text.slice(at, end), plain);
          at = end;
        }
        expect(sum).toBe(reference.countTokens(text, plain));
      }),
      { numRuns: 3_000 },
    );
  });

  it("TOK-2 the counter agrees with the encoding on prose, code and logs", async () => {
    const counter = await loadTokenizer(encoding);
    const prose = "The quick brown fox's 1234 jumps\n\n  over it; don't.\r\n\tif (a[0] !== b) { return `x`; }\n";
    for (const text of [prose.repeat(200), logText(60_000), "今天天气很好，我们去公园。".repeat(300)]) {
      expect(counter.count(text)).toBe(reference.countTokens(text, plain));
    }
  });

  it("TOK-3 the count of a long run differs from the encoding by less than a token per forced cut", async () => {
    const counter = await loadTokenizer(encoding);
    for (const name of ["one letter", "base64", "CJK", "emoji", "random letters"]) {
      const text = SAMPLE_TEXTS[name]?.(4_000) ?? "";
      const difference = Math.abs(counter.count(text) - reference.countTokens(text, plain));
      expect(difference).toBeLessThanOrEqual(4_000 / 128);
    }
    expect(counter.count("x".repeat(200_000))).toBe(25_000);
  });

  it("TOK-4 no token is longer than LONGEST_TOKEN", () => {
    let longest = 0;
    for (const token of encoding === "o200k" ? o200kRanks : cl100kRanks) {
      longest = Math.max(longest, (token as string | readonly number[] | undefined)?.length ?? 0);
    }
    expect(longest).toBeGreaterThan(1);
    expect(longest).toBeLessThanOrEqual(LONGEST_TOKEN);
  });

  it("J06 special tokens count as plain text", async () => {
    const counter = await loadTokenizer(encoding);
    for (const text of ["<|endoftext|>", "a <|im_start|> b", "<|endoftext|>".repeat(50)]) {
      expect(counter.count(text)).toBeGreaterThan(3);
    }
  });

  it("TOK-5 fit returns a prefix within the budget that one more word would exceed", async () => {
    const counter = await loadTokenizer(encoding);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 0, max: 100 }), (text, max) => {
        const { end, tokens } = counter.fit(text, max);
        expect(tokens).toBe(counter.count(text.slice(0, end)));
        expect(tokens).toBeLessThanOrEqual(max);
        expect(text.slice(0, end).isWellFormed()).toBe(true);
        if (end < text.length) expect(counter.count(text.slice(0, end + 24))).toBeGreaterThan(max - 4);
      }),
    );
  });

  it("TOK-6 countUpTo is exact up to the limit and a lower bound beyond", async () => {
    const counter = await loadTokenizer(encoding);
    const text = logText(20_000);
    const all = counter.count(text);
    expect(counter.countUpTo(text, all)).toEqual({ tokens: all, exact: true });
    const beyond = counter.countUpTo(text, all - 1);
    expect(beyond.exact).toBe(false);
    expect(beyond.tokens).toBeLessThanOrEqual(all);
    expect(counter.countUpTo("x".repeat(1_000_000), 10).exact).toBe(false);
  });

  it("TOK-7 a token estimate of uniform text is within 10 percent of the count", async () => {
    const counter = await loadTokenizer(encoding);
    const text = logText(400_000);
    expect(Math.abs(estimateTokens(text, counter) / counter.count(text) - 1)).toBeLessThan(0.1);
    expect(estimateTokens("a short one", counter)).toBe(counter.count("a short one"));
  });
});

describe("loading", () => {
  it.each([
    [undefined, "o200k"],
    ["claude-opus-4", "o200k"],
    ["gpt-4o", "o200k"],
    ["gpt-4.1-mini", "o200k"],
    ["openai/gpt-5", "o200k"],
    ["gpt-4", "cl100k"],
    ["openai/gpt-4-turbo", "cl100k"],
    ["gpt-3.5-turbo", "cl100k"],
  ] as const)("J16 the model %s is counted with %s", (model, encoding) => {
    expect(encodingOf(model)).toBe(encoding);
  });

  it("J07 if the token tables fail to load, characters are counted and the next call retries", async () => {
    const { loadTokenizer: fresh } = await import("./token-counter.ts?fresh" as "./tokens.ts");
    const broken = await fresh("o200k", () => Promise.reject(new Error("no tables")));
    expect(broken.encoding).toBe("characters");
    expect((await fresh("o200k")).encoding).toBe("o200k");
    expect(await fresh("o200k")).toBe(await fresh("o200k"));
  });

  it("J07 a counter whose encoder throws counts four characters per token", () => {
    const counter = counterOver("o200k", () => {
      throw new Error("bug");
    });
    expect(counter.count("a".repeat(101))).toBe(26);
    expect(counter.fit("a".repeat(101), 10).end).toBe(40);
    expect(characterCounter.fit("a😀😀😀", 1)).toEqual({ end: 3, tokens: 1 });
    expect(characterCounter.countUpTo("12345", 1)).toEqual({ tokens: 2, exact: false });
  });

  it("TOK-8 importing the result modules does not load the tokenizer package", () => {
    const folder = import.meta.dirname;
    const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
    const script = `
      for (const file of ${JSON.stringify(files.map((name) => resolve(folder, name)))}) await import(file);
      const { getHeapStatistics } = await import("node:v8");
      process.stdout.write(String(getHeapStatistics().used_heap_size));`;
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(Number(run.stdout)).toBeGreaterThan(0);
    expect(Number(run.stdout)).toBeLessThan(20_000_000);
  });
});
