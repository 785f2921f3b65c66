import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shortFigure } from "./data/token-bar.tsx";
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
    [-60_000, "1 min. ago"],
    [-7_200_000, "2 hr. ago"],
    [-86_400_000, "yesterday"],
    [10_000, "just now"],
    [600_000, "in 10 min."],
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
});
