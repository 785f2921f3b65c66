import { tidyText } from "./directive-text.ts";
import { partOf } from "./fold-sentence.ts";
import { wordsIn } from "./phrases.ts";
import { CONVENTION, MANNERS, SPEECH } from "./vocabulary.ts";
import { type Sentence, STRENGTH, type Wish } from "./wish.ts";

const BEGINS = /^(?:(?:and|but|also|so|ok|okay|hey|again|please|btw|oh|reminder|note|style)[\s,:]+){0,4}/;
const PLEASE = /\bplease\b|\balways\b|\bthanks\b/;
/** A thing that is meant, or something that is said of it. */
const POINTS =
  /\b(?:the|this|that|these|those|my|our|his|her|it|is|are|was|were|has|have|had|do|does|did|will|can|could|would|should|i|we|he|she|they|what|which|how|why|more|less|fewer|no|not (?:yet|now)|tomorrow|today)\b|\d{2}|\?/;
const ONLY = /^((?:[\p{L}-]+ ){0,2}[\p{L}-]+) only(?=[\s,.!]|$)|^only ((?:[\p{L}-]+ ){0,2}[\p{L}-]+)/u;
const PLACED =
  /^((?:all |every )?(?:[\p{L}-]+ ){0,2}?[\p{L}-]+) (?:in|as|with|on|at|to|for|before|after|without) \p{L}/u;
const RATHER =
  /^((?:[\p{L}-]+ ){0,2}[\p{L}-]+),? (?:not|instead of|rather than|over) ((?:[\p{L}-]+ ){0,2}[\p{L}-]+)(?=[\s,.!]|$)/u;
const MOST_WORDS = 11;

/** A wish without a verb: `dates in ISO format please`, `metric, not imperial`, `plain text only in mails`. */
export function readFragment({ folded, markers }: Sentence): Wish | undefined {
  const start = BEGINS.exec(folded.text)?.[0].length ?? 0;
  const { text, cut } = partOf(folded, start);
  const words = wordsIn(text);
  if (words.length > MOST_WORDS || markers.once || POINTS.test(text)) return undefined;
  const please = PLEASE.test(folded.text);
  const lasting = markers.standing || markers.repeated;
  const wish: Wish = {
    type: "start",
    text: tidyText(cut(0)),
    strength: lasting ? STRENGTH.standing : please ? STRENGTH.wished : STRENGTH.complaint,
  };
  if (lasting || please) {
    const only = ONLY.exec(text);
    if (only !== null && namesWay(wordsIn(only[1] ?? only[2] ?? ""))) return wish;
    const placed = PLACED.exec(text)?.[1];
    if (placed !== undefined && CONVENTION.in(wordsIn(placed).slice(-2))) return wish;
    if (words.length <= 5 && MANNERS.opens(words) && CONVENTION.in(words.slice(1))) return wish;
  }
  const rather = RATHER.exec(text);
  const [, one = "", other = ""] = rather ?? [];
  return rather !== null &&
    !/ by /.test(` ${one} ${other} `) &&
    namesWay(wordsIn(one)) &&
    (namesWay(wordsIn(other)) || lasting || please)
    ? wish
    : undefined;
}

function namesWay(words: readonly string[]): boolean {
  return MANNERS.in(words) || CONVENTION.in(words) || SPEECH.in(words);
}
