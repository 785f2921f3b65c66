import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SentTexts, TypedMessages } from "./messages.ts";

describe("what was typed", () => {
  it("OCL-24 a typed message is matched once to OpenClaw's version of it", () => {
    const typed = new TypedMessages();
    const message = typed.arrive("/think:high what", "m1");
    message.text = "what";
    expect(typed.take("[context]\nwhat")).toEqual([message]);
    expect(typed.take("[context]\nwhat")).toEqual([]);
  });

  it("OCL-25 several messages of one run are all matched; those of another run stay", () => {
    const typed = new TypedMessages();
    const [one, two, other] = ["one", "two", "other"].map((text) => typed.arrive(text));
    expect(typed.take("[Queued]\none\n---\ntwo")).toEqual([one, two]);
    expect(typed.take("other")).toEqual([other]);
  });

  it("OCL-26 a typed message is stored without mode words, and a message for Conduct alone is not stored", () => {
    const typed = new TypedMessages();
    typed.arrive("/think go").text = "go";
    const own = typed.arrive("/verbose on");
    typed.answer(own);
    expect(typed.kept("/think go")).toEqual({ text: "go" });
    expect(typed.kept("/verbose on")).toEqual({ block: true });
    expect(typed.kept("go")).toBeUndefined();
    expect(typed.cleaned("[10:00] /think go")).toBe("[10:00] go");
  });

  it("OCL-27 the end of a run removes its messages, but not those that still wait", () => {
    const typed = new TypedMessages();
    typed.arrive("/think now").text = "now";
    typed.arrive("/think later").text = "later";
    typed.take("now");
    typed.end();
    expect(typed.kept("/think now")).toBeUndefined();
    expect(typed.kept("/think later")).toEqual({ text: "later" });
  });

  it("OCL-28 the text is inserted literally, whatever characters it contains", () => {
    fc.assert(
      fc.property(fc.string(), (rest) => {
        const typed = new TypedMessages();
        typed.arrive(`/think ${rest}`).text = rest;
        expect(typed.cleaned(`/think ${rest}`)).toBe(rest);
      }),
    );
  });
});

describe("what is sent", () => {
  const sent = new SentTexts();
  sent.set("/think go", "go");

  it.each([
    ["/think go", "go"],
    ["[Sun 2026-11-15 10:02 UTC] /think go", "[Sun 2026-11-15 10:02 UTC] go"],
    [
      "[Sun 2026-11-15 10:02 UTC] [Queued user message from a previous active turn.]\n/think go\n\nBefore accepting",
      "[Sun 2026-11-15 10:02 UTC] [Queued user message from a previous active turn.]\ngo\n\nBefore accepting",
    ],
    ["a file that says /think go", "a file that says /think go"],
    ["/think going", "/think going"],
  ])("OCL-29 OpenClaw's %j is sent as %j", (text, wanted) => {
    expect(text.replace(sent, "")).toBe(wanted);
  });

  it("OCL-30 every other text is sent unchanged", () => {
    const none = new SentTexts();
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(text.replace(none, "")).toBe(text);
      }),
    );
    none.set("same", "same");
    expect("same".replace(none, "")).toBe("same");
  });
});
