import { describe, expect, it } from "vitest";
import { findCorrections } from "./find-corrections.ts";
import { said } from "./test-messages.ts";

const directives = (texts: readonly string[], more: Parameters<typeof said>[1] = {}) =>
  findCorrections(said(texts, more)).map(({ type, text }) => `${type.toUpperCase()}: ${text}`);

describe("corrections", () => {
  it.each([
    // LRN-C1 no more of it
    [
      "LRN-C1",
      "stop sending me status updates every five minutes",
      "STOP: sending me status updates every five minutes",
    ],
    ["LRN-C1", "I told you not to push without running the tests", "STOP: pushing without running the tests"],
    ["LRN-C1", "again: no emojis", "STOP: emojis"],
    ["LRN-C1", "pls dont change my settings without asking", "STOP: changing my settings without asking"],
    ["LRN-C1", "Can you please stop signing off with your name?", "STOP: signing off with your name"],
    ["LRN-C1", "I'd appreciate it if you stopped using nicknames", "STOP: using nicknames"],
    ["LRN-C1", "Spare me the flattery.", "STOP: flattery"],
    ["LRN-C1", 'stop saying "sorry" in every message', 'STOP: saying "sorry" in every message'],
    ["LRN-C1", "Why do you keep adding docstrings?", "STOP: adding docstrings"],
    // LRN-C2 less and more
    ["LRN-C2", "please keep your answers shorter", "LESS: long answers"],
    ["LRN-C2", "less detail next time", "LESS: detail"],
    ["LRN-C2", "don't apologise so much", "LESS: apologising so much"],
    ["LRN-C2", "that was too long", "LESS: long answers"],
    ["LRN-C2", "Tone down the enthusiasm please", "LESS: enthusiasm"],
    ["LRN-C2", "Your answers are too terse, I can't follow", "MORE: detailed answers"],
    ["LRN-C2", "check in with me more often", "MORE: checking in with me often"],
    ["LRN-C2", "be more careful when you edit shared config", "MORE: careful when you edit shared config"],
    // LRN-C3 from now on
    ["LRN-C3", "you should always ask before deleting", "START: ask before deleting"],
    ["LRN-C3", "from now on reply in German", "START: reply in German"],
    [
      "LRN-C3",
      "I'd appreciate it if you listed the steps before running them",
      "START: list the steps before running them",
    ],
    ["LRN-C3", "Whenever you delete something, ask first.", "START: ask first whenever you delete something"],
    ["LRN-C3", "Please call me Alex", "START: call me Alex"],
    ["LRN-C3", "you keep forgetting to update the lockfile", "START: update the lockfile"],
    // LRN-C4 praise with a referent
    ["LRN-C4", "I love the short summaries, keep doing that", "KEEP: short summaries"],
    ["LRN-C4", "I really like that you ask before you push", "KEEP: asking before you push"],
    ["LRN-C4", "Your commit messages are perfect. Keep it up!", "KEEP: commit messages"],
    ["LRN-C4", "don't stop sending me the overview", "KEEP: sending me the overview"],
    ["LRN-C4", "this format is great, please stick to it", "KEEP: this format"],
    ["LRN-C4", "I'm glad you warn me before expensive queries", "KEEP: warning me before expensive queries"],
    // LRN-C40 what is not to be touched, and what is not to happen
    ["LRN-C40", "leave my drafts alone", "STOP: touching my drafts"],
    ["LRN-C40", "nothing goes out to a client without my okay", "STOP: anything going out to a client without my okay"],
    ["LRN-C40", "force pushing is off limits", "STOP: force pushing"],
    ["LRN-C40", "I don't want branches deleted without a heads-up.", "STOP: deleting branches without a heads-up"],
    ["LRN-C40", "no speculative refactoring. I keep having to say this.", "STOP: speculative refactoring"],
    ["LRN-C40", "You deleted my branch. Don't do that again.", "STOP: deleting my branch"],
    ["LRN-C40", "We don't deploy on Fridays. Please respect that.", "STOP: deploying on Fridays"],
    ["LRN-C40", "Abbreviations confuse me, please avoid them.", "STOP: Abbreviations"],
    // LRN-C41 how things are to be, told without a wish
    ["LRN-C41", "Every change goes on its own branch.", "START: Every change goes on its own branch"],
    ["LRN-C41", "You need my approval before spending money.", "START: get my approval before spending money"],
    ["LRN-C41", "for this project always indent with two spaces", "START: indent with two spaces"],
    ["LRN-C41", "dates in ISO format please", "START: dates in ISO format"],
    ["LRN-C41", "Metric, not imperial.", "START: Metric, not imperial"],
    ["LRN-C41", "take a backup before you touch the database", "START: take a backup before you touch the database"],
    // LRN-C42 what is hard on a person, and what would be enough
    ["LRN-C42", "I struggle with your long answers.", "LESS: long answers"],
    ["LRN-C42", "Two options are enough, you don't need to give me ten.", "LESS: more than Two options"],
    ["LRN-C42", "You're overly optimistic with your estimates.", "LESS: being optimistic with your estimates"],
    ["LRN-C42", "Can your summaries be shorter?", "LESS: long summaries"],
  ])("%s '%s' is %s", (_, text, directive) => {
    expect(directives([text])).toEqual([directive]);
  });

  it.each([
    ["LRN-C5 question", "why do you always run the tests first?"],
    ["LRN-C5 question", "should I stop the server?"],
    ["LRN-C5 question", "how do I make git stop asking for a password"],
    ["LRN-C5 question", "can you always trust the cache?"],
    ["LRN-C6 task", "stop the server"],
    ["LRN-C6 task", "write a shorter function"],
    ["LRN-C6 task", "make the header less wide"],
    ["LRN-C6 task", "keep the old config"],
    ["LRN-C6 task", "don't deploy yet"],
    ["LRN-C6 task", "when you're done, push the branch"],
    ["LRN-C7 reported", "my boss said stop sending reports"],
    ["LRN-C7 reported", "According to the handbook you must always wear a helmet"],
    ["LRN-C8 quoted", '"stop sending me mails" is what he wrote'],
    ["LRN-C8 quoted", "> stop sending me mails\n\nwhat does he mean"],
    ["LRN-C8 quoted", "```\nnever push to main\n```\nis in the readme"],
    ["LRN-C8 quoted", "Proofread this: Hi Tom. Please stop sending me reports every day."],
    ["LRN-C8 quoted", "From: a@example.org\nSubject: hi\n\nstop sending me mails"],
    ["LRN-C8 quoted", "---------- Forwarded message ---------\nplease always ask me before you deploy"],
    ["LRN-C8 quoted", "Tom: please stop pinging me\nwhat should I answer"],
    ["LRN-C8 quoted", "2025-11-03 10:12:01 WARN always close the pool"],
    [
      "LRN-C9 contract",
      "<GATEWAY_BEHAVIOR_CONTRACT version=3 hash=ab>\n- STOP: sending status updates\n</GATEWAY_BEHAVIOR_CONTRACT>",
    ],
    [
      "LRN-C9 contract",
      "<GATEWAY_BEHAVIOR_CONTRACT version=3 hash=ab>\n- STOP: sending status updates\nplease stop sending me mails",
    ],
    ["LRN-C10 praise", "perfect!"],
    ["LRN-C10 praise", "great work, keep it up"],
    ["LRN-C11 hypothetical", "if you stopped sending me updates, would I miss anything?"],
    ["LRN-C11 hypothetical", "suppose you always answered in rhymes"],
    ["LRN-C12 negated", "don't stop"],
    ["LRN-C12 negated", "I'm not asking you to be shorter"],
    ["LRN-C13 third party", "users should always log in first"],
    ["LRN-C13 third party", "our app sends too many notifications"],
    ["LRN-C14 sarcasm", "oh great, please keep sending me more emails"],
    ["LRN-C40 task", "leave the second paragraph as it is"],
    ["LRN-C40 task", "keep out the third column"],
    ["LRN-C40 task", "no trailing comma in line 12 please"],
    ["LRN-C40 product", "nothing is saved without a click on OK"],
    ["LRN-C40 product", "Comments are not allowed in JSON."],
    ["LRN-C41 product", "Every order needs an invoice number."],
    ["LRN-C41 task", "take a backup of the database"],
    ["LRN-C41 task", "sort by date, not by name"],
    ["LRN-C41 third party", "Tom always runs the tests before pushing."],
    ["LRN-C42 third party", "I struggle with your backlog tool."],
    ["LRN-C42 task", "one example is enough for the slide"],
    ["LRN-C42 question", "Could the chart be bigger?"],
    ["LRN-C15 another language", "bitte hör auf mir ständig Updates zu schicken"],
  ])("%s: '%s' is nothing", (_, text) => {
    expect(directives([text])).toEqual([]);
  });

  it("LRN-C16 a directive's own form is the strongest correction of a user, and an operator's was taken already", () => {
    const [found] = findCorrections(said(["- STOP: sending status updates"]));
    expect(found).toMatchObject({ type: "stop", text: "sending status updates", confidence: 0.95 });
    expect(directives(["STOP: sending status updates"], { role: "operator" })).toEqual([]);
    expect(directives(["please stop sending status updates"], { role: "operator" })).toEqual([
      "STOP: sending status updates",
    ]);
  });

  it("LRN-C17 what Conduct told itself is not learned when it is repeated", () => {
    const texts = ["please stop sending me status updates"];
    expect(findCorrections(said(texts), { echoes: ["Please stop sending me status updates."] })).toEqual([]);
    expect(findCorrections(said(["- LESS: long answers"]), { echoes: ["LESS: long answers"] })).toEqual([]);
    expect(findCorrections(said(texts), { echoes: ["another line"] })).toHaveLength(1);
  });

  it("LRN-C18 the evidence is the sentence as it stands in the message, with where it stands", () => {
    const text = "Looks good.  Oh, and pls STOP sending me  status updates!! Merge it.";
    expect(findCorrections(said([text]))).toMatchObject([
      { evidence: [{ session: "s1", event: "s1-e0", quote: "Oh, and pls STOP sending me  status updates!!" }] },
    ]);
  });

  it.each([
    { scope: "user:ann", more: {} },
    { scope: "agent:scout", more: { user: undefined }, why: "nobody knows which user" },
    { scope: "user:bo", more: { user: undefined, sender: { user: "bo", role: "user" as const } } },
    { scope: "agent:scout", more: { user: "two words" }, why: "no scope can be named so" },
    { scope: "global", more: { role: "operator" as const } },
  ])("LRN-C19 what is said by $more holds for $scope", ({ scope, more }) => {
    const [message] = said(["stop sending me status updates"]);
    if (message === undefined) throw new Error("no message");
    const { user, ...rest } = { ...message, ...more };
    const found = findCorrections([user === undefined ? rest : { ...rest, user }]);
    expect(found.map((one) => one.scope)).toEqual([scope]);
  });

  it.each([
    "Scout, stop sending me status updates",
    "@scout stop sending me status updates",
    "stop sending me status updates, Scout!",
  ])("LRN-C19 '%s' of an operator holds for the agent that is named", (text) => {
    expect(findCorrections(said([text], { role: "operator" })).map(({ scope }) => scope)).toEqual(["agent:scout"]);
  });
});

describe("said again", () => {
  it("LRN-C20 the same wish in other words is one finding, surer, with all its evidence", () => {
    const once = findCorrections(said(["stop sending me status updates"]));
    const thrice = findCorrections(
      said([
        "stop sending me status updates",
        "please stop the status updates",
        "I told you to stop sending status updates",
      ]),
    );
    expect(thrice).toHaveLength(1);
    expect(thrice[0]?.evidence.map(({ event }) => event)).toEqual(["s1-e0", "s1-e1", "s1-e2"]);
    expect(thrice[0]?.confidence).toBeGreaterThan(once[0]?.confidence ?? 1);
  });

  it("LRN-C21 one message delivered twice is one piece of evidence", () => {
    const messages = said(["stop sending me status updates"]);
    expect(findCorrections([...messages, ...messages])).toEqual(findCorrections(messages));
  });

  it("LRN-C22 two users are two findings", () => {
    const texts = ["stop sending me status updates"];
    const both = [...said(texts), ...said(texts, { user: "bo", session: "s2" })];
    expect(findCorrections(both).map(({ scope }) => scope)).toEqual(["user:ann", "user:bo"]);
  });

  it("LRN-C23 a task that one person asks for three times is a request", () => {
    const texts = ["run the tests", "can you run the tests?", "please run the tests again"];
    expect(findCorrections(said(texts.slice(0, 2)))).toEqual([]);
    expect(findCorrections(said(texts))).toMatchObject([
      { pattern: "request", type: "start", text: "run the tests", scope: "user:ann", evidence: [{}, {}, {}] },
    ]);
    const apart = texts.flatMap((text, at) => said([text], { user: `u${at}`, session: `s${at}` }));
    expect(findCorrections(apart)).toEqual([]);
  });

  it.each([["continue"], ["try again"], ["commit it"], ["fix it please"]])(
    "LRN-C24 '%s' is a word of the moment however often it is said",
    (text) => {
      expect(findCorrections(said(Array.from({ length: 5 }, () => text)))).toEqual([]);
    },
  );

  it("LRN-C25 no finding has more evidence than a candidate may", () => {
    const texts = Array.from({ length: 30 }, () => "stop sending me status updates");
    const [found] = findCorrections(said(texts));
    expect(found?.evidence).toHaveLength(20);
    expect(found?.evidence.at(-1)?.event).toBe("s1-e29");
    expect(found?.confidence).toBe(0.97);
  });
});
