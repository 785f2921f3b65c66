import { gerundOf, presentOf, tidyText } from "./directive-text.ts";
import type { Folded } from "./fold-sentence.ts";
import { wordsIn } from "./phrases.ts";
import { SHRINKING, SPEECH, TALK_VERBS, WORK } from "./vocabulary.ts";
import { namesBehavior, namesWork, type Sentence, STRENGTH, type Wish } from "./wish.ts";

const OPEN =
  "^(?:(?:and|but|also|so|ok|hey|well|honestly|sorry|btw|again|please|to be honest|tbh|frankly|personally|look)[\\s,:.!]*){0,4}";
const u = (pattern: string): RegExp => new RegExp(OPEN + pattern, "u");
const QUANTITY =
  "(?:once|twice|one|two|three|four|five|\\d{1,2}|a single|a few|a couple of|half|just one|a short|a quick)";

const STRUGGLES = u(
  "i (?:really |often |always |kind of |just )?(?:struggle (?:with|to (?:read|follow|understand|get through))|have (?:trouble|problems|difficulty|difficulties|a hard time)(?: with)?(?: reading| following| understanding| parsing| keeping up with| getting through)?|find it (?:hard|difficult|tough|exhausting|tiring) to (?:follow|read|understand|get through|parse)|(?:can't|cannot|can hardly|can barely) (?:follow|keep up with|get through|parse|read|make sense of)|get lost in|am drowning in|'m drowning in)(?: all)? (?:your|the) (?=\\p{L})",
);
const VEXES = u(
  "(?:all )?(?:your |the |these |those )?((?:[\\p{L}-]+ ){0,3}?[\\p{L}-]+(?: in your [\\p{L}-]+| you [\\p{L}-]+)?) (?:really |just |only |always |often |kind of )?(?:(?:confuses?|annoys?|bothers?|distracts?|irritates?|bugs?|bores?|overwhelms?)(?= (?:me|us|my|people|everyone)\\b)|(?:gets?|is|are getting) on my nerves|drives? me (?:crazy|nuts|mad|up the wall)|puts? me off|wastes? my time|slows? me down|gives? me a headache|adds? nothing|(?:don't|doesn't|do not) (?:help|add)(?: me| anything)?)(?: me| us| my team| people)?(?![\\p{L}])",
);
const NOT_TO_BE = u(
  "i (?:really |also |just )?(?:don't|do not|never) (?:ever |really )?(?:want|like|wish|need|expect) (?:to be|being|to get|getting) ([\\p{L}-]+)",
);
const NOT_DONE = u(
  "(?:i|we) (?:really |also |just )?(?:don't|do not|never) (?:ever )?want ((?:[\\p{L}-]+ ){1,4}?)([\\p{L}-]+(?:ed|en|nt|ut|ade)) (?=(?:without|before|unless|until|behind)\\b)",
);
const WONT = u(
  "i (?:won't|will not|don't|do not|can't) (?:accept|tolerate|take|approve|put up with|look at|merge|review) (?:any )?(?=\\p{L})",
);
const ENOUGH = u(
  `(${QUANTITY}(?: [\\p{L}-]+){0,4}?) (?:(?:is|are|would be|will be|'s) (?:more than |quite |perfectly )?(?:enough|plenty|sufficient|fine)|will do|would do|suffices?)(?![\\p{L}])`,
);
const AT_MOST = u(`(?:max(?:imum)?(?: of)?|at most|no more than|not more than|up to) (?=${QUANTITY} [\\p{L}-]+)`);
const CAN_BE = u(
  "(?:can|could|would|will) your ([\\p{L} -]{2,30}?) (?:please |maybe )?be (?:a (?:bit|little|lot) |much |way )?(?:(less|more) ([\\p{L}-]+)|(shorter|briefer|simpler|terser|smaller)|([\\p{L}]+er)) ?(?:please|from now on)?[?.!]*$",
);
const SHOULD_BE = u(
  "(?:your ([\\p{L} -]{2,30}?)|the ([\\p{L} -]{2,30}?) you [\\p{L}]+) (?:could|should|might|can|need to|must) be (?:a (?:bit|little|lot) |much |way |somewhat )?(?:(less|more) ([\\p{L}-]+)|(shorter|briefer|simpler|smaller)|([\\p{L}]+er))(?![\\p{L}])",
);
const LESS_MORE = u("(?:less|fewer) ((?:[\\p{L}-]+ ?){1,2}), more (?:[\\p{L}-]+ ?){1,2}(?:please)?[.!]*$");
const HARDLY = u(
  "(?:your|the) ([\\p{L} -]{2,40}?) (?:has|have|contains?|comes? with|gives? me) (?:hardly|barely|scarcely|almost no) (?:any )?(?=\\p{L})",
);
const LONG =
  /^(?:very |so |overly |extremely |such )?(?:long|lengthy|verbose|wordy|endless|huge|giant|massive|long-winded|rambling)\b/;

/** What is hard on a person, and what would be enough: `I struggle with your long answers`, `two lines are enough`. */
export function readBurden({ folded, markers }: Sentence): Wish | undefined {
  if (markers.once && !markers.standing) return undefined;
  const strength = markers.standing || markers.repeated ? STRENGTH.standing : STRENGTH.complaint;
  return readHardship(folded, strength) ?? readUnwanted(folded, strength) ?? readEnough(folded, strength);
}

function readHardship({ text, cut }: Folded, strength: number): Wish | undefined {
  const hard = STRUGGLES.exec(text);
  if (hard !== null) {
    const rest = text.slice(hard[0].length);
    if (!namesBehavior(rest, 4) && !(/your $/.test(hard[0]) && namesWork(rest, 4))) return undefined;
    const said = tidyText(cut(hard[0].length));
    return LONG.test(rest) || EXCESS.test(rest)
      ? { type: "less", text: said, strength }
      : { type: "more", text: tidyText(`clear ${said}`), strength };
  }
  const vexes = VEXES.exec(text);
  const what = vexes?.[1] ?? "";
  if (
    vexes === null ||
    / (?:in|of|from|on) (?:the|this|that|my) /.test(vexes[0]) ||
    !namesBehavior(/\byour\b/.test(vexes[0]) ? `your ${what}` : what, 6)
  )
    return undefined;
  const from = vexes[0].indexOf(what);
  return { type: LONG.test(what) ? "less" : "stop", text: tidyText(cut(from, from + what.length)), strength };
}

/** Things of which there can only be too much. */
const EXCESS =
  /\b(?:jargon|noise|slang|acronyms|abbreviations|emojis|fluff|filler|walls? of text|chatter|boilerplate|verbosity)\b/;

function readUnwanted({ text, cut }: Folded, strength: number): Wish | undefined {
  const passive = NOT_TO_BE.exec(text);
  const verb = presentOf(passive?.[1] ?? "");
  if (passive !== null && verb !== passive[1] && (TALK_VERBS.opens([verb]) || REACHES.test(verb)))
    return { type: "stop", text: tidyText(`${gerundOf(verb)} me${cut(passive[0].length)}`), strength };
  const done = NOT_DONE.exec(text);
  if (done !== null) {
    const [all, what = "", doneTo = ""] = done;
    const from = all.length - 1 - doneTo.length - what.length;
    const thing = cut(from, from + what.length).trim();
    return { type: "stop", text: tidyText(`${gerundOf(presentOf(doneTo))} ${thing} ${cut(all.length)}`), strength };
  }
  const refused = WONT.exec(text);
  if (refused === null) return undefined;
  const rest = text.slice(refused[0].length);
  const words = wordsIn(rest).slice(0, 4);
  return (SPEECH.in(words) || WORK.in(words)) && !/^(?:the|this|that|these|those|my|our|it)\b/.test(rest)
    ? { type: "stop", text: tidyText(cut(refused[0].length)), strength }
    : undefined;
}

/** How an agent gets at somebody. */
const REACHES =
  /^(?:contact|disturb|bother|interrupt|email|mail|call|wake|text|tag|mention|copy|chase|rush|spam|page)$/;

/** For one thing that is not said: `for the slide`. */
function isElsewhere(text: string): boolean {
  const place = / (?:for|in|on) (?:the|this|that) (.*)$/.exec(text)?.[1];
  return place !== undefined && !SPEECH.in(wordsIn(place).slice(0, 3));
}

function readEnough({ text, cut }: Folded, strength: number): Wish | undefined {
  const less = (said: string): Wish => ({ type: "less", text: tidyText(said), strength });
  const enough = ENOUGH.exec(text);
  if (enough?.[1] !== undefined && !isElsewhere(text) && SPEECH.in(wordsIn(text).slice(0, 14))) {
    const from = enough[0].indexOf(enough[1]);
    return less(
      `more than ${cut(from, from + enough[1].length)}${/^ (?:for|per|in)\b/.test(text.slice(enough[0].length)) ? cut(enough[0].length) : ""}`,
    );
  }
  const most = AT_MOST.exec(text);
  if (
    most !== null &&
    /\b(?:per|in|for|as|at) (?:each |every |your |an? |all )?/.test(text) &&
    SPEECH.in(wordsIn(text))
  )
    return less(`more than ${cut(most[0].length)}`);
  const be = CAN_BE.exec(text);
  if (be !== null && namesBehavior(`your ${be[1]}`)) {
    const [, thing = "", degree, adjective = "", , grown] = be;
    if (grown !== undefined || degree === "more")
      return { type: "more", text: tidyText(`${adjective || grown} ${thing}`), strength };
    return less(`${degree === "less" ? adjective : "long"} ${thing}`);
  }
  const should = SHOULD_BE.exec(text);
  if (should !== null) {
    const [, your, yours, degree, adjective = "", , grown] = should;
    const thing = your ?? yours ?? "";
    if (!namesBehavior(`your ${thing}`)) return undefined;
    if (grown !== undefined || degree === "more")
      return {
        type: SHRINKING.has(adjective) ? "less" : "more",
        text: tidyText(`${SHRINKING.get(adjective) ?? (adjective || grown)} ${thing}`),
        strength,
      };
    return less(`${degree === "less" ? adjective : "long"} ${thing}`);
  }
  const swap = LESS_MORE.exec(text);
  if (swap?.[1] !== undefined && !/\b(?:the|this|that|blue|green|red|white|black)\b/.test(text)) return less(swap[1]);
  const hardly = HARDLY.exec(text);
  return hardly !== null && namesBehavior(text.slice(hardly[0].length), 3) && /\byou/.test(text)
    ? { type: "more", text: tidyText(cut(hardly[0].length)), strength }
    : undefined;
}
