import { describe, expect, it } from "vitest";
import { constructionsOf } from "./constructions.ts";
import { foldSentence } from "./fold-sentence.ts";
import { readSentence } from "./sentence-features.ts";
import { SIGNS } from "./tables/signs.ts";

const read = (text: string, around = {}) => readSentence(foldSentence(text, text), around);
const features = (text: string, around = {}) => [...read(text, around).features];

describe("signs of a sentence", () => {
  it.each([
    ["lasting", "use tabs from now on", "the light is on"],
    ["always", "do that every time", "do that sometimes"],
    ["never", "never push", "push it"],
    ["again", "I told you to use tabs", "I told Ben to use tabs"],
    ["once", "leave it for now", "leave it from now on"],
    ["third", "she wants less", "I want less"],
    ["product", "our app sends too many mails", "you send too many mails"],
    ["reported", "Ben said stop", "as I said, stop"],
    ["hypothetical", "what if you stopped", "please stop"],
    ["unmeant", "never mind the tests", "mind the tests"],
    ["sarcastic", "oh great, more mails", "great, more mails"],
    ["unasked", "no deploys without asking", "no deploys"],
    ["no_need", "no need to thank me", "thank me"],
    ["dislike", "I can't stand puns", "I like puns"],
    ["keeps", "you keep adding dots", "I keep adding dots"],
    ["forgets", "you forgot to test", "you tested"],
    ["too-much", "your mails are too long", "your mails are long"],
    ["too-little", "your mails are too short", "your mails are too long"],
    ["reduce", "tone it down", "write it down"],
    ["more_brief", "be more concise", "be more careful"],
    ["like_that", "I like that you ask", "I like it"],
    ["to_me", "ask me first", "ask Ben first"],
    ["the-usual", "run the tests", "run the thing"],
    ["the-thing", "run the thing", "run the tests"],
    ["pointed", "change this file", "change files"],
    ["named", "open main.ts", "open files"],
    ["your-work", "your replies are fine", "your house is fine"],
    ["asked:plain", "do you stop?", "could you stop?"],
    ["only-a-remark", "No exceptions!", "No emojis!"],
  ])("LRN-C60 %s is a sign of '%s', and not of '%s'", (sign, has, hasNot) => {
    expect(features(has)).toContain(sign);
    expect(features(hasNot)).not.toContain(sign);
  });

  it("LRN-C61 no phrase stands twice in one class", () => {
    for (const [name, list] of Object.entries(SIGNS)) {
      const phrases = list.split(/[|\n]/).map((phrase) => phrase.trim());
      expect({ name, twice: phrases.filter((phrase, at) => phrases.indexOf(phrase) !== at) }).toEqual({
        name,
        twice: [],
      });
    }
  });

  it.each([
    ["next:lasting", "use tabs", { next: "from now on." }],
    ["next:again", "no emojis", { next: "i keep having to say this." }],
    ["keeps-praised", "keep it up", { before: "your summaries are great." }],
    ["praised-to-keep", "your summaries are great", { next: "keep it up!" }],
    ["before:too", "shorter ones please", { before: "your texts are too long." }],
  ])("LRN-C62 %s is told by the sentence next to '%s'", (feature, text, around) => {
    expect(features(text, around)).toContain(feature);
    expect(features(text)).not.toContain(feature);
  });
});

describe("constructions", () => {
  it.each([
    ["says-no-to-doing", "stop sending mails", "stop the server"],
    ["says-no-to-talk", "no more disclaimers", "no more milk"],
    ["says-no-to-many", "avoid contractions", "avoid it"],
    ["dont-many", "don't book flights", "don't book it"],
    ["says-no-to-one", "stop the server", "stop sending mails"],
    ["nothing-without", "nothing goes out without my okay", "nothing goes out"],
    ["stop-so-much", "stop talking so much", "stop talking"],
    ["no-stop", "don't stop", "don't go"],
    ["no-stop-doing", "don't stop asking", "don't stop"],
    ["less-talk", "go easy on the emojis", "go easy on the salt"],
    ["that-was-too", "that was too long", "that was long"],
    ["more-than-needed", "it is longer than necessary", "it is longer"],
    ["is-enough", "two lines are enough", "write two words"],
    ["keeps-it-short", "keep your answers short", "keep your answers"],
    ["your-thing-should", "your reports should have a date", "my reports should have a date"],
    ["you-are-too", "you are too chatty", "Ben is too chatty"],
    ["you-forget", "you keep forgetting to test", "you test"],
    ["ever-do", "never use sudo", "I never use sudo"],
    ["somebody-ever", "Jonas never tests", "never test on Fridays"],
    ["asks-each-time", "ask before you push", "ask before Tuesday"],
    ["asks-before-doing", "ask before pushing", "ask before lunch"],
    ["asks-in-each", "put a date in every report", "put a date in the report"],
    ["asks-lasting", "use tabs from now on", "use tabs"],
    ["does-one", "book the room", "book rooms"],
    ["does-pronoun", "send it", "send reports"],
    ["does-many", "confirm every booking", "confirm the booking"],
    ["names-a-way", "use metric units", "use the oven"],
    ["wants-a-thing", "I want every report on Monday", "I want to sleep"],
    ["wants-you-to", "I'd like you to ask", "I'd like a coffee"],
    ["asks-of-yours", "can your summaries be shorter?", "can the chart be bigger?"],
    ["politely-less", "can you write shorter mails?", "can you write a mail?"],
    ["be-more", "be more careful", "more careful people"],
    ["gives-me-more", "give me more options", "give me options"],
    ["asks-for-words", "explain why it fails", "explain acronyms"],
    ["must-be", "every change must be tested", "the change was tested"],
    ["things-need", "images need alt text", "I need alt text"],
    ["of-somebody", "my boss wants it shorter", "I want it shorter"],
    ["of-the-thing", "the train is late", "you are late"],
    ["of-myself", "I stopped smoking", "stop smoking"],
    ["you-did", "you sent the wrong file", "send the right file"],
    ["praises-and-keeps", "I love it, keep doing that", "I love it"],
    ["likes-what-you-do", "I like that you ask", "I like trains"],
    ["praise-alone", "great work", "do the work"],
    ["this-not-that", "tables instead of lists", "tables and lists"],
    ["when-done", "push it when you're done", "push it when tests pass"],
    ["only-quoted", "say “”", "say nothing at all of it"],
  ])("LRN-C63 '%s' is how '%s' is built, and not '%s'", (construction, has, hasNot) => {
    const mask = (text: string) => text.replace("“”", "\ue000\ue000");
    expect([...read(mask(has)).features]).toContain(construction);
    expect(features(hasNot)).not.toContain(construction);
  });

  it("LRN-C64 every construction has a case above", () => {
    expect(
      constructionsOf({ words: [], clauses: [], hits: [], has: () => true, says: () => true }).length,
    ).toBeLessThan(46);
  });
});
