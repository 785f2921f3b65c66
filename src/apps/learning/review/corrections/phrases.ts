/** Words and short phrases of one kind: as a pattern for others to be built of, and to be looked up in a text. */
type Phrases = {
  readonly all: readonly string[];
  /** Without groups; longer ones first. */
  readonly pattern: string;
  /** Is one of them in these words? */
  in(words: readonly string[]): boolean;
  /** Do these words begin with one? */
  opens(words: readonly string[]): boolean;
};

const LONGEST = 3;

/** `_` in a word is a space or a hyphen; `plural` takes each with an `s` as well. */
export function phrases(list: string, form: "as-is" | "plural" = "as-is"): Phrases {
  const given = list.trim().split(/\s+/);
  const each = form === "plural" ? given.flatMap((word) => [word, `${word}s`]) : given;
  const known = new Set(each.map((word) => word.replaceAll("_", " ")));
  const longest = each.toSorted((a, b) => b.length - a.length);
  const at = (words: readonly string[], from: number): boolean => {
    let phrase = "";
    for (let to = from; to < Math.min(words.length, from + LONGEST); to++) {
      phrase = to === from ? (words[to] ?? "") : `${phrase} ${words[to]}`;
      if (known.has(phrase)) return true;
    }
    return false;
  };
  return {
    all: [...known],
    pattern: `(?:${longest.map((word) => word.replaceAll("_", "[ -]")).join("|")})`,
    in: (words) => words.some((_, from) => at(words, from)),
    opens: (words) => at(words, 0),
  };
}

/** All that is in one of these. */
export function together(...all: readonly Phrases[]): Phrases {
  return {
    all: all.flatMap((one) => one.all),
    pattern: `(?:${all.map(({ pattern }) => pattern).join("|")})`,
    in: (words) => all.some((one) => one.in(words)),
    opens: (words) => all.some((one) => one.opens(words)),
  };
}

/** The words of a folded text as phrases have them: a hyphen parts two. */
export function wordsIn(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}']+/gu) ?? [];
}
