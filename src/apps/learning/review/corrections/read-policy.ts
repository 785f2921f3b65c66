import { gerundOf, presentOf, tidyText } from "./directive-text.ts";
import { type Folded, partOf } from "./fold-sentence.ts";
import { wordsIn } from "./phrases.ts";
import { CONVENTION, SPEECH, WORK } from "./vocabulary.ts";
import { namesBehavior, type Sentence, STRENGTH, type Wish } from "./wish.ts";

/** `nothing goes out`, `no release ships`. */
const NOTHING =
  /^(nothing|no [\p{L}-]+(?: [\p{L}-]+)?|nobody'?s? [\p{L}-]+) ((?:goes|gets?|is|are|should|may|can|leaves|ships|happens|will|go|must)\b[^,]{0,80}?\b(?:without|until|unless|before)\b)([^,]*)/u;
/** Whose leave it takes. */
const LEAVE =
  /\b(?:i|me|my|mine|asking|approval|approved|review(?:ed)?|permission|sign-?off|go-ahead|consent|tests?|tested|check|checked|proofread)\b/;
const FORBIDDEN =
  /^((?!(?:this|that|it|these|those|what|there)\b)[^,]{3,70}?) (?:is|are) (?:strictly |completely |absolutely |simply |just )?(?:off[- ]limits|off the table|forbidden|prohibited|banned|taboo|a no-go|unacceptable|out of bounds|not (?:ok|okay|allowed|acceptable|permitted|welcome|an option|on|cool|fine))(?![\p{L}-])(.*)$/u;
const NOT_RIGHT_TO =
  /^(?:it's|it is|it isn't) (?:really |simply |just |totally |absolutely |never )?(?:not )?(?:ok|okay|acceptable|unacceptable|allowed|fine|cool|appropriate|forbidden|your (?:job|place)|never ok|right)(?: for you)? (?:to|that you|when you|if you) (?:just )?([\p{L}-]+)/u;
const BELONGS =
  /^((?:[\p{L}-]+ ){0,3}[\p{L}-]+s) (?:don't|do not|never|shouldn't|should not) belong (?=(?:in|on|at|into)\b)/u;
const BY_OTHERS =
  /^((?!(?:it|this|that)\b)[\p{L}-]+(?: [\p{L}-]+){0,3}) (?:is|are|gets?) ([\p{L}-]+(?:ed|en|ut|ade|one|ent)) (?:only )?by ([^,]{2,40}), (?:and )?not (?:by )?you\b/u;
const OBLIGED =
  /^((?:every|each|all|any|anything|everything|an?|the first thing in (?:any|every|each))(?: [\p{L}/-]+){0,6}?) (should|must|has to|have to|needs? to|is to|are to|needs?|requires?|goes|go|gets|comes with|starts? with|ends? with|ought to)( never| not| no)? (?=[\p{L}])/u;
/** Of what the agent makes, without a word before it: `new code needs tests`. */
const NEEDS =
  /^((?!(?:the|this|that|these|those|my|our|his|her|their|your|some|i|we|you|it|they|he|she|there|what|who)\b)(?:[\p{L}-]+ ){0,2}[\p{L}-]+) (must|should|needs?|have to|has to)( always)?( never| not)? (?=[\p{L}])/u;
/** `we use pnpm here, not npm`. */
const OUR_WAY =
  /^we (?:always |only )?(use|write|say|prefer|speak) ((?:[\p{L}\d.-]+ ?){1,4}?)(?: here| in this (?:team|repo|project|company))?,? (?:and )?(?:not|instead of|rather than) (?:[\p{L}\d.-]+ ?){1,3}[.!]*$/u;
const MY_LEAVE =
  /^you(?:'ll)? (?:always |first )?(?:need|require|have to (?:get|have)|must (?:get|have)) (?=(?:my|an?|our|explicit) (?:explicit |prior |written )?(?:approval|okay|ok|permission|go|go-ahead|sign-?off|consent|confirmation)\b)/;
const ORDER =
  /^((?!(?:do|try|use|run|start|fix|make|write|read|go|finish)\b)(?:the )?[\p{L}-]+(?: [\p{L}-]+){0,2}?) (?:comes |goes |go |come )?first,? (?:and )?(?:then|only then|after that|followed by) (?=[\p{L}])/u;
const MIND =
  /^(?:please )?(?:always )?(?:remember|keep in mind|bear in mind|don't forget|do not forget|take into account) (?:that )?(?=(?:i'm|i am|i have|i don't|i can't|i only|i never|i always|i prefer|i like|i hate|i work|i live|my|we're|we are|we don't|we only|our)\b)/;
const MIND_THAT =
  /^(i (?:like|prefer|only|never|always|don't|can't|hate|love|work|live|need)\b[^,]{3,80}), (?:so )?(?:please )?(?:remember|keep|bear) that(?: in mind)?(?: (?:for|when|in)\b.*)?[.!]*$/;

const BEGINS =
  /^(?:(?:and|but|also|so|ok|okay|hey|well|again|please|btw|as a rule|in general|generally|remember|note|reminder|rule|from now on|going forward)[\s,:]+){0,4}/;

/** How things are to be, told as how they are: `nothing goes out without my okay`, `force pushing is off limits`. */
export function readPolicy({ folded: whole, markers }: Sentence): Wish | undefined {
  if (markers.once && !markers.standing) return undefined;
  const folded = partOf(whole, BEGINS.exec(whole.text)?.[0].length ?? 0);
  const strength = markers.standing || markers.repeated || markers.absolute ? STRENGTH.standing : STRENGTH.wished;
  return readBarred(folded, strength) ?? readObliged(folded, strength) ?? readMind(folded, strength);
}

function readBarred({ text, cut }: Folded, strength: number): Wish | undefined {
  const stop = (said: string): Wish => ({ type: "stop", text: tidyText(said), strength });
  const none = NOTHING.exec(text);
  if (none !== null && LEAVE.test(none[3] ?? "")) {
    const [all, what = "", how = ""] = none;
    const verb = /^(?:(?:should|may|can|will|must) (?:ever )?)?([\p{L}]+)/u.exec(how);
    const doing = gerundOf(THIRD_PERSON.get(verb?.[1] ?? "") ?? (verb?.[1] ?? "").replace(/s$/, ""));
    const rest = cut(what.length + 1 + (verb?.[0].length ?? 0), all.length);
    return stop(`${what === "nothing" ? "anything" : cut(3, what.length)} ${doing}${rest}`);
  }
  const barred = FORBIDDEN.exec(text);
  if (
    barred !== null &&
    isDoing(barred[1] ?? "") &&
    !/^[\p{L}-]+ are not (?:allowed|permitted)/u.test(text) &&
    !OTHERS.test(text)
  )
    return stop(
      cut(0, (barred[1] ?? "").length) +
        (/^ (?:in|on|for|with|without|when|unless)\b/.test(barred[2] ?? "")
          ? cut(text.length - (barred[2] ?? "").length)
          : ""),
    );
  const wrong = NOT_RIGHT_TO.exec(text);
  if (wrong?.[1] !== undefined && /\bnot\b|n't\b|unacceptable|forbidden|never/.test(wrong[0]))
    return stop(`${gerundOf(wrong[1])}${cut(wrong[0].length)}`);
  const belongs = BELONGS.exec(text);
  if (belongs !== null && !OTHERS.test(text))
    return stop(`${cut(0, (belongs[1] ?? "").length)} ${cut(belongs[0].length)}`);
  const others = BY_OTHERS.exec(text);
  return others === null
    ? undefined
    : stop(`${gerundOf(presentOf(others[2] ?? ""))} ${cut(0, (others[1] ?? "").length)}`);
}

const THIRD_PERSON: ReadonlyMap<string, string> = new Map([
  ["goes", "go"],
  ["is", "be"],
  ["are", "be"],
]);

function readObliged({ text, cut }: Folded, strength: number): Wish | undefined {
  const obliged = OBLIGED.exec(text);
  if (obliged !== null) {
    const [all, what = "", how = "", not] = obliged;
    const rest = text.slice(all.length);
    const words = wordsIn(what);
    const own =
      (SPEECH.in(words) || WORK.in(words) || CONVENTION.in(words)) &&
      (!/^an?$/.test(words[0] ?? "") || /^(?:needs?|requires?|goes|gets|must)/.test(how));
    if ((own || /\b(?:to|by|past|with|from) me\b|\bmy\b|\byou\b/.test(rest)) && !OTHERS.test(text))
      return { type: not === undefined ? "start" : "stop", text: tidyText(cut(0).replace(not ?? "\0", "")), strength };
  }
  const needs = NEEDS.exec(text);
  if (needs !== null && !OTHERS.test(text)) {
    const words = wordsIn(needs[1] ?? "");
    const yours = /\byour\b/.test(text.slice(needs[0].length));
    const written =
      CONVENTION.in(words) &&
      /^(?:always )?be (?:written|spelled|formatted|given|in|shown as)\b/.test(text.slice(needs[0].length));
    if (yours || written || (WORK.in(words) && !SPEECH.in(words)))
      return {
        type: needs[4] === undefined ? "start" : "stop",
        text: tidyText(needs[4] === undefined ? cut(0) : `${cut(0, (needs[1] ?? "").length)} ${cut(needs[0].length)}`),
        strength,
      };
  }
  const ours = OUR_WAY.exec(text);
  if (ours !== null)
    return { type: "start", text: tidyText(`${ours[1]} ${cut(text.indexOf(ours[2] ?? ""))}`), strength };
  const leave = MY_LEAVE.exec(text);
  if (leave !== null) return { type: "start", text: tidyText(`get ${cut(leave[0].length)}`), strength };
  const order = ORDER.exec(text);
  if (order === null) return undefined;
  const first = wordsIn(order[1] ?? "").filter((word) => word !== "the");
  return SPEECH.in(first) ||
    /\b(?:news|conclusion|result|outcome|facts|bottom line|point|short version)\b/.test(order[1] ?? "")
    ? { type: "start", text: cut(0).replace(/[\s.!]+$/, ""), strength: STRENGTH.complaint }
    : undefined;
}

/** What the agent should know of somebody: `keep in mind that I'm colour-blind`. */
function readMind({ text, cut }: Folded, strength: number): Wish | undefined {
  if (/\d{2}|\b(?:meeting|flight|tomorrow|monday|told you)\b/.test(text)) return undefined;
  const mind = MIND.exec(text);
  if (mind !== null) return { type: "start", text: tidyText(`remember that ${cut(mind[0].length)}`), strength };
  const that = MIND_THAT.exec(text);
  return that?.[1] === undefined
    ? undefined
    : { type: "start", text: tidyText(`remember that ${cut(0, that[1].length)}`), strength };
}

/** About somebody or something else. */
const OTHERS =
  /\b(?:our (?:app|shop|users|customers|product|site|website|api|office|building|company)|users?|visitors?|the (?:app|form|page|button|api|parser|function|user|endpoint|tenant|building|office|park))\b/;

const NO_DOING =
  /\b(?:parking|smoking|building|meeting|morning|evening|king|thing|something|swimming|fishing|camping|hiking|billing|pricing|shipping)s?\b/;

function isDoing(what: string): boolean {
  return (/^(?:[\p{L}-]+ ){0,2}[\p{L}-]{2,}ing\b/u.test(what) && !NO_DOING.test(what)) || namesBehavior(what, 5);
}
