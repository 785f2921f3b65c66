import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { count } from "./printable.ts";

describe("numbers", () => {
  it("PRT-1 a number is written as in the English locale, without loading the locale tables for whole numbers", () => {
    for (const value of [0, 7, -7, 999, 1_000, -1_000, 987_500, 1_000_000, Number.MAX_SAFE_INTEGER, 0.5, 1_234.5, 1e21])
      expect(count(value)).toBe(value.toLocaleString("en-US"));
    fc.assert(fc.property(fc.maxSafeInteger(), (value) => count(value) === value.toLocaleString("en-US")));
  });
});
