import type { DirectiveType } from "../../../../base/words/contract.ts";
import { directiveWords } from "./directive-words.ts";
import { foldSentence } from "./fold-sentence.ts";
import { type Heard, hear, typeOf } from "./hear.ts";
import type { OwnSentence } from "./own-sentences.ts";
import { type ReadSentence, readSentence } from "./sentence-features.ts";

/** What a message asks for: the directive's type and words, how sure that is, and the sentences that say so, as they stand in the message. */
export type Wish = {
  readonly type: DirectiveType;
  readonly text: string;
  readonly strength: number;
  readonly quote: string;
};

/** What a message asks for, and its sentences that ask for nothing that lasts. */
type Message = {
  readonly wishes: readonly Wish[];
  readonly others: readonly { readonly read: ReadSentence; readonly quote: string }[];
};

/** Below this a sentence asks for nothing, not even together with its neighbour. */
const LEAST = 0.5;
/** Two neighbours ask for two things where both are surer than this, say by themselves that it lasts, and neither points at the other. */
const OWN = 0.72;
const LASTS_BY_ITSELF = ["asks-lasting", "ever-do", "says-no-to-doing", "says-no-to-talk"];
const LONGEST_QUOTE = 500;
/** Words that point at the sentence before. */
const POINTS = /\b(?:it|that|this|them|those|these|they|ones?|instead|then|so|just|too)\b/;

type Sentence = Heard & { readonly at: number };

/** Reads the sentences of one message, in their order. Evidence is cut from the message, so that it stands in it word for word. */
export function readMessage(own: readonly OwnSentence[], message: string): Message {
  const folded = own.map(({ masked, text }) => foldSentence(masked, text));
  const sentences = folded.map((one, at) => {
    const before = folded[at - 1]?.text;
    const next = folded[at + 1]?.text;
    return readSentence(one, { ...(before === undefined ? {} : { before }), ...(next === undefined ? {} : { next }) });
  });
  const heard = sentences.flatMap(({ features }, at): readonly Sentence[] => {
    const one = hear(features);
    return one.confidence < LEAST || features.has("sarcastic") || features.has("only-a-remark") ? [] : [{ ...one, at }];
  });
  const wishes = neighbours(heard, sentences).flatMap((group) => wishOf(group, sentences, own, message));
  const asked = new Set(heard.map(({ at }) => at));
  const others = sentences.flatMap((read, at) => (asked.has(at) ? [] : [{ read, quote: own[at]?.text ?? "" }]));
  return { wishes, others };
}

/** Who says why, and then what, asks for one thing. */
function neighbours(heard: readonly Sentence[], sentences: readonly ReadSentence[]): readonly (readonly Sentence[])[] {
  const groups: Sentence[][] = [];
  for (const one of heard) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && one.at === last.at + 1 && isOne(last, one, sentences)) groups.at(-1)?.push(one);
    else groups.push([one]);
  }
  return groups;
}

function isOne(before: Sentence, one: Sentence, sentences: readonly ReadSentence[]): boolean {
  const apart = [before, one].every(
    ({ at, confidence }) => confidence >= OWN && LASTS_BY_ITSELF.some((name) => sentences[at]?.features.has(name)),
  );
  return !apart || POINTS.test(sentences[one.at]?.folded.text ?? "");
}

function wishOf(
  group: readonly Sentence[],
  sentences: readonly ReadSentence[],
  own: readonly OwnSentence[],
  message: string,
): readonly Wish[] {
  const said = group.filter((one) => typeOf([one]) === typeOf(group));
  const best = (said.length === 0 ? group : said).toSorted((a, b) => b.confidence - a.confidence || a.at - b.at)[0];
  const read = best === undefined ? undefined : sentences[best.at];
  if (best === undefined || read === undefined) return [];
  const type = typeOf(group);
  const words = directiveWords(type, read, sentences[best.at - 1]);
  if (words === undefined) return [];
  const from = Math.min(group[0]?.at ?? best.at, words.before ? best.at - 1 : best.at);
  const quote = quoteOf(own.slice(from, (group.at(-1)?.at ?? best.at) + 1), message);
  const strength = Math.max(...group.map(({ confidence }) => confidence));
  return [{ type, text: words.text, strength, quote: quote ?? own[best.at]?.text ?? "" }];
}

/** From the first to the last of these sentences, where that is not too long. */
function quoteOf(own: readonly OwnSentence[], message: string): string | undefined {
  const [first, ...others] = own;
  const last = others.at(-1);
  if (first === undefined) return undefined;
  if (last === undefined) return first.text;
  const from = message.indexOf(first.text);
  let to = from + first.text.length;
  for (const { text } of others) to = message.indexOf(text, to) < 0 ? -1 : message.indexOf(text, to) + text.length;
  return from < 0 || to < from || to - from > LONGEST_QUOTE ? undefined : message.slice(from, to);
}
