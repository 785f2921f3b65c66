import { cutGraphemes } from "../../base/kernel/text.ts";
import type { SessionTopic } from "../../base/words/classification.ts";
import { cleanLabel, LABEL_MAX } from "./classification.ts";
import { cutMessage } from "./classification-prompt.ts";

const GREETING =
  /^(?:hi|hello|hey|heya|howdy|good (?:morning|evening|afternoon|day)|thanks|thank you|ok|okay|so|well)(?: (?:there|all|everyone|again|so much|very much))?\s*(?:[,.!:;)]|-\s|$)+\s*/i;
const POLITE =
  /^(?:please|pls|kindly|(?:can|could|would|will) (?:you|u)(?: please| kindly)?|i (?:need|want|would like|'d like) you to|i'd like you to|help me(?: to)?|i need help(?: with| to)?|let's)\s+/i;

const DANGLING = /(?: (?:and|or|but|the|an?|to|of|in|on|at|for|with|by|from|if|that|it|its|all|we|so|is|are|into))+$/i;

/** The first sentence that says something: no greeting, no courtesies, no code. */
export function classifyLabel(conversation: readonly string[], topic: SessionTopic): string {
  const sentences = conversation.map((message) => firstSentence(cutMessage(message)));
  const chosen = sentences.find((sentence) => sentence !== "") ?? conversation[0] ?? "";
  return cleanLabel(cutAtWord(capitalise(chosen)), topic);
}

/** One word is said only when there is nothing more. */
function firstSentence(message: string): string {
  const prose = message.split("```").filter((_, at) => at % 2 === 0);
  const said = (errorLine(message) ?? prose.join("\n"))
    .split(/\r\n?|\n/)
    .flatMap((line) => line.split(/(?<=[.!?。！？])\s+/))
    .map((sentence) => strip(sentence.trim()))
    .filter((sentence) => /[\p{L}\p{N}]{2}/u.test(sentence));
  return said.find((sentence) => sentence.length > 12 || /\S\s+\S/.test(sentence)) ?? said[0] ?? "";
}

/** Python says last what others say first. */
function errorLine(message: string): string | undefined {
  return message.startsWith("Traceback") ? /^\w{1,60}(?:Error|Exception)\b.{0,200}$/m.exec(message)?.[0] : undefined;
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

/** After a part of the sentence when one ends late enough, else after a word that does not ask for another one. */
function cutAtWord(text: string): string {
  if (text.length <= LABEL_MAX) return text;
  const cut = cutGraphemes(text, LABEL_MAX);
  const part = Math.max(...[", ", "; ", ": ", " ("].map((end) => cut.lastIndexOf(end)));
  if (part > LABEL_MAX / 2) return cut.slice(0, part);
  const space = cut.lastIndexOf(" ");
  const whole = /\s/.test(text.charAt(cut.length)) || space < LABEL_MAX / 2 ? cut : cut.slice(0, space);
  return whole.replace(DANGLING, "");
}
