import { gerundOf, presentOf } from "./directive-text.ts";
import type { Folded } from "./fold-sentence.ts";
import { STYLE_VERBS, TALK_VERBS } from "./vocabulary.ts";

/**
 * What is left of a sentence once courtesies and the way of asking are taken off: `stop sending …`, `use tabs`. `weight` is how much the way
 * of asking speaks for a wish that lasts; `how` names the strongest way.
 */
export type Clause = {
  readonly folded: Folded;
  readonly from: number;
  readonly negative: boolean;
  readonly how: "plain" | "polite" | "wish" | "should" | "ensured" | "told";
  readonly weight: number;
  /** `always`, `never`. */
  readonly absolute: boolean;
  /** What is left is a thing or a doing, as after `avoid`. */
  readonly nominal: boolean;
  /** Where it begins, once what people open with is taken off. */
  readonly lead: number;
  /** The verb in the present, where it was wished for in the past: `if you stopped`. */
  readonly verb?: { readonly written: string; readonly present: string };
};

/** Before what is wanted. */
const LEAD =
  /^(?:(?:@[\p{L}\p{N}_-]+|hey|hi|hello|yo|ok|okay|k|so|and|but|also|well|ugh|argh|hm+|oh|no(?=[,.!])|nope|yes|yeah|yep|right|alright|please|kindly|btw|by the way|fyi|ps|p\.s|again|once again|once more|seriously|honestly|just|look|listen|thanks|thank you|cool|great|nice|good|perfect|fine|sorry|actually|anyway|anyways|then|now|plus|additionally|as a (?:general )?rule|in general|generally|overall|personally|maybe|perhaps|really|sigh|dude|man|mate|buddy|bro|lol|wow|simply|instead|however|lastly|finally|second|secondly|first|firstly|third|same here|for the (?:last|second|third|umpteenth|\w+th) time|(?:as|like) i (?:\w+ )?(?:said|mentioned|told you|asked)(?: before| already| earlier| yesterday| last time)?|i repeat|i said|come on|for (?:god's|heaven's|christ's|pete's) sake|from (?:now|here|today|this point) on(?:wards?)?(?: out)?|going forwards?|moving forwards?|in (?:the )?future|for (?:the )?future(?: reference)?|for all future \w+|next time|henceforth|every (?:mon|tues|wednes|thurs|fri|satur|sun)day|every (?:day|morning|evening|week|month|quarter|night)|as of (?:today|now)|starting (?:today|now|tomorrow)|by default|(?:(?:a |one |two )?(?:more |small |quick |minor |friendly |other |last |little |general )?(?:thing|note|request|reminder|feedback|correction|suggestion|rule|tip|ask|favou?r)s?|important|style|agent|assistant|bot|claude)(?=\s?[,:;–—-])|if possible|if you can|ideally|where possible|when possible)(?![\p{L}'])[\s,:;.!…–—*-]*)+/u;

type Frame = {
  readonly found: RegExp;
  readonly how: Clause["how"];
  readonly weight: number;
  readonly negative?: boolean;
  readonly nominal?: boolean;
};

const EXTRA =
  "(?:really |also |just |please |kindly |always |still |only |maybe |perhaps |possibly |at least |now |then |much |rather |strongly |definitely |simply |actually |generally |again |already |clearly |specifically |explicitly |literally |repeatedly |usually |honestly |normally ){0,3}";
const frame = (text: string): RegExp => new RegExp(`^(?:${text})(?![\\p{L}'])\\s*`, "u");

/** Ways of asking, each at the start of what is left. */
const FRAMES: readonly Frame[] = [
  { found: frame(`(?:would|do) you mind|mind`), how: "polite", weight: 0.25, nominal: true },
  {
    found: frame(
      `(?:can|could|would|will|can't|couldn't|won't) (?:you|we|i)${" "}?${EXTRA}(?:please|try to|try and|have|get|see)?`,
    ),
    how: "polite",
    weight: 0,
  },
  {
    found: frame(
      `(?:i|we)(?:'d| would| do)? ?${EXTRA}(?:like|want|need|prefer|love|expect|rather|wish|appreciate|hope|ask)(?: it)?(?: very much| a lot)?(?: if| that| for| when)? you(?:'d| would| could| can| will)?(?: to)?`,
    ),
    how: "wish",
    weight: 0.5,
  },
  {
    found: frame(
      `(?:it|that)(?:'d| would| might|'s| is)? ?(?:be |(?:really )?help(?: me)?|really )?(?:so |much |very |really |a lot )?(?:great|nice|helpful|good|better|lovely|useful|awesome|cool|ideal|best|appreciated|easier|me)?(?: for me| a lot)? if you(?: could| would| can|'d)?`,
    ),
    how: "wish",
    weight: 0.5,
  },
  {
    found: frame(
      `(?:you|u)(?:'re| are|'d)? ?${EXTRA}(?:should not|shouldn't|must not|mustn't|should never|must never|are never to|never to|not (?:supposed|allowed|permitted|meant) to|aren't (?:supposed|allowed|permitted|meant) to|can't just|cannot just|may not|are not to)(?: ever| just)?(?: be(?= \\w+ing\\b))?`,
    ),
    how: "should",
    weight: 0.75,
    negative: true,
  },
  {
    found: frame(
      `(?:there's |there is |there was |you have |i see |i have )?(?:really |absolutely )?(?:no|zero) (?:(?:need|reason)(?: at all)?(?: for you)? to(?: keep)?|(?:point|sense|use|value)(?: in)?(?= [\\p{L}-]+ing\\b))`,
    ),
    how: "should",
    weight: -0.25,
    negative: true,
  },
  {
    found: frame(
      `(?:you )?(?:really )?(?:(?:don't|do not|never|doesn't) (?:always |really |ever )?(?:need to|have to)|needn't)(?: keep| always| ever)?`,
    ),
    how: "should",
    weight: -0.25,
    negative: true,
  },
  {
    found: frame(
      `(?:you|u)(?:'d| had|'re| are)? ?${EXTRA}(?:should|must|need to|have to|ought to|better|gotta|got to|are to|are supposed to|are expected to|are meant to|supposed to|expected to|meant to|may want to|might want to|could|can(?= be (?:a (?:bit|little|lot) |much )?(?:less|more)\\b))(?: be(?= \\w+ing\\b))?`,
    ),
    how: "should",
    weight: 0.25,
  },
  {
    found: frame(`(?:always )?(?:make sure|be sure|make certain|ensure|see to it|take care)(?: that)?(?: you| to)?`),
    how: "ensured",
    weight: 0.5,
  },
  {
    found: frame(
      `(?:always )?(?:remember|don't forget|do not forget|never forget|keep in mind|bear in mind)(?: to| that you(?: should| need to| must)?)`,
    ),
    how: "ensured",
    weight: 0.75,
  },
  {
    found: frame(
      `(?:please )?(?:try|start|begin|get (?:in|into) the habit of|get used to|make it a (?:habit|rule) to|make a habit of|do try|aim|consider|learn)(?: to| and| by)|get (?:in|into) the habit of`,
    ),
    how: "ensured",
    weight: 0.25,
  },
  { found: /^you can (?:now |also |always |safely )?(?=(?:stop|skip|drop|leave out|cut) )/, how: "polite", weight: 0 },
  // `for status reports use …`
  {
    found: new RegExp(
      `^(?:for|in|on) (?:all |every |each |any |your )?[\\p{L}-]+(?: (?!never\\b|don't\\b|not\\b|no\\b)[\\p{L}-]+)?,? (?=(?:please |always |just )*(?:${STYLE_VERBS.pattern}|${TALK_VERBS.pattern}) )`,
      "u",
    ),
    how: "polite",
    weight: 0,
  },
  // `in our letters never …`
  {
    found:
      /^(?:for|in|on|with|at|to) (?:[\p{L}.-]+ ){0,2}[\p{L}-]+,? (?=(?:please )?(?:always|never|don't|do not|avoid)\b)/u,
    how: "polite",
    weight: 0,
  },
  { found: frame(`let's(?: just| please| all| try to)?|let us`), how: "polite", weight: 0 },
  {
    found: frame(
      `(?:i(?:'ve| have|'m| am|'d| had)? ?${EXTRA}(?:told|asked|said|asking|telling|mentioned|requested|instructed|reminded|tell|ask)|(?:haven't|didn't) i (?:told|tell|ask|asked|said|say)|how (?:many times|often) (?:do|must|should|did|have) i (?:have to |need to |got to )?(?:tell|ask|told|asked|say|remind)|i (?:keep|kept) (?:on )?(?:telling|asking|saying|reminding)|i thought i (?:told|asked)|do i (?:really |still )?(?:have|need) to (?:tell|ask|remind))(?: you)?(?: before| already| now| again| twice| once| many times| several times| \\w+ times| earlier| yesterday| last time| last week| this){0,3}(?:[:,]? (?:to|that you should|that you need to|that you must|you should|you need to|i want you to)|[:,])?`,
    ),
    how: "told",
    weight: 1.5,
  },
  { found: frame(`i(?:'d| would)? ?${EXTRA}(?:rather|prefer)(?: that)? you`), how: "wish", weight: 0.5 },
];

const NEGATION =
  /^(?:(?:do not|don't|didn't|did not|wouldn't|won't|would not|not to|not(?! (?:so|as|that|too) (?:many|much)\b| too\b)|never to|never|please not)(?: ever| just| always| keep)?|(?:please )?(?:avoid|refrain from|abstain from|hold off (?:on|from|with)|under no circumstances|in no case|on no account|at no (?:point|time)|no longer|steer clear of|try not to|kindly do not))(?![\p{L}'])\s*/u;
const ADVERB =
  /^(?:always|ever|just|simply|please|also|at least|kindly|really|actually|then|to|keep on|all|both|instead|strictly|consistently|automatically|by default|from now on|in (?:the )?future|next time|going forward)(?![\p{L}'])[\s,]*/u;
const MOST_FRAMES = 8;

/** Takes the way of asking off, from the outside in. */
export function openClause(folded: Folded, start: number): Clause {
  let from = start;
  let negative = false;
  let how: Clause["how"] = "plain";
  let weight = 0;
  let absolute = false;
  let nominal = false;
  let lead = start;
  const left = () => folded.text.slice(from);
  const take = (length: number) => {
    from += length;
  };
  for (let round = 0; round < MOST_FRAMES; round++) {
    const before = from;
    take(LEAD.exec(left())?.[0].length ?? 0);
    if (round === 0) lead = from;
    const found = FRAMES.find((one) => one.found.test(left()));
    if (found !== undefined) {
      take(found.found.exec(left())?.[0].length ?? 0);
      negative ||= found.negative === true;
      nominal ||= found.nominal === true;
      if (found.weight >= weight || how === "plain") how = found.how;
      weight = weight === 0 ? found.weight : Math.max(weight, found.weight);
    }
    const not = NEGATION.exec(left());
    if (
      not !== null &&
      !/^(?:don't|do not|never) (?:stop\b|change(?: that| this| it| a thing| them| those)?[^\p{L}]*$)/u.test(left())
    ) {
      take(not[0].length);
      negative = true;
      absolute ||= /never|ever|no longer|circumstances|account|at no|no case/.test(not[0]);
      if (/n't just|not just/.test(not[0])) weight += 1;
      nominal ||= /avoid|from|hold off|clear of/.test(not[0]);
    }
    for (let adverb = ADVERB.exec(left()); adverb !== null; adverb = ADVERB.exec(left())) {
      absolute ||= adverb[0].startsWith("always");
      take(adverb[0].length);
    }
    if (from === before) break;
  }
  absolute ||= /\b(?:always|ever)[.!]*\s*$/.test(left());
  const written = how === "wish" ? (/^[\p{L}]+/u.exec(left())?.[0] ?? "") : "";
  const verb = { written, present: presentOf(written) };
  return {
    folded,
    from,
    negative,
    how,
    weight,
    absolute,
    nominal,
    lead,
    ...(verb.present === written ? {} : { verb }),
  };
}

/** What is left to be read of a clause. */
export function restOf({ folded, from, verb }: Clause): string {
  return verb === undefined
    ? folded.text.slice(from)
    : `${verb.present}${folded.text.slice(from + verb.written.length)}`;
}

/** What was written after so many characters of the rest; all of it for none. */
export function cutAfter({ folded, from, verb }: Clause, length: number): string {
  return folded.cut(
    from +
      length +
      (verb === undefined || length < verb.present.length ? 0 : verb.written.length - verb.present.length),
  );
}

/** The verb with which the rest begins, in the form in which a directive has it, and what follows it as it was written. */
export function verbAndRest(clause: Clause, form: "gerund" | "base"): string | undefined {
  const verb = VERB.exec(restOf(clause))?.[0];
  if (verb === undefined) return undefined;
  const [first = "", ...more] = verb.split(" ");
  return `${[form === "gerund" ? gerundOf(first) : first, ...more].join(" ")}${cutAfter(clause, verb.length)}`;
}

const VERB =
  /^(?:(?:second|double|over|push|check|sign|make|let|follow|back|speak|clean|set|fill|look|point|call|spell)[ -](?:guess|check|explain|engineer|complicate|back|with|off|up|me|out|in)(?![\p{L}'])|[\p{L}'-]+)/u;
