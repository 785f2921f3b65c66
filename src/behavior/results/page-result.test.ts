import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import { pageResult } from "./page-result.ts";
import { logText } from "./test/sample-texts.ts";
import { characterCounter, loadTokenizer } from "./token-counter.ts";

let counter: TokenCounter;
beforeAll(async () => {
  counter = await loadTokenizer();
});

function pages(text: string, limitTokens: number, own = counter): string[] {
  const found: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = pageResult(text, { offset, limitTokens, counter: own });
    expect(page.offset).toBe(offset);
    expect(page.total).toBe(text.length);
    found.push(page.text);
    offset = page.nextOffset;
  }
  return found;
}

describe("pageResult", () => {
  it("J12 pages end after a line and join to the complete text", () => {
    const text = logText(100_000);
    const all = pages(text, 2_000);
    expect(all.join("")).toBe(text);
    for (const page of all.slice(0, -1)) {
      expect(page.endsWith("\n")).toBe(true);
      expect(counter.count(page)).toBeLessThanOrEqual(2_000);
    }
  });

  it("J12 pages of any text and size join to the complete text", () => {
    const texts = fc.string({ unit: fc.oneof(fc.string({ unit: "grapheme", maxLength: 4 }), fc.constant("\n")) });
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 30 }), fc.boolean(), (text, limit, characters) => {
        const all = pages(text, limit, characters ? characterCounter : counter);
        expect(all.join("")).toBe(text);
        for (const page of all) expect(page.isWellFormed()).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("J11 an offset inside a code point moves back to its start", () => {
    const page = pageResult("ab👩‍💻cd", { offset: 3, limitTokens: 100, counter });
    expect(page).toEqual({ text: "👩‍💻cd", offset: 2, total: 9 });
  });

  it.each([9, 10, 1e9])("J12 an offset of %d at or past the end gives an empty last page", (offset) => {
    expect(pageResult("123456789", { offset, limitTokens: 5, counter })).toEqual({ text: "", offset: 9, total: 9 });
  });

  it.each([Number.NaN, -4])("J12 an offset of %d counts as the start", (offset) => {
    expect(pageResult("abc", { offset, limitTokens: 5, counter }).text).toBe("abc");
  });

  it("J12 a character larger than the limit gets its own page", () => {
    expect(pages("👩‍💻", 0).join("")).toBe("👩‍💻");
    expect(pages("👩‍💻x", 1).length).toBeGreaterThan(1);
  });

  it("J05 reading a page deep in 100 MB is fast", () => {
    const text = "line of text\n".repeat(8_000_000);
    const page = pageResult(text, { offset: 90_000_006, limitTokens: 10_000, counter });
    expect(page.text.length).toBeGreaterThan(10_000);
  });
});
