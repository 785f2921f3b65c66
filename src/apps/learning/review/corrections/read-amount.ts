import type { DirectiveType } from "../../../../base/words/contract.ts";
import { type Clause, cutAfter, restOf, verbAndRest } from "./clause.ts";
import { tidyText } from "./directive-text.ts";
import { GRADED, GROWING, SHRINKING, SPEECH, TALK_VERBS, WORK } from "./vocabulary.ts";
import { namesBehavior, namesWork, type Sentence, STRENGTH, type Wish } from "./wish.ts";

const ADJECTIVE = "([\\p{L}-]+)";
const u = (pattern: string): RegExp => new RegExp(pattern, "u");
const keys = (map: ReadonlyMap<string, string>): string => [...map.keys()].join("|");

const BE = u(`^(?:be|being|sound|act|stay|get|remain|were|are|become|seem) ${GRADED}(less|more) ${ADJECTIVE}`);
const BE_SHORT = u(`^(?:be|stay|remain|were|being) ${GRADED}(${keys(SHRINKING)})(?![\\p{L}-])`);
const BE_GROWN = u(`^(?:be|sound|were|being) ${GRADED}(${keys(GROWING)})(?![\\p{L}-])`);
const WANTS =
  /^i(?:'d| would)? ?(?:really |also |just |much |generally |usually |always |definitely |kind of |actually ){0,2}(?:(?<=would |'d |'d (?:really|also|just|much) )(?:like|love)|want|need|prefer|appreciate|rather have|rather see|rather get|could use|could do with|welcome|wish for|wish there (?:were|was)|expect)(?: to (?:see|have|get|read|hear))?(?: your| if there were| it if there were)? /;
const VERB =
  /^(?:give|go into|dig into|take|bring|practi[cs]e|exercise|send|use|write|include|add|provide|show|make|ask|put|have|get|do|want|need|see|offer|share|be|try|go for|aim for|ask for|leave|ask me|give us|keep it to)(?: me| us)?(?: your)? /;
const AMOUNT = u(
  `^${GRADED}((?:more|less) (?:detailed|specific|thorough|frequent|concise|formal|technical|verbose|compact|precise|regular|informative|descriptive|readable|casual|brief|succinct)|less|fewer|more|not (?:so|as|that) (?:many|much)|${keys(SHRINKING)}|${keys(GROWING)}) (?=[\\p{L}\\ue000])`,
);
const OFTEN = u(
  `^${TALK_VERBS.pattern}?[^,]*?\\b(more|less) (often|frequently|regularly|carefully|thoroughly|closely|clearly|explicitly|precisely|proactively|directly|politely|formally|casually|concisely|briefly|[\\p{L}]+ly)\\b`,
);
const MORE_AT_END = u(
  `^(${TALK_VERBS.pattern}|write|send|post|use|commit|log|type|comment|refactor|say)(?![\\p{L}])([^,]*?) (a (?:bit|lot|little) (?:more|less)|more|less)(?=[.,!?]|$| please| when| in your| from now| next time)`,
);
const KEEP_SHORT = u(
  `^(?:keep|make|leave) (it|them|things|this|these|that|all of (?:it|them)|your [\\p{L} -]{1,30}?|the (?:${SPEECH.pattern}|${WORK.pattern})|(?:all |any |both |future )?(?!(?:this|that|the|these|those|my|our|his|her) )(?:[\\p{L}-]+ )?(?:${SPEECH.pattern}|${WORK.pattern}|subject lines|headlines|titles|names)) ${GRADED}(?:(${keys(SHRINKING)}|less \\p{L}+|more (?:concise|succinct|brief|compact))(?![\\p{L}-])|to (?:a minimum|the point|(?:at most |a maximum of )?(?:one|two|three|four|five|a few|\\d+|a couple of) (?:sentence|line|word|paragraph)s?)|under|below|within)`,
);
const SHORTEN = u(
  `^(?:shorten|trim|condense|tighten(?: up)?|simplify|cut down|cut|slim down|streamline) (your (?:[\\p{L}-]+ )?(?:${SPEECH.pattern}|${WORK.pattern}|[\\p{L}]+s))`,
);
const REDUCE =
  /^(?:tone down|tone|dial (?:back|down)(?: on)?|cut (?:down|back)(?: on)?|ease (?:off|up)(?: on)?|go (?:easy|easier|light|lighter) on|reduce|limit|minimi[sz]e|scale (?:back|down)(?: on)?|turn down|take it easy (?:on|with)|hold back on|be sparing with|lighten up (?:on|with)|slow down (?:on|with)|back off (?:on|with)|rein in|cool it (?:on|with)|go slow(?:er)? on)(?: a (?:bit|little))?(?: all)?(?: (?:the|your|those|these|on the|on your))? (?=[\p{L}])/u;
const IDIOM = /^(?:tone|dial|ease|go|slow|back|cool|take|lighten|rein|hold)\b/;
const TO_THE_POINT = /^(?:get|come|cut|go|stick) (?:straight |right |directly )?to the (?:point|chase)\b/;
const IN_FEW =
  /^(?:answer|reply|respond|explain|summari[sz]e|write)[^,]{0,30}? (in (?:at most |max |no more than |under |fewer than )?(?:one|two|three|four|five|a few|a couple of|\d+|fewer)(?: or \w+| to \w+)? (?:sentences?|words|lines?|paragraphs?))\b/;
const WANTED_OFTEN = u(
  `^i(?:'d| would)? (?:really )?(?:like|want|need|prefer|appreciate|love)(?: to (?:see|get|have))? (?=${SPEECH.pattern} (?:more|much more) (?:often|frequently|regularly))(${SPEECH.pattern})?`,
);
const CONDITION =
  /\b(?:things|code|files|features|everything|what|texts?|reports?|mails?) you (?!just\b|did\b|wrote\b|sent\b|made\b)\p{L}+|\b(?:when|whenever|in your|for your|to your|of your|with your|during|while|if) ?(?:you|i|it's|it is|the|a|long|background|reporting|writing|explaining|something)?\b/u;

/** What only somebody who acts can have. */
const TRAIT =
  /^(?:initiative|caution|care|patience|pushback|ownership|effort|attention|rigou?r|discipline|tact|empathy|honesty|candou?r|humou?r|curiosity|variety|transparency|restraint|depth|encouragement|support|respect)\b/;

/** More or less of it: `be more careful`, `shorter answers please`, `tone down the jargon`. */
export function readAmount(clause: Clause, sentence: Sentence): Wish | undefined {
  if (clause.negative) return undefined;
  return (
    readBeing(clause, sentence) ??
    readKept(clause, sentence) ??
    readHowOften(clause, sentence) ??
    readThings(clause, sentence)
  );
}

function readBeing(clause: Clause, { markers }: Sentence): Wish | undefined {
  const rest = restOf(clause);
  if (markers.once && !markers.standing) return undefined;
  const strength = markers.standing || markers.repeated ? STRENGTH.standing : STRENGTH.direct;
  const graded = BE.exec(rest);
  if (graded !== null) {
    const [all, amount, adjective = ""] = graded;
    const bare = rest.slice(all.length).replace(/[^\p{L}]|please/gu, "") === "";
    // Asked of what was just said, not of what is to come.
    const pointed = /^ (?:about|on|regarding) (?:the|this|that)\b/.test(rest.slice(all.length));
    if ((bare || pointed) && clause.how === "polite" && /^(?:specific|precise|clear|concrete)$/.test(adjective))
      return undefined;
    const what = cutAfter(clause, all.length - adjective.length);
    const shrinks = amount === "more" && SHRINKING.has(adjective);
    if (shrinks)
      return {
        type: "less",
        text: tidyText(`${SHRINKING.get(adjective)} answers${cutAfter(clause, all.length)}`),
        strength,
      };
    return { type: amount === "less" ? "less" : "more", text: tidyText(what), strength };
  }
  const short = BE_SHORT.exec(rest);
  if (short !== null) {
    const after = cutAfter(clause, short[0].length);
    return { type: "less", text: tidyText(`${SHRINKING.get(short[1] ?? "") ?? "long"} answers${after}`), strength };
  }
  const grown = BE_GROWN.exec(rest);
  if (grown === null) return undefined;
  const text = tidyText(`${GROWING.get(grown[1] ?? "")}${cutAfter(clause, grown[0].length)}`);
  return { type: "more", text, strength };
}

/** `keep your answers short`; of `it` alone only where it is to last. */
function readKept(clause: Clause, { markers }: Sentence): Wish | undefined {
  const rest = restOf(clause);
  const lasting = markers.standing || markers.repeated || clause.absolute;
  const strength = lasting ? STRENGTH.standing : STRENGTH.direct;
  const shorten = SHORTEN.exec(rest);
  if (shorten !== null) {
    return {
      type: "less",
      text: tidyText(`long ${(shorten[1] ?? "").replace(/^your /, "")}${cutAfter(clause, shorten[0].length)}`),
      strength,
    };
  }
  const kept = KEEP_SHORT.exec(rest);
  if (kept !== null) {
    const [, what = "", adjective = ""] = kept;
    const pronoun = /^(?:it|them|things|this|these|that|all of (?:it|them))$/.test(what);
    const definite = /^the /.test(what) && (!namesBehavior(what) || !rest.startsWith("keep"));
    if ((pronoun || definite || markers.once) && !lasting) return undefined;
    const thing = pronoun ? "answers" : what.replace(/^(?:your|the|my|any|all) /, "");
    if (adjective.startsWith("less "))
      return { type: "less", text: tidyText(`${adjective.slice(5)} ${thing}`), strength };
    const too = SHRINKING.get(adjective.replace(/^more /, "")) ?? "long";
    return { type: "less", text: tidyText(`${too} ${thing}`), strength };
  }
  if (TO_THE_POINT.test(rest)) return { type: "less", text: "long-winded answers", strength };
  const few = IN_FEW.exec(rest);
  if (few !== null && lasting) return { type: "less", text: tidyText(`long answers, ${few[1]}`), strength };
  const reduce = REDUCE.exec(rest);
  if (reduce === null) return undefined;
  const said = rest.slice(reduce[0].length);
  if (
    markers.once ||
    (!namesBehavior(said, 4) && !(IDIOM.test(rest) && namesWork(said, 4)) && !/ your (?:[\p{L}-]+ )?$/u.test(reduce[0]))
  )
    return undefined;
  if (/^(?:number|amount|size|count)\b/.test(said) && !namesBehavior(said, 5)) return undefined;
  return { type: "less", text: tidyText(cutAfter(clause, reduce[0].length)), strength };
}

/** `check in with me more often`. */
function readHowOften(clause: Clause, { markers }: Sentence): Wish | undefined {
  const rest = restOf(clause);
  if (markers.once) return undefined;
  const found = OFTEN.exec(rest);
  const about =
    /\b(?:me|your|you|us)\b/.test(rest) ||
    clause.how !== "plain" ||
    markers.standing ||
    /^(?:check|update|report|post|send|message|ping|share|save|back up|ask|explain|answer|reply|communicate|speak|write|commit|test|use)\b/.test(
      rest,
    );
  if (found !== null && about && !/\b(?:this|that|these|those)\b/.test(found[0])) {
    const [all, amount = "", how = ""] = found;
    const brief = /^(?:concisely|briefly)$/.test(how);
    const text = verbAndRest(clause, "gerund");
    if (text === undefined || (all.startsWith(amount) && all.length > amount.length + how.length + 1)) return undefined;
    const type: DirectiveType = amount === "less" || brief ? "less" : "more";
    return {
      type,
      text: tidyText(brief ? "long answers" : text.replace(/\b(?:a (?:bit|lot|little) )?(?:more|less) /i, "")),
      strength: STRENGTH.direct,
    };
  }
  const wanted = WANTED_OFTEN.exec(rest);
  if (wanted?.[1] !== undefined)
    return {
      type: "more",
      text: tidyText(`frequent ${cutAfter(clause, wanted[0].length - wanted[1].length)}`),
      strength: STRENGTH.wished,
    };
  const last = MORE_AT_END.exec(rest);
  if (
    last === null ||
    !(/\b(?:your|me|my)\b/.test(rest) || clause.how !== "plain" || markers.standing || (last[2] ?? "").trim() === "")
  )
    return undefined;
  const text = verbAndRest(clause, "gerund");
  // Of what was just said.
  const now =
    /^(?:tell|explain|say|show|talk)(?: (?:me|us|it|this|that|about \w+))*$/.test(`${last[1]}${last[2]}`) &&
    !markers.standing;
  if (text === undefined || now) return undefined;
  return {
    type: /less$/.test(last[3] ?? "") ? "less" : "more",
    text: tidyText(text.replace(/ (?:a (?:bit|lot|little) )?(?:more|less)\b/i, "")),
    strength: STRENGTH.wished,
  };
}

/** `fewer emojis please`, `I'd like more detail in your reports`. */
function readThings(clause: Clause, { markers }: Sentence): Wish | undefined {
  let rest = restOf(clause);
  const wants = WANTS.exec(rest);
  const verb = wants === null ? VERB.exec(rest) : null;
  const skip = (wants ?? verb)?.[0].length ?? 0;
  rest = rest.slice(skip);
  const found = AMOUNT.exec(rest);
  if (found === null || markers.once) return undefined;
  const [all, amount = ""] = found;
  const said = rest.slice(all.length);
  const lasting = markers.standing || markers.repeated || clause.absolute;
  const work = namesWork(said, 3) && /^(?:[\p{L}-]+ ){0,2}[\p{L}-]+s(?![\p{L}])/u.test(said);
  const habit = SHRINKING.has(amount) || GROWING.has(amount) || /^(?:more|less) (?:frequent|regular)/.test(amount);
  const behavior =
    namesBehavior(said, 5) ||
    TRAIT.test(said) ||
    (GROWING.has(amount) &&
      /^(?:with|to|towards|when) (?:you|me|us|the|our|my|customers|clients|people)\b/.test(said)) ||
    (work && CONDITION.test(said)) ||
    (work && (wants !== null || (verb === null && /\bplease\b/.test(clause.folded.text))));
  const about = behavior || (lasting && /^[\p{L}-]/u.test(said));
  if (
    !about ||
    /\b(?:this|that|these|those) \p{L}|\b(?:isn't|aren't|wasn't|is not|are not|not necessary)\b/u.test(said) ||
    /^(?:than|or|and|of the|about|info|information)\b/.test(said)
  )
    return undefined;
  // What is asked of a verb is a task, unless it is to come again.
  if (
    verb !== null &&
    !lasting &&
    clause.how !== "wish" &&
    clause.how !== "should" &&
    !TRAIT.test(said) &&
    !(habit && /^(?:[\p{L}-]+ )?[\p{L}-]+s(?![\p{L}])/u.test(said)) &&
    !CONDITION.test(said) &&
    !/ your /.test(verb[0])
  )
    return undefined;
  if (/\bin (?:the|this) (?:first|second|third|last|next)\b/.test(said)) return undefined;
  if (
    !TRAIT.test(said) &&
    /\b(?:on|for|about|of|from) (?:the|this|that|my|our|last)\b(?! (?:things|code|files|features) you)/.test(said) &&
    !/\bfrom you\b/.test(said) &&
    !lasting
  )
    return undefined;
  const what = cutAfter(clause, skip + all.length);
  const strength = lasting
    ? STRENGTH.standing
    : wants !== null || CONDITION.test(said)
      ? STRENGTH.wished
      : STRENGTH.complaint;
  return amountWish(amount, what, strength);
}

function amountWish(amount: string, what: string, strength: number): Wish {
  const [degree = "", adjective] = amount.split(" ");
  const shrunk = SHRINKING.get(adjective ?? amount);
  if (shrunk !== undefined && degree !== "less") return { type: "less", text: tidyText(`${shrunk} ${what}`), strength };
  const grown = GROWING.get(amount);
  if (grown !== undefined) return { type: "more", text: tidyText(`${grown} ${what}`), strength };
  const type: DirectiveType = /^(?:less|fewer|not)/.test(amount) ? "less" : "more";
  const named = adjective !== undefined && degree !== "not" ? `${adjective} ${what}` : what;
  return { type, text: tidyText(named), strength };
}
