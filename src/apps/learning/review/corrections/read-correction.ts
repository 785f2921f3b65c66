import { type Clause, openClause, restOf } from "./clause.ts";
import { gerundOf, soundText } from "./directive-text.ts";
import { type Folded, partOf } from "./fold-sentence.ts";
import { markersOf } from "./markers.ts";
import { notOwnWish } from "./not-own-wish.ts";
import { wordsIn } from "./phrases.ts";
import { readAmount } from "./read-amount.ts";
import { readBurden } from "./read-burden.ts";
import { readComplaint } from "./read-complaint.ts";
import { readFragment } from "./read-fragment.ts";
import { readKeep } from "./read-keep.ts";
import { readPolicy } from "./read-policy.ts";
import { readReferred } from "./read-referred.ts";
import { readRemarked } from "./read-remarked.ts";
import { readStart, readWhen } from "./read-start.ts";
import { readStop } from "./read-stop.ts";
import { CONVENTION, HABIT_VERBS, MANNERS, SPEECH, STYLE_VERBS, TALK_VERBS } from "./vocabulary.ts";
import { type Sentence, STRENGTH, type Wish } from "./wish.ts";

/** Where another clause may begin that asks for something itself. */
const CLAUSE =
  /(?:[,;:]|\s[–—-])\s+(?:but |and |so |also |then |pls |please |or |just )*|\s(?:but|and|so) (?=(?:please|answer|reply|use|write|pls|don't|dont|do not|never|always|stop|keep|no more|next time|from now on|can you|could you|i want|i'd|you should|try to|make sure|be more|be less)\b)/g;
const MOST_CLAUSES = 6;
/** Maybe, and only a little. */
const HEDGED = /\b(?:maybe|perhaps|possibly|i guess|i'm not sure|might|if you want|up to you|i suppose)\b/;
/** Without one of these words no form is met: most sentences are passed over by this alone. */
const CUES: ReadonlySet<string> = new Set([
  ...[TALK_VERBS, STYLE_VERBS, HABIT_VERBS].flatMap(({ all }) => all),
  ...`lead spell stop quit cease enough no not never don't didn't avoid refrain hold steer drop skip cut leave spare lose ditch omit knock lay less fewer more too so shorter short brief briefer concise longer be
  tone dial ease go reduce limit minimise minimize scale trim shorten condense simplify keep keeps keeping kept continue carry love like liked appreciate enjoy value always now forward future next default
  henceforth whenever when every each before after once if unless until while first should must need needs have want prefer rather wish expect told asked said asking telling remember forget forgot forgetting
  make ensure sure would could can try start begin mind hate dislike annoys annoying bothers bugs tired sick fed again over call address answer reply respond speak talk use ask tell your you thanks thank way
  good great helpful instead smaller simpler better wordy unnecessary annoying redundant pointless useless distracting only insist constantly ever stick get cite love loving let confirm check verify explain
  respect follow observe mind either accordingly must mustn't forgot left nothing nobody won't hands stay steer forbidden limits off taboo banned prohibited unacceptable okay ok acceptable allowed belong belongs max maximum most please struggle trouble confuse confuses annoy bother distract irritate overwhelm
  plenty sufficient suffices overly excessively hardly barely glad happy fan prior remind cc prefix sign quote break take put all any anything everything refer greet
  include say warn show without zero rid lighten slow rein cool dig adore big nice kudos props well overexplain you're you've repetitive chatty`.split(
    /\s+/,
  ),
]);

const KEEP_CUES: ReadonlySet<string> = new Set(
  "glad grateful pleased thankful stay keep keeping continue carry love loved loving like liked liking likes appreciate appreciated enjoy enjoyed value adore dig digging fan happy great helpful nice good useful awesome handy cool lovely way thanks thank kudos props well never don't stick perfect works helps super spot excellent amazing fantastic brilliant wonderful right ideal clear better".split(
    " ",
  ),
);

const BURDEN_CUES: ReadonlySet<string> = new Set(
  `struggle trouble problems difficulty difficulties hard difficult tough exhausting tiring follow read parse lost drowning confuse confuses annoy annoys bother bothers distract distracts irritate
  irritates bug bugs bore bores overwhelm overwhelms nerves drive drives puts put waste wastes slow slows headache add adds help don't doesn't not never won't can't enough plenty sufficient fine will
  would suffice suffices max maximum most more be fewer less hardly barely scarcely almost`.split(/\s+/),
);

const POLICY_CUES: ReadonlySet<string> = new Set(
  `nothing no nobody off forbidden prohibited banned taboo unacceptable bounds ok okay allowed acceptable permitted welcome option appropriate belong not should must has have need needs is are to require requires goes go gets comes
  starts ends ought first remember mind forget account we`.split(/\s+/),
);

function hasAny({ words }: Folded, cues: ReadonlySet<string>): boolean {
  return words.some((word) => cues.has(word));
}

/** What a sentence asks of the agent from now on, if it does. Pure, and linear in the sentence. */
export function readCorrection(folded: Folded, before?: Folded, next?: Folded): Wish | undefined {
  if (!hasAny(folded, CUES) || notOwnWish(folded.text) !== undefined) return undefined;
  const markers = markersOf(folded.text, next?.text);
  const whole: Sentence = { folded, markers, ...(before === undefined ? {} : { before }) };
  const praises = hasAny(folded, KEEP_CUES);
  const wish =
    readReferred(folded, before) ??
    (praises ? readKeep(whole) : undefined) ??
    readComplaint(whole) ??
    (hasAny(folded, BURDEN_CUES) ? readBurden(whole) : undefined) ??
    readRemarked(whole, next) ??
    (hasAny(folded, POLICY_CUES) ? readPolicy(whole) : undefined) ??
    readWhen(whole) ??
    readClauses(whole, praises) ??
    readFragment(whole);
  if (wish === undefined) return undefined;
  const text = soundText(shapeText(wish));
  if (text === undefined) return undefined;
  const doubt = (HEDGED.test(folded.text) ? 0.05 : 0) + (markers.once ? 0.1 : 0) + 0;
  return { ...wish, text, strength: wish.strength - doubt };
}

/** What a wish for less begins with is said by its type. */
function shapeText({ type, text }: Wish): string {
  if (type === "less")
    return text
      .replace(/^(?:so|that|too|this)(?: (?:many|much|overly))? (?=\p{L})/iu, "")
      .replace(/^(?:amount|number) of /i, "");
  return type === "more" ? text.replace(/^of an? /i, "").replace(/:.*$/, "") : text;
}

function readClauses(sentence: Sentence, praises: boolean): Wish | undefined {
  const { folded } = sentence;
  const starts = [0, ...[...folded.text.matchAll(CLAUSE)].map(({ 0: mark, index }) => index + mark.length)].slice(
    0,
    MOST_CLAUSES,
  );
  const wishes = starts.flatMap((start, at) => {
    if (at > 0 && isDependent(folded.text.slice(0, start))) return [];
    const clause = openClause(folded, start);
    const part = { ...sentence, folded: partOf(folded, start) };
    const wish =
      readPronoun(clause, folded.text.slice(0, start)) ??
      (at === 0
        ? readAfterLead(sentence, clause)
        : ((praises ? readKeep(part) : undefined) ?? readComplaint(part) ?? readWhen(part))) ??
      readStop(clause, sentence) ??
      readAmount(clause, sentence) ??
      mainOnly(
        readStart(clause, sentence),
        at === 0 || clause.absolute || clause.how !== "plain" || sentence.markers.standing,
      );
    return wish === undefined ? [] : [wish];
  });
  // Who asks for two things in one sentence says the main one first.
  return wishes.find(({ strength }) => strength >= STRENGTH.complaint) ?? wishes[0];
}

/** `links don't open here, so don't send them`: what they are stands before. */
function readPronoun(clause: Clause, before: string): Wish | undefined {
  const [, verb] =
    /^([\p{L}-]+)(?: down on| easy on| down| back)? (?:it|them|those|these)(?= |[.!,]|$)/u.exec(restOf(clause)) ?? [];
  const down = /^(?:cut down on|reduce|limit|go easy on|tone down|dial back) (?:them|it)\b/.test(restOf(clause));
  const away =
    down || /^(?:leave (?:them|it) out|(?:drop|skip|cut|remove|lose|omit|avoid) (?:them|it))\b/.test(restOf(clause));
  if ((!clause.negative && !away) || verb === undefined || before === "") return undefined;
  const words = wordsIn(before);
  const many = / (?:them|those|these)\b/.test(restOf(clause).slice(0, 30));
  const thing = (many ? words : words.slice(0, 2)).find(
    (word) => (SPEECH.in([word]) || MANNERS.in([word]) || CONVENTION.in([word])) && (!many || word.endsWith("s")),
  );
  return thing === undefined
    ? undefined
    : {
        type: down ? "less" : "stop",
        text: away ? thing : clause.nominal ? `${verb} ${thing}` : `${gerundOf(verb)} ${thing}`,
        strength: STRENGTH.complaint,
      };
}

/** The same, once what people open with is taken off: `one request: you keep …`. */
function readAfterLead(sentence: Sentence, { lead }: Clause): Wish | undefined {
  if (lead === 0) return undefined;
  const part = { ...sentence, folded: partOf(sentence.folded, lead) };
  return readComplaint(part) ?? readWhen(part);
}

/** In a later clause a bare do is more often a task: it must be surer. */
function mainOnly(wish: Wish | undefined, main: boolean): Wish | undefined {
  return main || (wish !== undefined && wish.strength >= STRENGTH.wished) ? wish : undefined;
}

/** What comes before says whose words or which case the rest is. */
function isDependent(before: string): boolean {
  return (
    /^(?:if|when|because|since|although|unless|while|as)\b/.test(before) ||
    /\b(?:said|says|wrote|asked|told|called|named|titled|like|that|to|e\.g\.?|i\.e\.?|so that|which|who|where)\s*[,:]?\s*$/.test(
      before,
    )
  );
}
