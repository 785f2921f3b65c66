import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { characterCounter, loadTokenizer } from "../results/token-counter.ts";
import { type CutLimits, cutContent } from "./section-measures.ts";

const o200k = await loadTokenizer();
const prose = "The quick brown fox jumps over the lazy dog. ".repeat(30).trim();

function cut(content: string, limits: Partial<CutLimits>, counter = o200k) {
  const done = cutContent(content, { tags: "neutralise", ...limits }, counter);
  if (done.kind === "whole") throw new Error("it was not cut");
  return done;
}

describe("cutContent", () => {
  it("G11: content within its limits is unchanged", () => {
    expect(cutContent("abc", { maxChars: 3, maxTokens: 1, tags: "keep" }, o200k)).toEqual({ kind: "whole" });
  });

  it("G11: the cut marker states on its own line how much is shown and counts towards the limit", () => {
    const { text, kept, limit } = cut(prose, { maxChars: 300 });
    expect(limit).toBe("maxChars");
    expect(text).toBe(`${prose.slice(0, kept)}\n… [cut: kept ${kept} of 1,349 characters]`);
    expect(text.length).toBeLessThanOrEqual(300);
    expect(kept).toBeGreaterThan(240);
  });

  it("G11: the cut marker names the tighter of two limits", () => {
    expect(cut(prose, { maxChars: 1_000, maxTokens: 40 }).limit).toBe("maxTokens");
    expect(cut(prose, { maxChars: 100, maxTokens: 200 }).limit).toBe("maxChars");
  });

  it.each([
    { what: "at a line's end that is near", content: `${"a".repeat(230)}\n${"b".repeat(200)}`, kept: 230 },
    { what: "within a line when none is near", content: `${"a".repeat(30)}\n${"b".repeat(400)}`, kept: 264 },
  ])("H03: content is cut $what", ({ content, kept }) => {
    expect(cut(content, { maxChars: 300 }).kept).toBe(kept);
  });

  it("H03: a cut never splits an emoji", () => {
    const { text, kept } = cut("👍🏽".repeat(100), { maxChars: 151 });
    expect(kept % 4).toBe(0);
    expect(text).toMatch(/^(👍🏽)+\n…/u);
  });

  it.each([
    { what: "a block of code", content: `\`\`\`sh\n${"npm test\n".repeat(60)}\`\`\``, end: "npm test\n```" },
    { what: "a block in a list", content: `- \`\`\`\n${"  npm test\n".repeat(60)}  \`\`\``, end: "npm test\n  ```" },
  ])("G14: $what is closed before the cut marker", ({ content, end }) => {
    const { text } = cut(content, { maxChars: 200 });
    expect(text.split("\n… [cut")[0]?.endsWith(end)).toBe(true);
    expect(text.length).toBeLessThanOrEqual(200);
  });

  it("G14: a cut closes Conduct's own tags and never leaves half a tag", () => {
    const content = `Told:\n<user_instructions>\n${"- always test\n".repeat(20)}</user_instructions>\nAsk first.`;
    for (let maxChars = 3; maxChars < content.length; maxChars++) {
      const { text } = cut(content, { maxChars, tags: "keep" });
      const tags = text.match(/<\/?user_instructions>/g) ?? [];
      expect(tags).toEqual(tags.length === 0 ? [] : ["<user_instructions>", "</user_instructions>"]);
      expect(text.match(/</g) ?? []).toHaveLength(tags.length);
      if (maxChars > 100) expect(tags).toHaveLength(2);
    }
  });

  it("G14: a cut never turns plain text into a heading or a tag", () => {
    expect(cut(`a\n##${"x".repeat(50)}`, { maxChars: 6 }).text).not.toMatch(/^##$/m);
    expect(cut(`<feedback${"x".repeat(50)}`, { maxChars: 14 }).text).not.toMatch(/<feedback\b/);
  });

  it("G11: an ellipsis replaces a marker that does not fit; if nothing fits the content is empty", () => {
    expect(cut(prose, { maxChars: 12 }).text).toBe("The quick\n…");
    expect(cut(prose, { maxChars: 1 })).toMatchObject({ text: "", kept: 0 });
  });

  it("G11: cut content never exceeds its limits", () => {
    const line = fc.constantFrom(
      "word word",
      "# a",
      "##b",
      "```",
      "~~~js",
      "- ```",
      "  x",
      "",
      "---",
      "👩‍👩‍👧 é",
      "<memory_notes>",
    );
    const content = fc.oneof(
      fc.array(line, { maxLength: 60 }).map((lines) => lines.join("\n")),
      fc.string({ unit: "binary", maxLength: 400 }).map((text) => text.toWellFormed()),
    );
    const limit = fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined });
    fc.assert(
      fc.property(
        content,
        limit,
        limit,
        fc.constantFrom("keep", "neutralise"),
        fc.constantFrom(o200k, characterCounter),
        (given, maxChars, maxTokens, tags, counter) => {
          const limits = { ...(maxChars && { maxChars }), ...(maxTokens && { maxTokens }), tags } as CutLimits;
          const done = cutContent(given, limits, counter);
          const text = done.kind === "whole" ? given : done.text;
          expect(text.length).toBeLessThanOrEqual(maxChars ?? Number.POSITIVE_INFINITY);
          expect(counter.count(text)).toBeLessThanOrEqual(maxTokens ?? Number.POSITIVE_INFINITY);
          if (done.kind === "cut") expect(done.kept).toBeLessThan(given.length);
        },
      ),
    );
  });
});
