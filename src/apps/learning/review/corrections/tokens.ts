import type { Folded } from "./fold-sentence.ts";
import { MASK } from "./mask-quotations.ts";

/** A word or a mark of a folded sentence, and where it stands in it. `don't` is two words, `do` and `not`, at one place. */
export type Token = { readonly word: string; readonly start: number; readonly end: number };

/** Stands for whatever is quoted. */
export const QUOTED = "“”";

const TOKEN = /@[\p{L}\p{N}_-]+|\ue000+|[\p{L}\p{N}]+(?:'[\p{L}]+)?|[,;:.!?()–—-]/gu;

/** Words that only add weight: passed over, so that no table has to name them. */
const FILLERS: ReadonlySet<string> = new Set(
  "really actually honestly absolutely definitely simply literally totally truly basically".split(" "),
);
/** What a short form is short for. */
const ENDINGS: Readonly<Record<string, string>> = {
  "'re": "are",
  "'m": "am",
  "'ve": "have",
  "'ll": "will",
  "'d": "would",
};
/** Words after which `'s` is `is`. */
const WITH_IS: ReadonlySet<string> = new Set("it that there what how who where here he she everything one".split(" "));
const WHOLE: Readonly<Record<string, readonly string[]>> = {
  "can't": ["can", "not"],
  cannot: ["can", "not"],
  "won't": ["will", "not"],
  "let's": ["let", "us"],
  gonna: ["going", "to"],
  wanna: ["want", "to"],
  gotta: ["have", "to"],
  needn: ["need", "not"],
};

/** The words and marks of a sentence, short forms written out. Linear. */
export function tokensOf({ text }: Pick<Folded, "text">): readonly Token[] {
  const found: Token[] = [];
  for (const { 0: piece, index: start } of text.matchAll(TOKEN)) {
    const end = start + piece.length;
    // Who is called by name is not part of what is said.
    if (FILLERS.has(piece) || piece.startsWith("@")) continue;
    if (piece.startsWith(MASK)) found.push({ word: QUOTED, start, end });
    else for (const word of expand(piece)) found.push({ word, start, end });
  }
  return found;
}

function expand(piece: string): readonly string[] {
  const whole = WHOLE[piece];
  if (whole !== undefined) return whole;
  const at = piece.indexOf("'");
  if (at < 0) return [piece];
  if (piece.endsWith("n't")) return [piece.slice(0, -3), "not"];
  const ending = piece.slice(at);
  const bare = piece.slice(0, at);
  const full = ending === "'s" && WITH_IS.has(bare) ? "is" : ENDINGS[ending];
  return full === undefined ? [piece] : [bare, full];
}
