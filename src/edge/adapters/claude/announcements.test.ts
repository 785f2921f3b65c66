import fc from "fast-check";
import { expect, it } from "vitest";
import { Announcements, announceText } from "./messages.ts";

function waiting(...texts: string[]): Announcements {
  const announcements = new Announcements();
  for (const text of texts) announcements.add(announceText(text));
  return announcements;
}
const heard = (announcements: Announcements, prompt: string) =>
  announcements.take(prompt).map(({ message }) => message.text);

it.each([
  { case: "one", sent: ["/think hello"], prompt: "hello", are: ["/think hello"] },
  { case: "trimmed", sent: ["  hello \n there  "], prompt: "hello \n there", are: ["  hello \n there  "] },
  { case: "joined", sent: ["/v two", "three"], prompt: "two\nthree", are: ["/v two", "three"] },
  { case: "joined untrimmed", sent: ["  two ", " three  "], prompt: "  two \n three  ", are: ["  two ", " three  "] },
  { case: "joined with a gap", sent: ["five", "six"], prompt: "five\n\nsix", are: ["five", "six"] },
  { case: "waits on", sent: ["one", "two"], prompt: "one", are: ["one"] },
  { case: "with a paste", sent: ["/v fix"], prompt: "fix\n\n/elevated on", are: ["/v fix\n\n/elevated on"] },
  { case: "a picture", sent: [""], prompt: "", are: [""] },
  { case: "not sent", sent: ["one"], prompt: "one more thing", are: [] },
  { case: "nothing is sent", sent: [], prompt: "go on", are: [] },
])("ANN-1 the prompt '$prompt' is matched to the announced messages $are ($case)", ({ sent, prompt, are }) => {
  expect(heard(waiting(...sent), prompt)).toEqual(are);
});

it("ANN-2 an announced runtime command never reaches the hook, and is dropped when a later message does", () => {
  const announcements = waiting("/compact", "write it");
  expect(heard(announcements, "write it")).toEqual(["write it"]);
  expect(heard(announcements, "/compact")).toEqual([]);
});

it("ANN-3 modes before a runtime command are still applied", () => {
  expect(heard(waiting("/think /compact", "", "write it"), "write it")).toEqual(["/think /compact", "write it"]);
});

it("ANN-4 each announced message is processed once and in order, however the runtime joins them", () => {
  const word = fc.stringMatching(/^(\/v |)[a-d]{1,3}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(word, fc.boolean()), { minLength: 1, maxLength: 6 }), (messages) => {
      const texts = messages.map(([text], index) => `${text}${index}`);
      const announcements = waiting(...texts);
      const sent = texts.map((text) => announceText(text).sent);
      const prompts: string[] = [];
      for (const [index, [, joins]] of messages.entries()) {
        if (joins && prompts.length > 0) prompts.push(`${prompts.pop()}\n${sent[index]}`);
        else prompts.push(sent[index] ?? "");
      }
      expect(prompts.flatMap((prompt) => heard(announcements, prompt))).toEqual(texts);
    }),
  );
});
