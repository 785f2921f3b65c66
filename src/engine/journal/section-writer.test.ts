import { describe, expect, it } from "vitest";
import type { SectionText } from "../../base/ports/stores/event-journal.ts";
import type { Fault } from "../../base/words/event.ts";
import { SECTION_REFRESH_MS, SectionWriter } from "./section-writer.ts";

function world() {
  const kept: string[] = [];
  const texts = new Map<string, string>();
  const faults: Fault[] = [];
  let isDown = false;
  const writer = new SectionWriter({
    journal: {
      async keepSections(told) {
        if (isDown) throw new Error("the store is away");
        for (const { session, at, hash, text } of told) {
          kept.push(`${session} ${at} ${hash}`);
          texts.set(hash, text);
        }
      },
    },
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
    report: (fault) => faults.push(fault),
  });
  const down = (value: boolean) => {
    isDown = value;
  };
  return { writer, kept, texts, faults, down };
}

const section = (hash: string, text = `text of ${hash}`): SectionText => ({ hash, text });

describe("texts of sections", () => {
  it("SEC-1 a section's text is written once per session, and marked as in use again after a day", async () => {
    const { writer, kept } = world();
    writer.take("s", 0, [section("a"), section("b")]);
    writer.take("s", 10, [section("a"), section("c")]);
    await writer.flush();
    writer.take("s", 20, [section("a"), section("b")]);
    await writer.flush();
    writer.take("t", 30, [section("a")]);
    writer.take("s", SECTION_REFRESH_MS, [section("a")]);
    await writer.flush();
    expect(kept).toEqual(["s 0 a", "s 0 b", "s 10 c", "t 30 a", `s ${SECTION_REFRESH_MS} a`]);
  });

  it("SEC-2 secrets are redacted before the store gets a section's text", async () => {
    const { writer, texts } = world();
    writer.take("s", 0, [section("a", "the word is hunter2")]);
    await writer.close();
    expect(texts.get("a")).toBe("the word is [redacted]");
  });

  it("SEC-3 an unavailable store is reported once, and queued texts are written when it is back", async () => {
    const { writer, kept, faults, down } = world();
    down(true);
    writer.take("s", 0, [section("a")]);
    await writer.flush();
    writer.take("s", 1, [section("a"), section("b")]);
    await writer.flush();
    expect(faults).toMatchObject([{ code: "sections-behind", message: expect.stringContaining("away") }]);
    down(false);
    await writer.close();
    expect(kept).toEqual(["s 0 a", "s 1 b"]);
    writer.take("s", 2, [section("z")]);
    await writer.flush();
    expect(kept).toHaveLength(2);
  });
});
