import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shortFigure } from "./data/token-bar.tsx";
import { durationText, moneyText } from "./data/units.ts";
import { piecesOf, plainText } from "./text.tsx";
import { relativeTime } from "./time.tsx";

describe("text that anybody may have written", () => {
  it.each([
    ["report\u202Egnp.exe", "report[RLO]gnp.exe"],
    ["a\u200Bb\u0000c\u2066d", "a[ZWSP]b[U+0000]c[LRI]d"],
    ["tag \u{E0041}\u{E007F}", "tag [U+E0041][U+E007F]"],
    [
      "family 👨\u200D👩\u200D👧, می\u200Cخواهم, tab\tand\nline",
      "family 👨\u200D👩\u200D👧, می\u200Cخواهم, tab\tand\nline",
    ],
    ["<b>bold</b>", "<b>bold</b>"],
    ["", ""],
  ])("TX-1 the text %j is shown as %j", (text, expected) => expect(plainText(text)).toBe(expected));

  it("TX-2 characters that reverse text never reach the screen, and no other text is lost", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const pieces = piecesOf(text);
        const kept = pieces.filter((piece) => piece.kind === "text").map((piece) => piece.text);
        expect(kept.join("")).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200E\u200F]/);
        expect(
          pieces.map((piece) => (piece.kind === "text" ? piece.text : String.fromCodePoint(piece.code))).join(""),
        ).toBe(text);
      }),
    );
  });
});

describe("figures and times in words", () => {
  const now = Date.UTC(2026, 10, 15, 12);
  it.each([
    [0, "just now"],
    [-59_000, "just now"],
    [-60_000, "1 min ago"],
    [-7_200_000, "2 h ago"],
    [-86_400_000, "yesterday"],
    [10_000, "just now"],
    [600_000, "in 10 min"],
    [12 * 3_600_000, "in 12 h"],
    [30 * 3_600_000, "tomorrow"],
    [-3 * 86_400_000, "3 days ago"],
    [-90 * 86_400_000, "17 Aug 2026"],
  ])("TX-3 a time %i ms from now is shown as '%s'", (past, expected) =>
    expect(relativeTime(now + past, now)).toBe(expected),
  );

  it.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1.0k"],
    [61_204, "61k"],
    [999_999, "999k"],
    [1_250_000, "1.2M"],
  ])("TX-4 the figure %i is shown as '%s'", (n, expected) => expect(shortFigure(n)).toBe(expected));

  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1_240, "1.2 s"],
    [59_999, "1 min"],
    [185_000, "3 min 5 s"],
    [3_600_000, "1 h"],
    [5_460_000, "1 h 31 min"],
  ])("TX-5 %i ms are shown as '%s'", (ms, expected) => expect(durationText(ms)).toBe(expected));

  it.each([
    [0, "$0"],
    [0.00001, "<$0.0001"],
    [0.0031, "$0.0031"],
    [4.1234, "$4.12"],
  ])("TX-6 %d dollars are shown as '%s'", (dollars, expected) => expect(moneyText(dollars)).toBe(expected));
});
