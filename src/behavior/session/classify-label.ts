import { cutGraphemes } from "../../base/kernel/text.ts";
import type { SessionTopic } from "../../base/words/classification.ts";
import { cleanLabel, LABEL_MAX } from "./classification.ts";
import { cutMessage } from "./classification-prompt.ts";

const GREETING =
  /^(?:hi|hello|hey|heya|howdy|good (?:morning|evening|afternoon|day)|thanks|thank you|ok|okay|so|well)(?: (?:there|all|everyone|again|so much|very much))?\s*(?:[,.!:;)]|-\s|$)+\s*/i;
const POLITE =
  /^(?:please|pls|kindly|(?:can|could|would|will) (?:you|u)(?: please| kindly)?|i (?:need|want|would like|'d like) you to|i'd like you to|help me(?: to)?|i need help(?: with| to)?|let's)\s+/i;

/** The first sentence that says something: no greeting, no courtesies, no code. */
export function classifyLabel(conversation: readonly string[], topic: SessionTopic): string {
  const sentences = conversation.map((message) => firstSentence(cutMessage(message)));
  const chosen = sentences.find((sentence) => sentence !== "") ?? conversation[0] ?? "";
  return cleanLabel(cutAtWord(capitalise(chosen)), topic);
}

function firstSentence(message: string): string {
  const prose = message.split("```").filter((_, at) => at % 2 === 0);
  for (const line of prose.join("\n").split(/\r\n?|\n/)) {
    for (const sentence of line.split(/(?<=[.!?。！？])\s+/)) {
      const said = strip(sentence.trim());
      if (/[\p{L}\p{N}]{2}/u.test(said)) return said;
    }
  }
  return "";
}

function strip(sentence: string): string {
  const stripped = sentence.replace(GREETING, "").replace(POLITE, "").trim();
  return stripped === sentence ? sentence : strip(stripped);
}

function capitalise(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 32);
  // A word such as `npm` or `test_login` is a name and stays as it is.
  return /^[a-z]+(?:\s|$)/.test(text) ? first.toUpperCase() + text.slice(first.length) : text;
}

/** Not in the middle of a word, unless it is a very long one. */
function cutAtWord(text: string): string {
  if (text.length <= LABEL_MAX) return text;
  const cut = cutGraphemes(text, LABEL_MAX);
  const space = cut.lastIndexOf(" ");
  return /\s/.test(text.charAt(cut.length)) || space < LABEL_MAX / 2 ? cut : cut.slice(0, space);
}
