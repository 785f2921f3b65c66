import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listEntry, splitItems } from "./instruction-items.ts";

describe("splitItems", () => {
  it.each(["", " ", "\n\t \r\n", "\u00a0\u2003", "-", "* \n- \n1.", "---\n***"])(
    "H01: the text %j contains no instruction items",
    (text) => {
      expect(splitItems(text)).toEqual([]);
    },
  );

  it.each([
    { text: "one line", items: ["one line"] },
    { text: "a\nb\r\nc\rd\u2028e", items: ["a", "b", "c", "d", "e"] },
    { text: "- a\n* b\n+ c\n• d\n1. e\n22) f", items: ["a", "b", "c", "d", "e", "f"] },
    { text: "- a\n\n\n- b\n", items: ["a", "b"] },
    { text: "- a\n  more of a\n\n  and more\n- b", items: ["a\nmore of a\nand more", "b"] },
    { text: "- a\n  - below a\n    - deeper", items: ["a\n- below a\n  - deeper"] },
    { text: "    - all\n    - indented", items: ["all", "indented"] },
    { text: "-5 degrees is cold", items: ["-5 degrees is cold"] },
    { text: "2024. was a year", items: ["2024. was a year"] },
    { text: "a\n---\nb", items: ["a", "b"] },
    { text: "Sign as:\n```\nBest,\n\n  Ann\n```\nb", items: ["Sign as:\n```\nBest,\n\n  Ann\n```", "b"] },
    { text: "```\nx\n```", items: ["```\nx\n```"] },
    { text: "a\n```\nb", items: ["a", "```", "b"] },
    { text: "a\n(Instructions truncated at 2000 characters.)\n(No custom instructions set.)", items: ["a"] },
    { text: "a\ud800b", items: ["a\ufffdb"] },
  ])("H05: the text $text is split into $items", ({ text, items }) => {
    expect(splitItems(text)).toEqual(items);
  });

  it("H05: items rendered as a list are split into the same items again", () => {
    const line = fc.constantFrom(
      "a",
      " b",
      "  - c",
      "- d",
      "1. e",
      "",
      "```",
      "  ```",
      "~~~~",
      "## F",
      "---",
      "- ```",
      "\tg",
      "- - h",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => {
        const items = splitItems(lines.join("\n"));
        expect(splitItems(items.map((item) => listEntry(item)).join("\n"))).toEqual(items);
      }),
      { numRuns: 2_000 },
    );
  });

  it("H05: unclosed code fences are scanned once, in linear time", () => {
    expect(splitItems("```a\n".repeat(80_000))).toHaveLength(80_000);
  });
});
