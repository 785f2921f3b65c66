/** Share of common words from which two texts may be about the same. */
const ALIKE = 1 / 3;

/** English words without a topic. For other languages more words must agree. */
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

/** Guesses by words whether two texts are about the same; good enough for a warning only. */
export function soundsLike(a: string, b: string): boolean {
  const mine = wordsOf(a);
  const theirs = wordsOf(b);
  const shared = mine.intersection(theirs).size;
  return shared > 0 && shared / mine.union(theirs).size >= ALIKE;
}

/** Share of common words from which two proposals are the same. */
const NEARLY = 0.8;

/** True for the same proposal in slightly different words; little words count here. */
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
  const found = comparisonKey(text).match(WORDS) ?? [];
  const words = found
    .filter((word) => !LITTLE.has(word))
    .flatMap((word) => (UNSPACED.test(word) ? pairs(word) : [stem(word)]));
  return new Set(words.length === 0 ? found : words);
}

/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function pairs(text: string): readonly string[] {
  const letters = [...text];
  return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?:ies|es|s|ing)$/, "") : word;
}

/** Composed, trimmed, with single spaces and without invisible marks. */
export function displayText(written: string): string {
  const seen = isPlain(written) ? written : withoutUnseen(written).normalize("NFC");
  return seen.replace(/\s+/g, " ").trim();
}

/**
 * Equal for texts that differ only in case, width, quotes, dashes, hyphens inside words, white space, invisible characters
 * or closing punctuation. A key is its own key.
 */
export function comparisonKey(text: string): string {
  let key = text;
  // Removing a character may join its neighbours, so fold until nothing changes.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const next = isPlain(key) ? foldPlain(key) : fold(key);
    if (next === key) break;
    key = next;
  }
  return key;
}

const MAX_PASSES = 64;

/** Plain texts avoid the Unicode tables, which are slow to load. */
export function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** `fold` for plain text. */
function foldPlain(text: string): string {
  return text
    .toLowerCase()
    .replace(/`/g, "'")
    .replace(/(?<=[a-z])-+(?=[a-z])/g, "")
    .replace(/ +/g, " ")
    .trim()
    .replace(/[ .!?;:,]+$/, "");
}

function fold(text: string): string {
  return text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/i\u0307/g, "i")
    .replace(/ς/g, "σ")
    .replace(/[‘’‚‛′‹›`´]/g, "'")
    .replace(/[“”„‟″«»]/g, '"')
    .replace(/[\p{Dash_Punctuation}\u2212\u02d7]/gu, "-")
    .replace(/(?<=\p{L})-+(?=\p{L})/gu, "")
    .replace(/\s+/g, " ")
    .normalize("NFKC")
    .trim()
    .replace(/[\s.!?;:,…。、।؟،؛]+$/u, "");
}

/** Removes soft hyphens, and variation selectors and joiners that affect no character. */
function withoutUnseen(written: string): string {
  return written
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, "")
    .replace(
      /(?<![\p{Extended_Pictographic}\p{Emoji}\p{Script=Han}])[\ufe00-\ufe0f]|(?<!\p{Script=Mongolian})[\u180b-\u180d]/gu,
      "",
    )
    .replace(
      /(?<![[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]]\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d]/gv,
      "",
    );
}
