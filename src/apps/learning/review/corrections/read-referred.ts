import { gerundOf, presentOf, tidyText } from "./directive-text.ts";
import type { Folded } from "./fold-sentence.ts";
import { STRENGTH, type Wish } from "./wish.ts";

const OPEN = "^(?:(?:please|so|and|but|just|ok|okay|hey|can you|could you|seriously|ugh|again|oh|then)[\\s,]+)*";
const THAT = new RegExp(
  `${OPEN}(?:(?:stop|quit|cut|knock|tone|enough of|no more of|avoid) (?:it|that|this)(?: out| off| down)?|(?:stop|quit|avoid) doing (?:that|this|it|so)|(?:don't|do not|never) (?:ever )?do (?:that|this|it|so)|not (?:again|like that)|i (?:really )?(?:don't|do not|didn't) (?:want|like|need|ask for) (?:that|this|it)|(?:try to |please )?do (?:that|this|it) less(?: often)?|(?:don't|do not)|no more|that's (?:not ok(?:ay)?|not what i want|annoying)|(?:that|this|it) (?:must|should|may|can|had better|better|will)(?:n't| not| never)(?: ever)? happen)(?: please| again| any ?more| already| in (?:the )?future| next time| from now on| ever)*[\\s.!?]*$`,
);
const YOU_DID = new RegExp(
  `${OPEN}(?:i (?:saw|noticed|see|think)(?: that)? |looks like |apparently |(?:every time|each time|whenever|when) i [\\p{L} ]{2,40}?,? )?(?:why (?:do|did|are|must|would|have) )?you(?:'re|'ve| are| have)? (?:(?:just|again|always|keep|kept|still|constantly|often|also|once again|already|even|now) )*(?!(?:are|were|was|can|could|should|must|will|would|may|might|don't|didn't|have|had|said|told|got|need|know|want|think|asked me)\\b)([\\p{L}-]+)(?= \\p{L})`,
  "u",
);
const MUCH = /\b(?:a lot(?: of)?|lots of|so (?:many|much)|too (?:many|much)|tons of|way more)\b/;

/** What is meant by `don't do that again` stands before it. */
export function readReferred({ text, words, cut }: Folded, before: Folded | undefined): Wish | undefined {
  const tail = TAIL.exec(text);
  if (tail?.[1] !== undefined && pointsBack(text.slice(tail[1].length + 1).trimStart()))
    return readDone({ text: tail[1], words, cut: (from) => cut(from, tail[1]?.length) }, text);
  return before !== undefined && pointsBack(text) ? readDone(before, text) : undefined;
}

const TAIL = /^(.{6,200}),(?=[^,]{3,60}$)/;

function readDone(before: Folded, text: string): Wish | undefined {
  const did = YOU_DID.exec(before.text);
  const verb = did?.[1];
  if (did === null || verb === undefined) return undefined;
  const doing = `${gerundOf(presentOf(verb))}${before.cut(did[0].length)}`;
  const type = MUCH.test(before.text) || /\b(?:down|less)\b/.test(text) ? "less" : "stop";
  return { type, text: tidyText(doing.replace(MUCH, "").replace(/ {2,}/g, " ")), strength: STRENGTH.direct };
}

/** Does it speak of what was said before? */
export function pointsBack(text: string): boolean {
  return THAT.test(text);
}
