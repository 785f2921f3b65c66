import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contractLines } from "../active-contract.ts";
import { comparisonKey, displayText } from "./comparison-key.ts";

/** Seen by nobody and left out by both: with it a text takes the way that every text can take. */
const UNSEEN = "\u200b";
const plain = fc.string({ unit: fc.constantFrom(..."abZ -`'\".,!?;:_09~<>&") });

describe("plain text", () => {
  it("C11: the fast path for plain text gives the same comparison key as the full path", () => {
    fc.assert(
      fc.property(fc.oneof(plain, fc.string({ unit: "binary-ascii" })), (text) => {
        expect(comparisonKey(text)).toBe(comparisonKey(`${text}${UNSEEN}`));
      }),
    );
  });

  it("C11: the fast path for plain text gives the same display text as the full path", () => {
    fc.assert(
      fc.property(fc.oneof(plain, fc.string({ unit: "binary-ascii" })), (text) => {
        expect(displayText(text)).toBe(displayText(`${UNSEEN}${text}`));
      }),
    );
  });

  it("C11: the fast path for plain text gives the same contract lines as the full path", () => {
    fc.assert(
      fc.property(fc.oneof(plain, fc.string({ unit: "binary-ascii" })), (text) => {
        const told = (one: string) => contractLines([{ type: "keep", text: one }]);
        expect(told(text)).toEqual(told(`${text}${UNSEEN}`));
      }),
    );
  });

  it.each([
    ["Re-run the `tests`!!", "rerun the 'tests'"],
    ["  Short   answers. ", "short answers"],
    ["a - b --", "a - b --"],
  ])("C11: the comparison key of %j is %j", (text, key) => {
    expect(comparisonKey(text)).toBe(key);
  });
});
