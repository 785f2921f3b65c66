/** A phrase of a table that stands in a sentence: its class, and from which to before which word. */
export type Hit = { readonly name: string; readonly from: number; readonly to: number };

/** Classes and their phrases, parted by `|` or new lines. In a phrase `~ing` is any word that ends so, `_` any word, `#` a number. */
export type PhraseTable = Readonly<Record<string, string>>;

const NUMBERS: ReadonlySet<string> = new Set(
  "one two three four five six seven eight nine ten twelve twenty".split(" "),
);

type Phrase = { readonly name: string; readonly words: readonly string[] };

/** Finds every phrase of a table in a row of words; of one class at one place only the longest. Linear in the words. */
export function phraseFinder(table: PhraseTable): (words: readonly string[]) => readonly Hit[] {
  const byFirst = new Map<string, Phrase[]>();
  for (const [name, list] of Object.entries(table))
    for (const words of phrasesOf(list)) {
      const first = words[0] ?? "";
      const known = byFirst.get(first);
      if (known === undefined) byFirst.set(first, [{ name, words }]);
      else known.push({ name, words });
    }
  for (const all of byFirst.values()) all.sort((a, b) => b.words.length - a.words.length);
  return (words) => {
    const hits: Hit[] = [];
    for (let from = 0; from < words.length; from++) {
      const before = hits.length;
      for (const { name, words: phrase } of byFirst.get(words[from] ?? "") ?? []) {
        if (hasSince(hits, before, name)) continue;
        const to = matchEnd(phrase, words, from);
        if (to > 0) hits.push({ name, from, to });
      }
    }
    return hits;
  };
}

/** The words of one class, for looking up. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(phrasesOf(list).map((words) => words.join(" ")));
}

/** `a b | c?`: each phrase as its words; `plural(s)` is two phrases. */
function phrasesOf(list: string): readonly (readonly string[])[] {
  return list
    .split(/[|\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "")
    .flatMap((phrase) => (phrase.endsWith("(s)") ? [phrase.slice(0, -3), `${phrase.slice(0, -3)}s`] : [phrase]))
    .map((phrase) => phrase.split(/\s+/));
}

/** Where the phrase ends, or 0. */
function matchEnd(phrase: readonly string[], words: readonly string[], from: number): number {
  let at = from;
  for (const wanted of phrase) {
    const word = words[at];
    if (word === undefined || !fits(wanted, word)) return 0;
    at += 1;
  }
  return at;
}

function fits(wanted: string, word: string): boolean {
  if (wanted === "_") return /^[\p{L}\p{N}]/u.test(word);
  if (wanted === "#") return /^\d/.test(word) || NUMBERS.has(word);
  if (wanted.startsWith("~")) return word.length > wanted.length + 1 && word.endsWith(wanted.slice(1));
  return word === wanted;
}

function hasSince(hits: readonly Hit[], from: number, name: string): boolean {
  for (let at = from; at < hits.length; at++) if (hits[at]?.name === name) return true;
  return false;
}
