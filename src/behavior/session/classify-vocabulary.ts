/** What words and phrases of up to three words speak for, and how strongly. */
export type Vocabulary<T extends string> = {
  readonly entries: ReadonlyMap<string, readonly Meaning<T>[]>;
  /** The words that a phrase begins with: no other word needs to be looked at together with the next ones. */
  readonly heads: ReadonlySet<string>;
};

type Meaning<T extends string> = { readonly value: T; readonly weight: number };

/** How much speaks for each value; a value that nothing speaks for is not in it. In the order of first mention. */
export type Scores<T extends string> = Map<T, number>;

const LONGEST_PHRASE = 3;
const PLAIN_WEIGHT = 2;

/**
 * From one list per value, entries parted by white space: `deploy:4` has weight 4, `roll_out` is a phrase. An entry stands
 * for its regular forms too (deploys, deployed, deploying).
 */
export function vocabulary<T extends string>(lists: { readonly [value in T]: string }): Vocabulary<T> {
  const entries = new Map<string, readonly Meaning<T>[]>();
  const heads = new Set<string>();
  for (const [value, list] of Object.entries<string>(lists)) {
    for (const entry of list.split(/\s+/).filter((text) => text !== "")) {
      const [spelled = "", weight] = entry.split(":");
      const phrase = spelled.replaceAll("_", " ");
      const [head = ""] = phrase.split(" ");
      if (head !== phrase) heads.add(head);
      // The keys of `lists` are its values, by its type.
      const meaning = { value: value as T, weight: weight === undefined ? PLAIN_WEIGHT : Number(weight) };
      entries.set(phrase, [...(entries.get(phrase) ?? []), meaning]);
    }
  }
  return { entries, heads };
}

/** Each entry counts once, however often it is said: repeating a word does not make it truer. */
export function score<T extends string>(words: readonly string[], known: Vocabulary<T>): Scores<T> {
  const scores: Scores<T> = new Map();
  const seen = new Set<string>();
  for (let at = 0; at < words.length; at++) {
    let phrase = "";
    const longest = known.heads.has(words[at] ?? "") ? LONGEST_PHRASE : 1;
    for (let length = 1; length <= longest && at + length <= words.length; length++) {
      const word = words[at + length - 1] ?? "";
      phrase = length === 1 ? word : `${phrase} ${word}`;
      const entry = find(phrase, known);
      if (entry === undefined || seen.has(entry)) continue;
      seen.add(entry);
      for (const { value, weight } of known.entries.get(entry) ?? [])
        scores.set(value, (scores.get(value) ?? 0) + weight);
    }
  }
  return scores;
}

/** The values from the strongest to the weakest; of equal ones the first mentioned comes first. */
export function ranked<T extends string>(scores: Scores<T>): readonly (readonly [T, number])[] {
  return [...scores].sort(([, a], [, b]) => b - a);
}

function find<T extends string>(phrase: string, known: Vocabulary<T>): string | undefined {
  if (known.entries.has(phrase)) return phrase;
  return stems(phrase).find((stem) => known.entries.has(stem));
}

/** What an English word may be a regular form of; right or not, only known words count. */
function stems(word: string): readonly string[] {
  if (word.length < 4) return [];
  if (word.endsWith("ies") || word.endsWith("ied")) return [`${word.slice(0, -3)}y`, word.slice(0, -1)];
  if (word.endsWith("ing")) return withoutEnding(word.slice(0, -3));
  if (word.endsWith("ed")) return [word.slice(0, -1), ...withoutEnding(word.slice(0, -2))];
  if (word.endsWith("es")) return [word.slice(0, -1), word.slice(0, -2)];
  return word.endsWith("s") && !word.endsWith("ss") ? [word.slice(0, -1)] : [];
}

function withoutEnding(base: string): readonly string[] {
  const doubled = base.at(-1) === base.at(-2) ? [base.slice(0, -1)] : [];
  return [base, `${base}e`, ...doubled];
}
