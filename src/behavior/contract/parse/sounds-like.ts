import { comparisonKey } from "./comparison-key.ts";

/** Share of the words of both texts that both have, from which on a person should look. */
const ALIKE = 1 / 3;

/** Words that say how, how much or that, and not what. Other languages do without: then more words must agree. */
const LITTLE = new Set(
  (
    "a about after all also always an and any are as at be been before being but by can do doing during each every few for " +
    "from get give giving had has have in instead into is it its just long longer lot many me more most much my never no not " +
    "of off often on only or other our out over please quick same send sending short shorter should so some such than that " +
    "the their them then these they this those to too under until up use using very via was we were what when where which " +
    "while with without you your brief detailed excessive extra frequent fewer full good bad high large less little low " +
    "redundant regular repeated small unnecessary useless verbose"
  ).split(" "),
);

/** Do two texts look as if they were about the same thing? A guess by words: good enough to ask, never to decide. */
export function soundsLike(a: string, b: string): boolean {
  const mine = wordsOf(a);
  const theirs = wordsOf(b);
  const shared = mine.intersection(theirs).size;
  return shared > 0 && shared / mine.union(theirs).size >= ALIKE;
}

/** Share of the words of both texts that both have, from which on two proposals are one. */
const NEARLY = 0.8;

/** Is it the same proposal, but for how it is put? The little words count here: less of them may be the whole point. */
export function saysTheSame(a: string, b: string): boolean {
  if (comparisonKey(a) === comparisonKey(b)) return true;
  const [mine, theirs] = [a, b].map((text) => new Set((comparisonKey(text).match(WORDS) ?? []).map(stem)));
  if (mine === undefined || theirs === undefined || mine.size < 3) return false;
  return mine.intersection(theirs).size / mine.union(theirs).size >= NEARLY && negations(mine) === negations(theirs);
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const NEGATIONS = ["no", "not", "never", "without", "dont", "don"];

function negations(words: ReadonlySet<string>): string {
  return NEGATIONS.filter((word) => words.has(word)).join(" ");
}

function wordsOf(text: string): Set<string> {
  const found = comparisonKey(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const words = found
    .filter((word) => !LITTLE.has(word))
    .flatMap((word) => (UNSPACED.test(word) ? pairs(word) : [stem(word)]));
  return new Set(words.length === 0 ? found : words);
}

/** Scripts that put no space between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function pairs(text: string): readonly string[] {
  const letters = [...text];
  return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?:ies|es|s|ing)$/, "") : word;
}
