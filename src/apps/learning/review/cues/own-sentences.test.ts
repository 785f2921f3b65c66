import { describe, expect, it } from "vitest";
import { MASK, ownSentences } from "./own-sentences.ts";

const texts = (message: string) => ownSentences(message).map(({ text }) => text);

describe("a person's own sentences", () => {
  it.each([
    ["One. Two! Three? four", ["One.", "Two!", "Three?", "four"]],
    ["use e.g. tabs. ok", ["use e.g. tabs.", "ok"]],
    ["- first\n- second", ["first", "second"]],
    ["mine\n> theirs\n\nmine again", ["mine", "mine again"]],
    ["mine\n```\ncode\n```\nmine again", ["mine", "mine again"]],
    ["From: a@example.org\nmine?", []],
    ["see this mail:\nstop it", ["see this mail:"]],
    ["Tom: stop it\nok", ["ok"]],
    ["again: no emojis", ["again: no emojis"]],
    ["ERROR: do not\nok", ["ok"]],
    ["// never\nok", ["ok"]],
    ["see https://example.org/a.b?c. ok", ["see https://example.org/a.b?c.", "ok"]],
  ])("LRN-C50 the person's own sentences in %j are %j", (message, expected) => {
    expect(texts(message)).toEqual(expected);
  });

  it("LRN-C51 quotations are masked with the same length", () => {
    const [sentence] = ownSentences('do not say "Great! Really." or `rm -rf` to me');
    if (sentence?.kind !== "sentence") throw new Error("no sentence");
    expect(sentence.masked).toBe(`do not say ${MASK.repeat(16)} or ${MASK.repeat(8)} to me`);
    expect(sentence.masked).toHaveLength(sentence.text.length);
  });

  it("LRN-C52 a line in directive form is recognised", () => {
    expect(ownSentences("hi\n- **STOP:** long answers")).toMatchObject([
      { kind: "sentence" },
      { kind: "directive", type: "stop", about: "long answers", text: "- **STOP:** long answers" },
    ]);
  });

  it("LRN-C53 messages with more than 200 sentences and sentences with more than 400 characters are ignored", () => {
    expect(texts("Stop it. ".repeat(201))).toEqual([]);
    expect(texts(`${"a".repeat(401)}. ok.`)).toEqual(["ok."]);
  });
});
