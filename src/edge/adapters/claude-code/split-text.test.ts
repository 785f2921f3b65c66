import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FurtherParts, PARTS, splitText } from "./split-text.ts";

const LABEL = /^\[Instructions, part (\d) of (\d)\]\n/;
const paragraphs = fc
  .array(fc.string({ unit: "grapheme", maxLength: 4_000 }), { maxLength: 12 })
  .map((all) => all.join("\n\n"))
  .filter((text) => text.length < 30_000);

describe("splitText", () => {
  it("CC-P1 a text that fits one hook is unchanged, and an empty one gives no part", () => {
    expect(splitText("short")).toEqual(["short"]);
    expect(splitText("")).toEqual([]);
  });

  it("CC-P2 the parts make up the text, and each fits one hook", () => {
    fc.assert(
      fc.property(paragraphs, (text) => {
        const parts = splitText(text);
        expect(parts.every((part) => part.length <= 10_000)).toBe(true);
        expect(parts.length).toBeLessThanOrEqual(PARTS);
        expect(parts.map((part) => (parts.length === 1 ? part : part.replace(LABEL, ""))).join("")).toBe(text);
        if (parts.length > 1)
          expect(parts.map((part) => LABEL.exec(part)?.[1])).toEqual(parts.map((_, at) => `${at + 1}`));
      }),
    );
  });

  it("CC-P3 no character is cut in two", () => {
    const parts = splitText("😀".repeat(10_000));
    expect(parts.join("")).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });

  it("CC-P4 a paragraph stays in one part where possible", () => {
    const [first = "", second = ""] = splitText(["a".repeat(8_000), "b".repeat(8_000)].join("\n\n"));
    expect(first).not.toContain("b");
    expect(second).not.toContain("a".repeat(10));
  });

  it("CC-P5 a text too long for all hooks is rejected, with its length", () => {
    expect(() => splitText("x".repeat(50_000))).toThrow("has 50000 characters");
  });
});

describe("FurtherParts", () => {
  it("CC-P6 each hook gets its part, whichever comes first", async () => {
    const parts = new FurtherParts();
    const third = parts.take("a", 3);
    parts.give("a", ["two", "three"]);
    expect(await Promise.all([parts.take("a", 2), third, parts.take("a", 4)])).toEqual(["two", "three", undefined]);
  });

  it("CC-P7 an event that is repeated under the same key gets its own parts", async () => {
    const parts = new FurtherParts();
    for (const round of ["first", "second"]) {
      const waiting = [2, 3, 4].map((part) => parts.take("a", part));
      parts.give("a", [round]);
      expect(await Promise.all(waiting)).toEqual([round, undefined, undefined]);
    }
  });
});
