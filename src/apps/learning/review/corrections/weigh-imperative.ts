import { type Clause, restOf } from "./clause.ts";
import { gerundOf } from "./directive-text.ts";
import type { Markers } from "./markers.ts";
import { MASK } from "./mask-quotations.ts";
import { wordsIn } from "./phrases.ts";
import { CONVENTION, HABIT_VERBS, HABITUAL, MANNERS, SPEECH, STYLE_VERBS, TALK_VERBS, WORK } from "./vocabulary.ts";

const POINTED =
  /(?<![\p{L}']|\b(?:verify|check|confirm|remember|ensure|sure|say|mention|note|assume) )(?:this|that|these|those) (?!is\b|way\b|kind\b|sort\b|you\b|i\b|are\b|the\b|it\b|for me\b)[\p{L}-]+|^(?:\S+ ){0,3}(?:it|this|that|them)[.!]*$/u;
/** One file, one path, one number: a particular thing. */
const NAMED =
  /\b[\w-]+\.(?:ts|js|py|md|json|ya?ml|go|rs|java|css|html|txt|sql|sh|env|csv|toml)\b|(?:^|\s)[~.]{0,2}\/[\w./-]+|\b[a-z]+_[a-z_]+\b|#\d+|\b\d{2,}\b|\b(?:question|chapter|step|section|page|item|point|part|option|number|line|row|slide|version) (?:one|two|three|four|five|six|seven|eight|nine|ten|\d)\b/;
const THIRD = /^[\p{L}'-]+ (?:him|her|them|anyone else|somebody|someone|everyone)\b/u;
/** Many of them: whoever they are, in what is not to be done, or each in their own way. */
const MANY = /^[\p{L}'-]+ (?:people|customers?|users?|clients?)\b/u;
/** The agent does it only on a condition that comes again. */
const CONDITION =
  /\b(?:before|prior to|when|whenever|while|after|if|until|unless|once|the first time|each time) (?:you(?:'re| are)? |i'm |i am |i (?:ask|propose|make|give|send|report|request|write|suggest|want|need|mention|share|paste|forward)\b|the first time you |there(?:'s| is| are) (?<=\b(?:me|instead of|rather than)\b.*)|they(?:'re| are| have) |something |anything |an? |in doubt|unsure|possible|needed|any |every |each |big |major |new |[\p{L}]+ing\b)([^,]*)/u;
const DONE =
  /\b(?:when|once|after|as soon as) (?:you(?:'re| are|'ve| have)? (?:done|finished|ready|back|get a chance|have time|have it|have them|get it|find it|know|go|leave|can(?=[^\p{L}]*$)|got)|it's (?:done|ready|finished)|that's done)(?![\p{L}'])/u;
const PERMISSION =
  /\b(?:unless|until) (?:i |me |my |asking|telling|checking|confirm|permission|approval|explicit|being asked|an? |first|notice|prior)|\b(?:on your own|by yourself|behind my back|without)\b/;
const CONTRAST =
  /\b(?:instead of|rather than|over) (?!the\b|this\b|that\b|it\b)|, not (?!that\b|this\b|the\b|by\b|in\b|on\b|at\b|yet\b)\w+|\bnot \w+ing\b/;
const FIRST = /\b(?:first|beforehand|up ?front|in advance)\b/;
const SHARED = /\b(?:at a time|any|every|each|anything|anyone|anybody)\b/;
/** A bare plural. */
const MANY_OF =
  /^(?:[\p{L}-]+ )?(?!(?:this|us|its|as|is|was|yes|less|always|perhaps)\b)[\p{L}-]{2,}[^s\P{L}]s(?![\p{L}'])/u;
/** To each of them. */
const PER_EACH = /\b(?:in|on|to|for|with|of|at|after|before) (?:every|each|all|any)\b/;
const ALL = /\b(?:all|everything)\b/;
/** Of whatever the agent does: `every file you edit`, `code I didn't ask for`. */
const OF_DOING =
  /\b(?:every|each|any|all|all the) (?:[\p{L}-]+ ){1,3}?(?:that )?you\b|\b(?:i|we) (?:didn't|never|don't|haven't) (?:ask|asked|request|need|want)|^[\p{L}-]+ (?:[\p{L}-]+ ){0,2}[\p{L}-]+s (?:who|that|which|when|if) (?:are|you|have|don't|i|they)\b/u;
/** In whatever there is of a kind: `for offers`. */
const OF_KIND =
  /^(?:use|write|put|start|begin|end|sign|format|address|open|close|wrap|store|name) (?!(?:it|this|that|them)\b)[^,]{2,60} (?:for|in|on|with|to) (?:all |new |our |your )?(?!this\b|these\b|those\b|its\b|us\b)[\p{L}-]{2,}[^s\P{L}]s(?: please)?[\s.!]*$/u;

/** Below these it is a task, as far as anybody can tell. */
export const LASTS = { negative: 1, positive: 1.5 } as const;

/** How much a do or do not speaks for a wish that lasts rather than for a task. */
export function weighImperative(clause: Clause, markers: Markers): number {
  const rest = restOf(clause).replace(/^only /, "");
  return (
    clause.weight +
    verbWeight(clause, rest) +
    objectWeight(clause, rest) +
    whenWeight(rest) +
    lastingWeight(clause, markers) -
    against(rest, markers, clause.negative)
  );
}

function verbWeight({ negative, nominal }: Clause, rest: string): number {
  const words = wordsIn(rest.slice(0, 40));
  const talks = TALK_VERBS.opens(words) || TALKING.has(words[0] ?? "");
  const style = STYLE_VERBS.opens(words);
  if (HABIT_VERBS.opens(words) || /^follow (?!up\b|the\b|this\b|that\b|it\b|me\b|him\b|her\b|them\b)/.test(rest))
    return 1;
  const weight = talks ? 0.5 : style ? 0.25 : 0;
  return (negative ? weight * 2 : weight) + (nominal ? 0.5 : 0);
}

/** `asking`: a verb after `avoid` or `would you mind`. */
const TALKING: ReadonlySet<string> = new Set(TALK_VERBS.all.map(gerundOf));

function objectWeight({ negative, nominal }: Clause, rest: string): number {
  const named = nominal && !/^[\p{L}-]+ing\b/u.test(rest) ? rest : rest.replace(/^[\p{L}'-]+\s*/u, "");
  let weight = /^(?:me|us) /.test(named) ? 0.25 : 0;
  const object = named.replace(/^(?:me|us) (?=\p{L})/u, "").replace(/^that (?=[\p{L}-]+s\b)/u, "");
  if (/\b(?:me|us|my)\b/.test(object)) weight += negative && /\bmy\b/.test(object) ? 0.5 : 0.25;
  if (/\bthe(?:ir|y)\b/.test(object)) weight += 0.5;
  if (/\byour\b/.test(object)) weight += 0.75;
  if (OF_DOING.test(rest)) weight += 0.5;
  if (SHARED.test(rest)) weight += 0.75;
  else if (ALL.test(rest)) weight += negative ? 0.5 : 0.25;
  if (PER_EACH.test(rest)) weight += 0.5;
  const [head = ""] = object.split(",", 1);
  if (/^(?:this|that|these|those|it|them|me|him|her)\b/.test(object)) return weight;
  if (/^(?:a|an|my|the|our)\b/.test(object)) return weight + (namesOwnKind(wordsIn(head).slice(0, 5)) ? 0.5 : 0);
  if (!/^[\p{L}-]/u.test(object)) return weight;
  return weight + (negative && MANY_OF.test(head) ? 1 : namesOwnKind(wordsIn(head)) || negative ? 0.75 : 0.25);
}

function namesOwnKind(words: readonly string[]): boolean {
  return SPEECH.in(words) || WORK.in(words);
}

function whenWeight(rest: string): number {
  const weight =
    (CONTRAST.test(rest) ? 0.75 : 0) +
    (FIRST.test(rest) ? 0.5 : 0) +
    (/\bfirst, (?:then\b|\p{L}+ (?:later|after))/u.test(rest) ? 0.5 : 0);
  if (PERMISSION.test(rest)) return weight + 1;
  if (DONE.test(rest)) return weight - 0.5;
  if (LEADS.test(rest) && namesOwnKind(wordsIn(rest).slice(2, 6))) return weight + 1;
  if (/\b(?:everything|all)\b.* before (?:it|they) (?:goes?|gets?|is|are)\b/.test(rest)) return weight + 1.25;
  if (OF_KIND.test(rest) || usesWay(rest)) return weight + 1.25;
  if (!comesAgain(rest)) return weight;
  return weight + (/\b(?:before|prior to) /.test(rest) ? 1.5 : 1.25);
}

const LEADS = /^(?:start|begin|open|lead|end|close|finish) (?:with|by|on) (?!this\b|that\b)/;

/** `use the Oxford comma`, `write dates as …`: how, whatever it is for. */
function usesWay(rest: string): boolean {
  const words = wordsIn(rest).slice(0, 5);
  return /^(?:use|write|prefer|spell|format|show|express|give|quote|round|report|state)$/.test(words[0] ?? "") &&
    !/^an?$/.test(words[1] ?? "") &&
    !POINTED.test(rest) &&
    !/ (?:in|for|on|to) (?:the|this|my|our) /.test(rest)
    ? (/^(?:use|write|prefer)$/.test(words[0] ?? "") && MANNERS.in(words.slice(1))) ||
        isPlain(words[words[1] === "out" || words[1] === "me" ? 2 : 1])
    : false;
}

function isPlain(word = ""): boolean {
  return word.endsWith("s") && CONVENTION.in([word]);
}

/** On a condition that can be met again: `before you push`, not `before you push this`. */
function comesAgain(rest: string): boolean {
  const found = CONDITION.exec(rest)?.[0];
  return (
    found !== undefined &&
    !DONE.test(rest) &&
    !isDefinite(wordsIn(found).slice(0, 5).join(" ")) &&
    !/\b(?:this|that) (?!way\b)\p{L}/u.test(found)
  );
}

function lastingWeight(clause: Clause, markers: Markers): number {
  const repeated = markers.repeated ? 1 : 0;
  if (markers.standing || clause.absolute) return repeated + 2;
  return repeated + (markers.absolute && clause.negative ? 0.75 : 0);
}

function against(rest: string, markers: Markers, negative: boolean): number {
  const head = (
    rest.split(/\b(?:before|when|whenever|unless|without|instead of|rather than|if|until)\b|,/, 1)[0] ?? ""
  ).trim();
  let weight = 0;
  if (markers.once) weight += 2;
  // What is done each time is done to another one each time.
  if (
    isDefinite(head) &&
    !comesAgain(rest) &&
    !OF_KIND.test(rest) &&
    !PER_EACH.test(rest) &&
    !OF_DOING.test(rest) &&
    !usesWay(rest)
  )
    weight += markers.standing ? 0.5 : 1;
  if (POINTED.test(head) || /\b(?:any|every|no)(?:thing|one)? else\b/.test(rest)) weight += 1;
  if (NAMED.test(head)) weight += 1;
  if (THIRD.test(rest) || (!negative && MANY.test(rest) && !/\btheir\b/.test(rest))) weight += 1;
  if (head.includes(MASK) && !/\b(?:say|start|begin|end|use|call|write|with)\b/.test(head)) weight += 1;
  return weight;
}

/** `the` with a noun that is not one of those that are always the same. */
function isDefinite(text: string): boolean {
  if (!text.includes("the ")) return false;
  const words = wordsIn(text);
  return words.some((word, at) => {
    const next = words.slice(at + 1, at + 4);
    return word === "the" && !HABITUAL.in(next.slice(0, 2)) && !SPEECH.in(next);
  });
}
