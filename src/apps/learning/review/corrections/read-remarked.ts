import { gerundOf, tidyText } from "./directive-text.ts";
import { type Folded, partOf } from "./fold-sentence.ts";
import { type Sentence, STRENGTH, type Wish } from "./wish.ts";

const REMARK =
  "(?:(?:please|so|and|do|always|just|kindly)[\\s,]+)*(?:(?:respect|remember|follow|observe|honou?r|don't forget|do not forget|stick to|note|mind|apply|adhere to|use) (?:that|this|it|them|those)(?: rule| policy)?(?: too| please| in (?:the )?future)?|(?:keep|bear|have) (?:that|this|it) in mind|take (?:that|this|it) into account|act accordingly|don't either|do the same|neither should you|that (?:goes|holds|counts) for you,? too)(?: (?:when|for|in|whenever|next time|from now on|from here)\\b[^,]*)?";
const WHOLE = new RegExp(`^${REMARK}[\\s.!]*$`, "u");
const TAIL = new RegExp(`^(.{4,160}?)(?:,| -| –| —) ?${REMARK}[\\s.!]*$`, "u");
const STATES =
  /^(?:(?:and|but|also|so|ok|hey|well|btw|note)[\s,]+)*(?:(?:here |in general )?(we|i|our team|this team) (don't|do not|never|no longer|can't|cannot) (?:ever )?([\p{L}-]+)|(?=((?:we|i|i'm|i've|we're|my|our|all|every|each|any|no|[\p{L}-]+)\b)))/u;
const PERSONAL = /^(?:i|i'm|i've|my|we|we're|our)\b/;
const ASIDE = /\b(?:you|yesterday|tomorrow|today|told|said)\b|\?|\d{2}/;

/** A fact with the wish to mind it: `we don't deploy on Fridays, please respect that`, in one sentence or two. */
export function readRemarked({ folded }: Sentence, next: Folded | undefined): Wish | undefined {
  const tail = TAIL.exec(folded.text)?.[1];
  if (tail === undefined && (next === undefined || !WHOLE.test(next.text))) return undefined;
  const fact = tail === undefined ? folded : { ...partOf(folded, 0), text: tail };
  const found = STATES.exec(fact.text);
  if (found === null || ASIDE.test(fact.text)) return undefined;
  const strength = STRENGTH.direct;
  const verb = found[3];
  if (verb !== undefined && !/^(?:like|eat|have|know|speak|see|hear|drink|own|live|work)$/.test(verb))
    return {
      type: "stop",
      text: tidyText(`${gerundOf(verb)}${folded.cut(found[0].length, fact.text.length)}`),
      strength,
    };
  const said = folded.cut(found[0].length - (verb === undefined ? 0 : found[0].length), fact.text.length).trim();
  return { type: "start", text: tidyText(PERSONAL.test(fact.text) ? `remember that ${said}` : said), strength };
}
