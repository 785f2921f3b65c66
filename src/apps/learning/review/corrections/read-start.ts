import { type Clause, cutAfter, openClause, restOf, verbAndRest } from "./clause.ts";
import { tidyText } from "./directive-text.ts";
import { wordsIn } from "./phrases.ts";
import { CONVENTION, GRADED, GROWING, MANNERS, SPEECH, WORK } from "./vocabulary.ts";
import { LASTS, weighImperative } from "./weigh-imperative.ts";
import { namesBehavior, namesWork, type Sentence, STRENGTH, type Wish } from "./wish.ts";

const u = (pattern: string): RegExp => new RegExp(pattern, "u");
const OWN_THING = u(
  `^(?:(?:all |each of |any of )?your (?:[\\p{L}-]+ ){0,2}(?:${SPEECH.pattern}|${WORK.pattern})|(?:every|each|all|any) (?:of your )?(?:new |future |single )?(?:[\\p{L}-]+ )?(?:${SPEECH.pattern}|reply|commit|pr|pull request|branch|plan|draft|review|table|list|diff)s?)(?: to \\p{L}+| for \\p{L}+| you \\p{L}+)? (?:should|must|need to|needs to|have to|has to|ought to|shall)(?: always| also| all| only)?( not| never| no longer)? (?=[\\p{L}])`,
);
const LENGTH = u(
  `^be ${GRADED}(?:(less|more) ([\\p{L}-]+)|(?:half as long|at most|no longer than|no more than|under \\d|max|short|brief|concise|shorter|briefer)|(${[...GROWING.keys()].join("|")}))(?![\\p{L}])`,
);
const CALL_ME =
  /^(?:call|address) me (?!(?:when|if|at|later|tomorrow|back|on|after|once|as soon|today|tonight|in|for|asap|now|please|a|whenever|before|by phone|crazy|old)\b)/;
const ADDRESS_AS =
  /^(?:(?:address|refer to|call) me (?:as|by)|use (?:my|the) (?:first |last |full )?(?:name|pronouns?)|use (?:they|she|he)\/(?:them|her|him))\b/;
const LANGUAGE =
  /^(?:answer|reply|respond|speak|talk|write|communicate|chat|converse|message)(?: to| with)?(?: me| us)?(?: back)?(?: only)? (?:in|only in|using) (?:proper |simple |plain |formal |british |american |us |uk |informal |simplified |full |complete |lower ?case |upper ?case )*(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|ukrainian|turkish|arabic|hebrew|hindi|japanese|chinese|mandarin|korean|swedish|norwegian|danish|finnish|czech|greek|hungarian|romanian|vietnamese|thai|indonesian|text|markdown|sentences?|bullet points?|prose|html|json|paragraphs?|lower ?case)\b/;
const WANTS_THING =
  /^(?:i|we)(?:'d| would)? ?(?:really |also |just |always |only |generally |usually ){0,2}(?:like|want|need|prefer|expect|love|appreciate)(?: to (?:see|have|get|read|be \w+ed))? (?=(?:a|an|the|your|my|every|each|all|only|one|short|plain|[\p{L}-]+)\b)/u;
const PREFERS =
  /^(?:i|we)(?:'d| would)? ?(?:really |much |usually |generally |always |strongly ){0,2}(?:prefer|favou?r|would rather have) (?!you\b|to\b|it\b|that\b|this\b|the\b|when\b|if\b)(?=[^,.]{2,80}? (?:over|to|instead of|rather than)\b)/;
const WHEN =
  /^(?:(?:and|but|also|so|please|ok|hey|next time|in future|from now on)[\s,]+)*((?:whenever|when|every time|each time|any ?time|before|after|once|while|if|unless|for (?:every|each|all|any)|in (?:every|each|all)|on (?:every|each|all))\b[^,]{2,100}?)(?:, ?(?=[\p{L}])| (?=(?:just|please|then) \p{L})|(?<=^when in doubt|^if in doubt|^if unsure|^when unsure) (?=\p{L}))/u;
const RECURRING =
  /^(?:whenever|every time|each time|any ?time|for (?:every|each|all|any)|in (?:every|each|all)|on (?:every|each|all))\b/;
const AGENT_DOES =
  /^(?:when|before|after|once|while|if|unless) (?:you(?:'re| are)? |making |starting |changing |editing |writing |reporting |[\p{L}]+ing |in doubt|unsure|something |anything |i ask |a |an |there(?:'s| is| are) )/u;
/** Of whichever there is: `when you quote a book`. */
const ANY_ONE = /^(?:when|before|if|after) (?:you|i) [\p{L}]+ (?:an?|something|anything|any|some) /u;
const ONE_OFF =
  /^(?:when|once|after|if|before) (?:you(?:'re| are|'ve| have)? (?:done|finished|ready|back|finish(?: it| that| this| the\b)?|get a chance|have time|can(?!')|get to it|want|like)|it's|that's|this|that|the)\b/;
const NO_VERB =
  /^(?:i|you|we|he|she|it|they|the|a|an|my|your|our|this|that|these|those|there|here|what|who|and|or|but|if|is|are|was|were|in|on|at|for|with|by|of|from|as|so|because|no|not|yes|sure|very|too|all|some|many|much|more|less|maybe|still|again|already|before|after|unless|while|once|(?:when|whenever)\b(?=[^,]*,)|works|thanks|same|good|bad|great|it's|that's|i'm|i've|you're|we're|there's|nope|hello|every|each|any|one|two|both|most|nobody|nothing|everything|something|users|people|(?!(?:only|reply|apply|rely|supply|multiply|embed|feed|proceed|speed|need)\b)[\p{L}]+(?:ness|ly|ed|ity))\b|^(?:i|you|we|he|she|it|they)'/u;

/** `Tom always runs the tests`, `Max to send the slides`: somebody else does. */
const TELLS =
  /^[\p{L}-]+ (?:(?:always|never|often|usually|also|only|rarely) [\p{L}]+s\b|to (?!me\b|us\b|the\b|my\b|your\b|people\b|customers\b|clients\b|users\b|all\b|one\b|a\b|an\b)\p{L}+ (?:the|a|an|it|me|my)\b)/u;

/** What is to be done from now on: `always run the tests`, `I want you to use …`, `your answers should …`. */
export function readStart(clause: Clause, sentence: Sentence): Wish | undefined {
  if (clause.negative) return undefined;
  return (
    readOwnThing(clause, sentence) ??
    readNaming(clause, sentence) ??
    readWanted(clause, sentence) ??
    readDo(clause, sentence)
  );
}

/** `when you delete something, ask first`: what stands before the comma is part of it. */
export function readWhen(sentence: Sentence): Wish | undefined {
  const found = WHEN.exec(sentence.folded.text);
  const condition = found?.[1];
  if (found === null || condition === undefined) return undefined;
  const recurring = RECURRING.test(condition);
  if (!recurring && (!AGENT_DOES.test(condition) || ONE_OFF.test(condition))) return undefined;
  const clause = openClause(sentence.folded, found[0].length);
  const rest = restOf(clause);
  const weight = weighImperative(clause, sentence.markers) + (recurring || ANY_ONE.test(condition) ? 2 : 1.5);
  if (NO_VERB.test(rest) || rest === "" || weight < LASTS.positive) return undefined;
  const strength = recurring || clause.absolute || sentence.markers.standing ? STRENGTH.standing : STRENGTH.wished;
  const start = found[0].indexOf(condition);
  const when = sentence.folded.cut(start, start + condition.length).trim();
  const what = clause.negative ? verbAndRest(clause, "gerund") : verbAndRest(clause, "base");
  return what === undefined
    ? undefined
    : {
        type: clause.negative ? "stop" : "start",
        text: `${tidyText(what)} ${when.charAt(0).toLowerCase()}${when.slice(1)}`,
        strength,
      };
}

function readOwnThing(clause: Clause, { markers }: Sentence): Wish | undefined {
  const rest = restOf(clause);
  const found = OWN_THING.exec(rest);
  if (found === null || /\byour (?:competitor|company|team|users?)/.test(found[0])) return undefined;
  const strength = markers.standing || clause.absolute ? STRENGTH.standing : STRENGTH.direct;
  const length = LENGTH.exec(rest.slice(found[0].length));
  if (length !== null && found[1] === undefined) {
    const thing = found[0]
      .replace(/ (?:should|must|need to|needs to|have to|has to|ought to|shall)\b.*$/, "")
      .replace(/^(?:all |each of |any of )?your /, "");
    const grown = length[3];
    const type = length[1] === "more" || grown !== undefined ? "more" : "less";
    return { type, text: tidyText(`${length[2] ?? GROWING.get(grown ?? "") ?? "long"} ${thing}`), strength };
  }
  return {
    type: found[1] === undefined ? "start" : "stop",
    text: tidyText(cutAfter(clause, 0).replace(/ (?:not|never|no longer) /i, found[1] === undefined ? "$&" : " ")),
    strength,
  };
}

function readNaming(clause: Clause, { markers }: Sentence): Wish | undefined {
  const rest = restOf(clause);
  if (!CALL_ME.test(rest) && !ADDRESS_AS.test(rest) && !LANGUAGE.test(rest)) return undefined;
  if (markers.once && !markers.standing) return undefined;
  const lasting = markers.standing || markers.repeated || clause.absolute;
  const strength = lasting ? STRENGTH.standing : STRENGTH.wished;
  return { type: "start", text: tidyText(cutAfter(clause, 0)), strength };
}

function readWanted(clause: Clause, { markers }: Sentence): Wish | undefined {
  const rest = restOf(clause);
  const prefers = PREFERS.exec(rest);
  if (prefers !== null)
    return { type: "start", text: tidyText(cutAfter(clause, prefers[0].length)), strength: STRENGTH.complaint };
  const way =
    /^(?:i|we)(?:'d| would)? ?(?:really |much |generally |usually )?prefer (?!you\b|to\b|that\b|this\b|it\b|these\b)(?:the )?(?=(.{2,40}))/.exec(
      rest,
    );
  if (
    way?.[1] !== undefined &&
    !markers.once &&
    (CONVENTION.in(wordsIn(way[1])) || MANNERS.in(wordsIn(way[1]))) &&
    !/\b(?:first|second|third|last|other|new|old)\b/.test(way[1])
  )
    return { type: "start", text: tidyText(`use ${cutAfter(clause, way[0].length)}`), strength: STRENGTH.complaint };
  const always =
    /^i (?:always|only|usually|generally) (?:want|prefer) (?:to (?:have|get|see|be) )?(?=(?:an?|my|the|[\p{L}-]+)\b)(?!you\b|to\b)/u.exec(
      clause.folded.text.slice(clause.lead),
    );
  if (always !== null && !markers.once)
    return {
      type: "start",
      text: tidyText(clause.folded.cut(clause.lead + always[0].length)),
      strength: STRENGTH.wished,
    };
  const wants = WANTS_THING.exec(rest);
  if (wants === null || markers.once) return undefined;
  const said = rest.slice(wants[0].length);
  const lasting =
    markers.standing ||
    markers.repeated ||
    clause.absolute ||
    /\b(?:in|at the (?:top|end|bottom|start|beginning) of|for|with|on) (?:every|each|all|any|your|everything|anything)\b|\bbefore (?:anything|you|any|every|each)\b/.test(
      said,
    );
  if (
    !lasting ||
    !(namesBehavior(said, 6) || namesWork(said, 6) || CONVENTION.in(wordsIn(said).slice(0, 4))) ||
    /^(?:you|to)\b/.test(said)
  )
    return undefined;
  return {
    type: "start",
    text: tidyText(cutAfter(clause, wants[0].length)),
    strength: markers.standing ? STRENGTH.standing : STRENGTH.wished,
  };
}

/** `questions, …`: no verb has this form. */
function isNoun(rest: string): boolean {
  const word = /^[\p{L}-]+s(?![\p{L}])/u.exec(rest)?.[0];
  return word !== undefined && SPEECH.in([word]);
}

/** It has a subject: `customer names must never …`. */
function isStatement(rest: string): boolean {
  const words = rest.split(/[,:;(]/, 1)[0]?.match(/[\p{L}\p{N}']+/gu) ?? [];
  for (const word of words.slice(1, 6)) {
    if (JOINS.has(word)) return false;
    if (FINITE.has(word)) return true;
  }
  return false;
}

const FINITE: ReadonlySet<string> = new Set(
  "must should is are was were has had needs can will does did isn't aren't doesn't didn't mustn't shouldn't won't can't".split(
    " ",
  ),
);
const JOINS: ReadonlySet<string> = new Set(
  "that which who whom whose when what whatever how if where why whether you i we it they before after until unless and or because while as than everything anything something".split(
    " ",
  ),
);

function readDo(clause: Clause, { markers }: Sentence): Wish | undefined {
  const rest = restOf(clause);
  if (clause.how === "ensured" && markers.standing && /^(?:it|they|everything|nothing|all)\b/.test(rest))
    return { type: "start", text: tidyText(`make sure ${cutAfter(clause, 0)}`), strength: STRENGTH.standing };
  if (
    rest === "" ||
    TELLS.test(rest) ||
    isNoun(rest) ||
    isStatement(rest) ||
    (NO_VERB.test(rest) && !(clause.how === "wish" && /^[\p{L}]+ed\b/u.test(rest))) ||
    !/^[\p{L}'-]{2,}/u.test(rest)
  )
    return undefined;
  if (
    /^(?:stop|quit|keep|continue|be|have|has|do|does|can|could|would|will|should|may|must|let|know|think|get|see|seem)\b/.test(
      rest,
    ) &&
    !/^(?:keep (?:me|track|a|an|the|in mind)|get (?:my|an?|approval|confirmation)|have (?:someone|somebody|a colleague)|do (?:a|an|one)|be (?:\p{L}+)|let me know)\b/u.test(
      rest,
    )
  )
    return undefined;
  const weight = weighImperative(clause, markers);
  if (weight < LASTS.positive) return undefined;
  const lasting = markers.standing || markers.repeated || clause.absolute || clause.how === "told";
  const text = rest.startsWith("only ") ? cutAfter(clause, 0) : verbAndRest(clause, "base");
  if (text === undefined) return undefined;
  const strength = lasting ? STRENGTH.standing : weight >= 2 ? STRENGTH.wished : STRENGTH.complaint;
  return { type: "start", text: tidyText(text), strength };
}
