import { describe, expect, it } from "vitest";
import { findCorrections } from "./find-corrections.ts";
import { said } from "./test-messages.ts";

const directives = (texts: readonly string[], more: Parameters<typeof said>[1] = {}) =>
  findCorrections(said(texts, more)).map(({ type, text }) => `${type.toUpperCase()}: ${text}`);

describe("sentences that are nearly directives", () => {
  it.each([
    [
      "LRN-C1",
      "stop sending me status updates every five minutes",
      "STOP: sending me status updates every five minutes",
    ],
    ["LRN-C1", "Can you please stop signing off with your name?", "STOP: signing off with your name"],
    ["LRN-C1", 'please stop saying "sorry" in every message', 'STOP: saying "sorry" in every message'],
    ["LRN-C1", "I told you to stop adding docstrings everywhere you go.", "STOP: adding docstrings everywhere you go"],
    ["LRN-C2", "Never push to main without asking.", "STOP: “Never push to main without asking.”"],
    [
      "LRN-C2",
      "Please don't use emojis in commit messages again.",
      "STOP: “Please don't use emojis in commit messages again.”",
    ],
    ["LRN-C2", "From now on no small talk, please.", "STOP: “From now on no small talk, please.”"],
    ["LRN-C3", "You should always ask before deleting files.", "START: “You should always ask before deleting files.”"],
    ["LRN-C3", "From now on keep answers under five lines.", "START: “From now on keep answers under five lines.”"],
    ["LRN-C3", "be more concise from now on", "START: “be more concise from now on”"],
    ["LRN-C4", "Ab jetzt bitte auf Deutsch antworten.", "START: “Ab jetzt bitte auf Deutsch antworten.”"],
    ["LRN-C4", "À partir de maintenant, réponds en français.", "START: “À partir de maintenant, réponds en français.”"],
    ["LRN-C4", "A partir de ahora no uses emojis.", "STOP: “A partir de ahora no uses emojis.”"],
    ["LRN-C4", "以后请用中文回答", "START: “以后请用中文回答”"],
  ])(
    "%s '%s' is proposed as %s: the sentence is quoted whole and never turned into its opposite",
    (_, text, directive) => {
      expect(directives([text])).toEqual([directive]);
    },
  );

  it.each([
    ["question", "why do you always run the tests first?"],
    ["question", "can you always trust the cache?"],
    ["question", "Can you always see my calendar?"],
    ["question", "how do I make git stop asking for a password"],
    ["task", "stop the server"],
    ["task", "stop logging in the loop"],
    ["task", "always return null when the key is missing"],
    ["task", "don't deploy yet"],
    ["task", "never run the import today"],
    ["no cue", "please keep your answers shorter"],
    ["no cue", "that was too long"],
    ["reported", "my boss said stop sending me reports"],
    ["reported", "According to the handbook you must always wear a helmet"],
    ["statement", "Going forward, revenue will grow by five percent."],
    ["statement", "Meetings are on Tuesdays from now on."],
    ["statement", "I never use tabs."],
    ["statement", "Never seen that before."],
    ["statement", "Always a pleasure."],
    ["statement", "You can never be too careful with regexes"],
    ["vague", "Always do that."],
    ["vague", "never mind"],
    ["hypothetical", "if you stopped sending me updates, would I miss anything?"],
    ["opposite", "don't ever stop checking the spam folder for me"],
    ["third party", "never let users upload executables"],
    ["quoted", '"stop sending me mails" is what he wrote'],
    ["quoted", "> never push to main\n\nwhat does he mean"],
    ["quoted", "```\nnever push to main\n```\nis in the readme"],
    ["quoted", "Proofread this: Hi Tom. Please stop sending me reports every day."],
    ["quoted", "From: a@example.org\nSubject: hi\n\nstop sending me mails"],
    ["quoted", "---------- Forwarded message ---------\nplease always ask me before you deploy"],
    ["quoted", "Tom: please stop pinging me\nwhat should I answer"],
    ["quoted", "2025-11-03 10:12:01 WARN always close the pool"],
    [
      "contract",
      "<GATEWAY_BEHAVIOR_CONTRACT version=3 hash=ab>\n- STOP: sending status updates\nplease stop sending me mails",
    ],
  ])("LRN-C5 %s: '%s' proposes nothing", (_, text) => {
    expect(directives([text])).toEqual([]);
  });

  it("LRN-C16 a user's line in directive form has the highest confidence; an operator's was captured when it was sent", () => {
    const [found] = findCorrections(said(["- STOP: sending status updates"]));
    expect(found).toMatchObject({ type: "stop", text: "sending status updates", confidence: 0.95 });
    expect(directives(["STOP: sending status updates"], { role: "operator" })).toEqual([]);
  });

  it("LRN-C17 repeating a line that Conduct wrote proposes nothing", () => {
    const texts = ["please stop sending me status updates"];
    expect(findCorrections(said(texts), { echoes: ["Please stop sending me status updates."] })).toEqual([]);
    expect(findCorrections(said(["- LESS: long answers"]), { echoes: ["LESS: long answers"] })).toEqual([]);
    expect(findCorrections(said(texts), { echoes: ["another line"] })).toHaveLength(1);
  });

  it("LRN-C18 the evidence is the sentence as written, with its session and event", () => {
    const text = "Looks good.  Oh, and pls STOP sending me  status updates!! Merge it.";
    expect(findCorrections(said([text]))).toMatchObject([
      { evidence: [{ session: "s1", event: "s1-e0", quote: "Oh, and pls STOP sending me  status updates!!" }] },
    ]);
  });

  it.each([
    { scope: "user:ann", more: {} },
    { scope: "agent:scout", more: { user: undefined }, why: "the user is unknown" },
    { scope: "user:bo", more: { user: undefined, sender: { user: "bo", role: "user" as const } } },
    { scope: "agent:scout", more: { user: "two words" }, why: "that name is no scope" },
    { scope: "global", more: { role: "operator" as const } },
  ])("LRN-C19 a message with $more is proposed for $scope", ({ scope, more }) => {
    const [message] = said(["stop sending me status updates"]);
    if (message === undefined) throw new Error("no message");
    const { user, ...rest } = { ...message, ...more };
    const found = findCorrections([user === undefined ? rest : { ...rest, user }]);
    expect(found.map((one) => one.scope)).toEqual([scope]);
  });

  it("LRN-C19 an operator who names an agent gives the finding that agent's scope", () => {
    const found = findCorrections(said(["Stop sending me status updates, Scout!"], { role: "operator" }));
    expect(found.map(({ scope }) => scope)).toEqual(["agent:scout"]);
  });

  it("LRN-C20 a repeated sentence is one finding with more confidence and all its evidence", () => {
    const once = findCorrections(said(["stop sending me status updates"]));
    const twice = findCorrections(said(["stop sending me status updates", "Please stop sending me status updates!"]));
    expect(twice).toHaveLength(1);
    expect(twice[0]?.evidence.map(({ event }) => event)).toEqual(["s1-e0", "s1-e1"]);
    expect(twice[0]?.confidence).toBeGreaterThan(once[0]?.confidence ?? 1);
  });

  it("LRN-C21 one message delivered twice is one piece of evidence", () => {
    const messages = said(["stop sending me status updates"]);
    expect(findCorrections([...messages, ...messages])).toEqual(findCorrections(messages));
  });

  it("LRN-C22 the same sentence of two users is two findings", () => {
    const texts = ["stop sending me status updates"];
    const both = [...said(texts), ...said(texts, { user: "bo", session: "s2" })];
    expect(findCorrections(both).map(({ scope }) => scope)).toEqual(["user:ann", "user:bo"]);
  });

  it("LRN-C25 a finding contains the newest 20 pieces of evidence", () => {
    const [found] = findCorrections(said(Array.from({ length: 30 }, () => "stop sending me status updates")));
    expect(found?.evidence).toHaveLength(20);
    expect(found?.evidence.at(-1)?.event).toBe("s1-e29");
    expect(found?.confidence).toBe(0.97);
  });
});
