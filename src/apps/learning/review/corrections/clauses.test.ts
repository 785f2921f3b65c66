import { describe, expect, it } from "vitest";
import { clausesOf } from "./clauses.ts";
import { tokensOf } from "./tokens.ts";

const wordsOf = (text: string) => tokensOf({ text }).map(({ word }) => word);
const kinds = (text: string) =>
  clausesOf(wordsOf(text)).map(({ kind, frames, head }) => [kind, frames.join("+"), wordsOf(text)[head] ?? ""]);

describe("words", () => {
  it.each([
    ["don't you're i'd", ["do", "not", "you", "are", "i", "would"]],
    ["can't won't let's", ["can", "not", "will", "not", "let", "us"]],
    ["it's ben's", ["it", "is", "ben's"]],
    ["i really, actually mean it", ["i", ",", "mean", "it"]],
    ["@scout stop", ["stop"]],
    ["say \ue000\ue000 now", ["say", "“”", "now"]],
  ])("LRN-C65 '%s' has the words %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

describe("clauses", () => {
  it.each([
    ["stop sending mails", [["stop", "stop", "sending"]]],
    ["please don't push", [["dont", "dont", "push"]]],
    ["no emojis", [["no", "no", "emojis"]]],
    ["no, use tabs", [["do", "", "use"]]],
    ["could you please use tabs", [["do", "polite", "use"]]],
    ["i'd like you to use tabs", [["do", "wish", "use"]]],
    ["i told you not to push", [["dont", "told+dont", "push"]]],
    ["you should never push", [["dont", "should+dont", "push"]]],
    ["make sure you test", [["do", "ensure", "test"]]],
    ["start including tests", [["doing", "ensure", "including"]]],
    ["start the server", [["do", "", "start"]]],
    ["i hate puns", [["dislike", "dislike", "puns"]]],
    ["no need to ask", [["needless", "needless", "ask"]]],
    ["you keep asking", [["keeps", "keeps", "asking"]]],
    ["don't stop asking", [["dont", "dont", "stop"]]],
    [
      "when you push, ask me",
      [
        ["when", "", "when"],
        ["do", "", "ask"],
      ],
    ],
    ["why do you ask", [["wh", "", "why"]]],
    ["is it done", [["aux", "", "is"]]],
    ["force pushing is bad", [["other", "", "force"]]],
    ["she left", [["they", "", "she"]]],
    ["mails are long", [["plural", "", "mails"]]],
  ])("LRN-C66 '%s' begins so: %j", (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });
});
