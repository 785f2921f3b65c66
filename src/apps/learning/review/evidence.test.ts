import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isQuoted, readEvidence, writeEvidence } from "./evidence.ts";

const id = fc.string({ minLength: 1, maxLength: 40, unit: "binary" }).filter((text) => text.isWellFormed());
const quote = fc.string({ minLength: 1, maxLength: 400, unit: "grapheme" }).filter((text) => text.trim() !== "");

describe("evidence", () => {
  it.each([
    ["assistant/web#8kq2", "e_1", "STOP that: now", "assistant%2Fweb#8kq2/e_1: STOP that: now"],
    ["s", "e", "  two\nlines ", "s/e: two\nlines"],
    ["s", "e", "my password=hunter2hunter2", "s/e: my password=[redacted]"],
  ])("RV-1 evidence of session %s is written in readable form", (session, event, words, written) => {
    expect(writeEvidence({ session, event, quote: words })).toBe(written);
  });

  it("RV-1 written evidence can be read back, for any ids and quotes", () => {
    fc.assert(
      fc.property(id, id, quote, (session, event, words) => {
        const written = writeEvidence({ session, event, quote: words });
        const read = readEvidence(written);
        expect(read).toMatchObject({ session, event });
        expect(written).toBe(writeEvidence(read ?? { session: "", event: "", quote: "" }));
        expect(isQuoted(read?.quote ?? "", words)).toBe(true);
      }),
    );
  });

  it("RV-2 long quotes are cut between characters, and still match", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1_200, maxLength: 2_000, unit: "grapheme" }), (whole) => {
        fc.pre(whole.trim().length > 1_200);
        for (const max of [1_000, 500]) {
          const written = writeEvidence({ session: "s", event: "e", quote: whole }, max);
          expect(written.length).toBeLessThanOrEqual(max);
          expect(written.isWellFormed()).toBe(true);
          expect(isQuoted(readEvidence(written)?.quote ?? "", whole)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ["", "anything", false],
    ["…", "anything", false],
    ["any…", "anything", true],
    ["thin g", "anything", false],
    ["key [redacted] there", "the key [redacted:0123456789ab] there", true],
  ])("RV-3 the quote %j occurs in %j: %s", (words, text, found) => {
    expect(isQuoted(words, text)).toBe(found);
  });

  it.each(["a note of a person", "", "s/e:", "%zz/e: x"])("RV-4 %j is not evidence of the review", (written) => {
    expect(readEvidence(written)).toBeUndefined();
  });
});
