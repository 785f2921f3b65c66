import { describe, expect, it } from "vitest";
import { quotedLinesOf, readTelegram } from "./telegram-message.ts";

describe("the quoted lines of a Telegram message", () => {
  const STOP = "STOP: asking first";

  it.each(["blockquote", "expandable_blockquote", "pre"])("TGQ-1 every line that a %s touches is quoted", (type) => {
    const text = `own\n${STOP}\nlast line\nown again`;
    const from = text.indexOf(STOP);
    expect(quotedLinesOf(text, [{ type, offset: from, length: STOP.length + 5 }])).toEqual([2, 3]);
    expect(quotedLinesOf(text, [{ type, offset: from + 8, length: 2 }])).toEqual([2]);
  });

  it.each(["code", "text_link", "spoiler"])("TGQ-2 a line is quoted when its keyword is %s", (type) => {
    expect(quotedLinesOf(STOP, [{ type, offset: 0, length: 4 }])).toEqual([1]);
    expect(quotedLinesOf(`- ${STOP}`, [{ type, offset: 4, length: 3 }])).toEqual([1]);
    expect(quotedLinesOf("KEEP: use x here", [{ type, offset: 10, length: 1 }])).toEqual([]);
  });

  it("TGQ-3 offsets count UTF-16 units, so emoji before a quote do not move it", () => {
    const before = "👩‍👩‍👧‍👦 𝔘𝔘\n";
    expect(quotedLinesOf(`${before}${STOP}`, [{ type: "pre", offset: before.length, length: 18 }])).toEqual([2]);
    expect(quotedLinesOf(`${before}${STOP}`, [{ type: "pre", offset: 0, length: 2 }])).toEqual([1]);
  });

  it("TGQ-4 bold, italic and links of plain text quote nothing", () => {
    const types = ["bold", "italic", "underline", "strikethrough", "url", "mention", "hashtag", "custom_emoji"];
    expect(types.flatMap((type) => quotedLinesOf(STOP, [{ type, offset: 0, length: 18 }]))).toEqual([]);
  });

  it("TGQ-5 quoted lines are counted in the text that the agent gets, without leading bot names and blank lines", () => {
    const typed = `\n@conduct_bot\nhello\n${STOP}`;
    const message = {
      message_id: 1,
      chat: { id: 1, type: "private" },
      from: { id: 11, is_bot: false },
      text: typed,
      entities: [{ type: "blockquote", offset: typed.indexOf(STOP), length: STOP.length }],
    };
    const read = readTelegram(message, { id: 100, username: "conduct_bot" }, [11]);
    expect(read).toMatchObject({ text: `hello\n${STOP}`, quotedLines: [2], role: "operator" });
  });

  it("TGQ-6 a picture's caption is read with the caption's entities, not with those of a text", () => {
    const message = {
      message_id: 1,
      chat: { id: 1, type: "private" },
      from: { id: 11, is_bot: false },
      caption: STOP,
      entities: [],
      caption_entities: [{ type: "code", offset: 0, length: 18 }],
    };
    expect(readTelegram(message, { id: 100, username: "b" }, [11])).toMatchObject({ quotedLines: [1] });
  });
});
