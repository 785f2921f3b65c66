import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseModes } from "../../../behavior/session/modes/parse-modes.ts";
import type { Block } from "../shared/claude/native.ts";
import { NOBODY } from "../shared/claude/translate.ts";
import { announceMessage, announceText } from "./messages.ts";

const text = (words: string): Block => ({ type: "text", text: words });
const picture: Block = { type: "image", source: { type: "base64" } };

describe("a text", () => {
  it.each([
    { written: "hello", sent: "hello", modes: false },
    { written: "  hello ", sent: "  hello ", modes: false },
    { written: "/think hello", sent: "hello", modes: true },
    { written: "/think:high /v  look\n", sent: " look\n", modes: true },
    { written: "/think /compact", sent: "/compact", modes: true },
    { written: "  /think on \n", sent: "/think on", modes: true },
    { written: "/compact", sent: "/compact", modes: false },
  ])("MSG-1 the text $written is sent as $sent", ({ written, sent, modes }) => {
    expect(announceText(written)).toEqual({ sent, message: { text: written }, modes, attached: false });
  });

  it("MSG-6 in shadow mode, mode words are ignored and the message is sent unchanged", () => {
    const sent = announceText("/think:high  look", {}, { hears: false });
    expect(sent).toMatchObject({ sent: "/think:high  look", modes: false });
  });
});

describe("a message of a streaming input", () => {
  const announce = (content: string | readonly Block[], more: object = {}) =>
    announceMessage({ message: { content }, parent_tool_use_id: null, ...more });

  it.each([
    { content: "/think hello", sent: "hello" },
    { content: [text("/think hello")], sent: [text("hello")] },
    { content: [picture, text("/think look"), text("there")], sent: [picture, text("look"), text("there")] },
    { content: [text("/think"), text("high stuff")], sent: [text("high stuff")] },
    { content: [text("/think"), text("/verbose x")], sent: [text("/verbose x")] },
    { content: [text("/think on")], sent: [text("/think on")] },
    { content: [text("/think on"), picture], sent: [picture] },
    { content: [{ ...text("/think x"), cache_control: {} }], sent: [{ ...text("x"), cache_control: {} }] },
    { content: [text("hello")], sent: [text("hello")] },
    { content: [picture], sent: [picture] },
  ])("MSG-2 the streamed content $content is sent as $sent", ({ content, sent }) => {
    expect(announce(content).message.message.content).toEqual(sent);
  });

  it.each([
    { case: "for a subagent", more: { parent_tool_use_id: "toolu_1" } },
    { case: "that begins no turn", more: { shouldQuery: false } },
  ])("MSG-3 a message $case passes unchanged", ({ more }) => {
    const { message, announced } = announce("/think x", more);
    expect(message.message.content).toBe("/think x");
    expect(announced).toBeUndefined();
  });

  it("MSG-3 a tool result passes unchanged", () => {
    expect(announce([{ type: "tool_result" }, text("/think x")]).announced).toBeUndefined();
  });

  it.each([
    { from: {}, sender: undefined },
    { from: { origin: { kind: "human" } }, sender: undefined },
    { from: { isSynthetic: true }, sender: NOBODY },
    { from: { origin: { kind: "peer" } }, sender: NOBODY },
  ])("MSG-4 the sender of a message from $from is $sender", ({ from, sender }) => {
    expect(announce("/elevated on", { ...from, uuid: "u1" }).announced?.message).toEqual({
      text: "/elevated on",
      id: "u1",
      ...(sender === undefined ? {} : { sender }),
    });
  });

  it("MSG-6 in shadow mode a streamed message is sent unchanged", () => {
    const content = [text("/think look"), picture];
    const { message, announced } = announceMessage({ message: { content } }, false);
    expect(message.message.content).toBe(content);
    expect(announced).toMatchObject({ sent: "/think look", modes: false, attached: true });
  });

  it("MSG-5 the model gets the text that the session processed, however it is split into blocks", () => {
    const words = fc.stringMatching(/^(\/think ?|\/v |:high |on |a|b|\t|\n){0,4}$/);
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 3 }), (parts) => {
        const joined = parts.join("\n");
        const content = announce(parts.map(text)).message.message.content;
        const sent = (Array.isArray(content) ? content : []).map((block) => block.text).join("\n");
        const { any, text: rest } = parseModes(joined);
        expect(sent.trim()).toBe(any && rest.trim() === "" ? joined.trim() : rest.trim());
      }),
    );
  });
});
