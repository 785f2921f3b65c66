import { comparisonKey } from "../../../../behavior/contract/comparison-key.ts";

const LITTLE = new Set(
  (
    "a about again all also always an and any are as at be been before being but by can could do doing does during each every for from get give giving had has have i i'd i'm if in instead into is it " +
    "its it's just kindly like lot many me more most much my need never no not now of off often on only or other our out over please quite really same should so some such than thanks that the " +
    "their them then these they this those to too under until up use using very via want was way we were what when where which while will with without would you your you're"
  ).split(" "),
);
const MOST = 24;

/** The words that say what a text is about, without their endings. All of its words where it has no others. */
export function contentWords(text: string): ReadonlySet<string> {
  const found = comparisonKey(text).match(/[\p{L}\p{M}\p{N}']+/gu) ?? [];
  const words = found.filter((word) => !LITTLE.has(word)).map(stemOf);
  return new Set((words.length === 0 ? found : words).slice(0, MOST));
}

/** Share of the words of both that both have. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}

/** `updates`, `updating` and `updated` are one word; good enough to compare by. */
function stemOf(word: string): string {
  if (word.length <= 3) return word;
  const bare = word.replace(/(?:ies|ied)$/, "y").replace(/(?:ing|ed|es|s)$/, "");
  const stem = bare.length < 3 ? word : bare;
  return stem.replace(/([bdgmnprt])\1$/, "$1").replace(/e$/, "");
}
