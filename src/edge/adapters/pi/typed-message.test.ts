import type { ImageContent, TextContent } from "@earendil-works/pi-ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textOf } from "../shared/pi/translate.ts";
import { cutStart } from "./adapter.ts";

const text = (said: string): TextContent => ({ type: "text", text: said });
const picture: ImageContent = { type: "image", data: "AA==", mimeType: "image/png" };

describe("a message without the modes at its start", () => {
  it.each([
    { content: "/think why?", cut: 7, rest: "why?" },
    { content: [text("/think why?")], cut: 7, rest: [text("why?")] },
    {
      content: [text("/think look"), picture, text("and here")],
      cut: 7,
      rest: [text("look"), picture, text("and here")],
    },
    { content: [picture, text("/think look")], cut: 7, rest: [picture, text("look")] },
    // The line break between two blocks is the one character that goes with a mode.
    { content: [text("/think"), picture, text("look")], cut: 7, rest: [picture, text("look")] },
    { content: [text("/think on")], cut: 9, rest: [] },
  ])("K10: $content without its first $cut characters keeps the other blocks", ({ content, cut, rest }) => {
    expect(cutStart(content, cut)).toEqual(rest);
  });

  it("K10: removing the start of a message leaves the end of its text, whatever the blocks", () => {
    const blocks = fc.array(fc.string({ maxLength: 6 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(blocks, fc.nat(30), (texts, wanted) => {
        const content = texts.map(text);
        const whole = textOf({ content });
        const cut = Math.min(wanted, whole.length);
        const left = textOf({ content: cutStart(content, cut) });
        // A block that is used up goes, and its line break with it.
        expect(left.replaceAll("\n", "")).toBe(whole.slice(cut).replaceAll("\n", ""));
      }),
    );
  });
});
