import { describe, expect, it } from "vitest";
import { gerundOf, presentOf, soundText, tidyText } from "./directive-text.ts";

describe("the text of a directive", () => {
  it.each([
    ["sending me updates, it's annoying", "sending me updates"],
    ["sending me updates please!!", "sending me updates"],
    ["sending drafts, unless I ask", "sending drafts, unless I ask"],
    ["long answers from now on, thanks", "long answers"],
    ["push back when I'm wrong", "push back when I'm wrong"],
    ["tabs because I like them", "tabs"],
    ["  two   spaces  ", "two spaces"],
  ])("LRN-C40 '%s' is told as '%s'", (written, text) => {
    expect(tidyText(written)).toBe(text);
  });

  it.each([
    "it",
    "doing that",
    "them",
    "saying that",
    "<b>x</b>",
    "use {{name}}",
    "STOP: more of this",
    "my key sk-ant-api03-abcdefghijklmnopqrstuvwxyz",
    "…",
    "",
  ])("LRN-C41 '%s' is no text for a directive", (text) => {
    expect(soundText(text)).toBeUndefined();
  });

  it.each([
    ["send", "sending"],
    ["use", "using"],
    ["run", "running"],
    ["commit", "committing"],
    ["lie", "lying"],
    ["see", "seeing"],
    ["using", "using"],
    ["ping", "pinging"],
    ["bring", "bringing"],
    ["apologise", "apologising"],
  ])("LRN-C42 %s is %s", (verb, gerund) => {
    expect(gerundOf(verb)).toBe(gerund);
  });

  it.each([
    ["stopped", "stop"],
    ["asked", "ask"],
    ["used", "use"],
    ["listed", "list"],
    ["wrote", "write"],
    ["included", "include"],
    ["replied", "reply"],
    ["quote", "quote"],
  ])("LRN-C43 'if you %s' wishes for %s", (past, present) => {
    expect(presentOf(past)).toBe(present);
  });
});
