/** A sentence as it is compared: lower case, plain apostrophes, common slips mended. `cut` gives the words as they were written. */
export type Folded = {
  readonly text: string;
  readonly words: readonly string[];
  cut(from: number, to?: number): string;
};

const WORD = /[\p{L}\p{N}']+/gu;
/** Plain letters and marks, single spaces, and what is masked. */
const PLAIN = /^[!-~\ue000]*(?: [!-~\ue000]+)*$/;
const PIECE = /[\p{L}\p{M}\p{N}'’]+|\s+|[^\p{L}\p{M}\p{N}'’\s]+/gu;

/** Slips by the word that was meant. */
const SPELLED: readonly (readonly [string, string])[] = [
  ["please", "pls plz plss plese pleae pleas plase pleaes"],
  ["you", "u ya yuo"],
  ["your", "ur yor"],
  ["you're", "youre"],
  ["always", "allways alwasy alwyas alway alwys"],
  ["never", "nevr neevr nver"],
  ["stop", "stpo sotp stopp"],
  ["don't", "dont dnt don't'"],
  ["doesn't", "doesnt"],
  ["didn't", "didnt"],
  ["can't", "cant"],
  ["won't", "wont"],
  ["isn't", "isnt"],
  ["aren't", "arent"],
  ["shouldn't", "shouldnt shoudnt"],
  ["wouldn't", "wouldnt"],
  ["couldn't", "couldnt"],
  ["mustn't", "mustnt"],
  ["haven't", "havent"],
  ["i'm", "im"],
  ["i've", "ive"],
  ["i'd", "i'ld"],
  ["that's", "thats"],
  ["there's", "theres"],
  ["let's", "lets"],
  ["it's", "its'"],
  ["should", "shoud shuold"],
  ["before", "b4 befor"],
  ["because", "cuz coz cos bc"],
  ["with", "w"],
  ["without", "w/o witout"],
  ["messages", "msgs"],
  ["message", "msg"],
  ["answers", "anwsers answeres"],
  ["replies", "repiles"],
  ["responses", "reponses"],
  ["shorter", "shoter"],
  ["thanks", "thx ty tnx"],
];
const SLIPS: ReadonlyMap<string, string> = new Map(
  SPELLED.flatMap(([word, slips]) => slips.split(" ").map((slip) => [slip, word] as const)),
);

/** Linear in the sentence. Characters that nobody sees are not part of it. */
export function foldSentence(masked: string, written: string): Folded {
  const plain = masked.replaceAll("’", "'").toLowerCase();
  const words = plain.match(WORD) ?? [];
  // Most sentences fold to themselves.
  if (PLAIN.test(plain) && !words.some((word) => SLIPS.has(word)))
    return { text: plain, words, cut: (from, to) => written.slice(from, to) };
  return foldPieces(masked, written);
}

function foldPieces(masked: string, written: string): Folded {
  const starts: number[] = [];
  const sources: number[] = [];
  let text = "";
  for (const { 0: piece, index } of masked.matchAll(PIECE)) {
    starts.push(text.length);
    sources.push(index);
    text += foldPiece(piece);
  }
  const sourceOf = (at: number): number => {
    if (at >= text.length) return written.length;
    let piece = upperBound(starts, at) - 1;
    // A piece that folds to nothing shares its start with the next one.
    while (piece > 0 && (starts[piece] ?? 0) > at) piece -= 1;
    const into = at - (starts[piece] ?? 0);
    const end = sources[piece + 1] ?? written.length;
    return Math.min((sources[piece] ?? 0) + into, end);
  };
  return {
    text,
    words: text.match(WORD) ?? [],
    cut: (from, to = text.length) => written.slice(sourceOf(from), sourceOf(to)),
  };
}

function foldPiece(piece: string): string {
  if (/^\s/.test(piece)) return " ";
  const plain = piece
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll("’", "'")
    .toLowerCase();
  return SLIPS.get(plain) ?? plain;
}

/** The first place whose value is more than this. */
function upperBound(values: readonly number[], value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
