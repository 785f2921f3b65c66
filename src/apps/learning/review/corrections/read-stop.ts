import { type Clause, cutAfter, restOf, verbAndRest } from "./clause.ts";
import { tidyText } from "./directive-text.ts";
import { wordsIn } from "./phrases.ts";
import { MANNERS } from "./vocabulary.ts";
import { LASTS, weighImperative } from "./weigh-imperative.ts";
import { firstWords, namesBehavior, namesWork, type Sentence, STRENGTH, type Wish } from "./wish.ts";

const NO_DOING =
  /^(?:string|thing|everything|nothing|anything|something|king|morning|evening|building|meeting|spring|timing|ping|ceiling|bring|billing|listing|pricing|wing|ring)s?$/;
const DOING =
  /^(?:stop|quit|cease|leave off|lay off|knock off|cut out|give up|enough (?:of|with)|cut it out with|knock it off with|no more):?(?: it)?(?: with)?(?: all)?(?: (?:your|me))?(?: (?:constantly|always|just|randomly|automatically|even|ever))? (?=([\p{L}-]+ing)(?![\p{L}]))/u;
const THING =
  /^(stop|quit|enough|cut(?! (?:down|back|off)\b)|drop|ditch|lose|skip|spare me|leave out|leave off|omit|cut out|knock off|lay off|get rid of|cut it out|knock it off|again|save|forget|leave)(?: it)?(?: already)?(?: (?:with|of|on))?(?: all)?(?: (?:the|your|those|these|that|any|this))? (?=[\p{L}\ue000])/u;
const OUT_OF =
  /^(?:keep|leave) (?:((?!the\b|this\b|that\b|it\b|me\b)[\p{L} -]{2,40}?) out of (?=your\b|it\b)|your ([\p{L} -]{2,40}?) (?:out of|away from|off) (?=\p{L}))/u;
const NONE = /^no (more )?(?:of (?:the|your|these|those) )?(?=[\p{L}\ue000])/u;
/** `leave my drafts alone`, `hands off the migrations`: what is not to be touched. */
const ALONE =
  /^leave ((?!(?:it|this|that|him|her|them|me)\b)[\p{L} '-]{3,50}?) (?:alone|untouched|in peace)(?![\p{L}])/u;
const AWAY =
  /^(?:(?:keep (?:your )?)?hands off|(?:stay|keep|steer) (?:away from|out of|off|clear of)|stay off|do not go near)(?: of)? (?=(?!(?:it|this|that|here|for|until|while|there|them)\b)\p{L})/u;
const KEPT_BACK =
  /^(?:save|keep) (?:the |your |all )((?:[\p{L}-]+ ){0,3}[\p{L}-]+) (?:for later|for yourself|to yourself)(?![\p{L}])/u;
const NO_PHRASE =
  /^no (?:more )?(?:problem|idea|worries|worry|thanks|thank|rush|need|clue|luck|way|doubt|matter|one|longer|reason|point|sense|errors?|changes?|tests?|time|hurry|pressure|big deal|offen[cs]e|questions?[.!]*$)\b/;
const SAYS = /\b(?:is|are|was|were|has|have|had|needed|left|found|yet|failed|works?|do|does|did|will|can)\b/;
const SO_MUCH =
  /\b(?:so (?:much|many|often|frequently|long)|that (?:much|many|often)|as (?:much|many|often)|too (?:much|many|often))\b/;

/** No more of it: `stop sending …`, `don't …`, `no emojis`. */
export function readStop(clause: Clause, { markers }: Sentence): Wish | undefined {
  const rest = restOf(clause);
  if (clause.negative) return readNegative(clause, { markers });
  const lasting = markers.standing || markers.repeated || clause.absolute || clause.how === "told";
  const strength = lasting ? STRENGTH.standing : STRENGTH.direct;
  const doing = DOING.exec(rest);
  if (doing !== null && !NO_DOING.test(doing[1] ?? "") && !/ all $/.test(doing[0])) {
    if (markers.once && !lasting) return undefined;
    const said = cutAfter(clause, doing[0].length);
    const specific =
      /^[\p{L}-]+ing (?:the|this|that|it)\b/u.test(rest.slice(doing[0].length)) &&
      !namesBehavior(rest.slice(doing[0].length));
    return {
      type: SO_MUCH.test(rest) ? "less" : "stop",
      text: tidyText(said),
      strength: specific && !lasting ? 0.6 : strength,
    };
  }
  const out = OUT_OF.exec(rest);
  const kept = out?.[1] ?? out?.[2];
  if (out !== null && kept !== undefined)
    return { type: "stop", text: tidyText(`${kept} in ${cutAfter(clause, out[0].length)}`), strength };
  const away = AWAY.exec(rest);
  const alone = ALONE.exec(rest);
  if ((away !== null || alone !== null) && (!markers.once || lasting)) {
    const what =
      alone === null ? cutAfter(clause, away?.[0].length ?? 0) : cutAfter(clause, 6).slice(0, alone[1]?.length);
    return {
      type: "stop",
      text: tidyText(`touching ${what}`),
      strength: lasting ? STRENGTH.standing : STRENGTH.wished,
    };
  }
  const back = KEPT_BACK.exec(rest);
  if (back?.[1] !== undefined) return { type: "stop", text: tidyText(back[1]), strength: STRENGTH.wished };
  const thing = THING.exec(rest);
  if (thing !== null) return readThing(clause, thing, { markers }, lasting);
  const none = NONE.exec(rest);
  if (none === null || NO_PHRASE.test(rest) || markers.once) return undefined;
  const said = rest.slice(none[0].length);
  if (SAYS.test(firstWords(said, 6))) return undefined;
  const noDoing = /^([\p{L}-]+ing) (?:[\p{L}-]+ )*[\p{L}-]/u.exec(said);
  if (
    noDoing !== null &&
    !NO_DOING.test(noDoing[1] ?? "") &&
    /^no (?:more )?[\p{L}-]+ing /u.test(rest) &&
    !/\d/.test(said)
  )
    return { type: "stop", text: tidyText(cutAfter(clause, none[0].length)), strength: STRENGTH.wished };
  const asked = (/\bplease\b/.test(clause.folded.text) || none[1] !== undefined) && isKind(said);
  if (
    !namesBehavior(said, 4) &&
    !lasting &&
    !asked &&
    !(isKind(said) && WHEN_YOU.test(said)) &&
    !inWork(said) &&
    !MANNERS.opens(wordsIn(said))
  )
    return undefined;
  return {
    type: "stop",
    text: tidyText(cutAfter(clause, none[0].length)),
    strength: lasting ? STRENGTH.standing : STRENGTH.wished,
  };
}

/** `console.log in production code`. */
function inWork(said: string): boolean {
  const place = /^\S+(?: \S+)? in (?!the\b|this\b|that\b|my\b|here\b)([\p{L} -]{3,30})/u.exec(said)?.[1];
  return place !== undefined && namesWork(place, 3);
}

const WHEN_YOU = /\b(?:when|whenever|while|if|before|unless) (?:you|i)\b|\bin your\b/;

/** Many of a kind, or a doing: `spoilers`, `speculative refactoring`; not `trailing comma in line 12`. */
function isKind(said: string): boolean {
  return (
    /^(?:[\p{L}-]+ ){0,2}[\p{L}-]{3,}(?:[^s]s|ing)(?![\p{L}])/u.test(said) && !/\d|\b(?:the|this|that)\b/.test(said)
  );
}

/** `drop the pleasantries`; `drop the table` is a task. */
function readThing(
  clause: Clause,
  thing: RegExpExecArray,
  { markers }: Pick<Sentence, "markers">,
  lasting: boolean,
): Wish | undefined {
  const rest = restOf(clause);
  const said = rest.slice(thing[0].length);
  if (/^(?:at|after|before|when|for|in|here|once|until|if)\b/.test(said)) return undefined;
  const sure = /^(?:enough|cut it out|knock it off|again|spare me)\b/.test(rest);
  if (
    !sure &&
    (!namesBehavior(said, 6) || markers.once || /^(?:first|second|third|last|next|\d)/.test(said)) &&
    !lasting
  )
    return undefined;
  if (/^(?:again|forget|save|leave)$/.test(thing[1] ?? "") && !/^(?:again|leave off) with/.test(rest)) return undefined;
  if (/^(?:cut|skip|omit|leave out|leave off|cut out|get rid of|lose)$/.test(thing[1] ?? "") && !lasting) {
    // Of a text that is being written it may be this once.
    const goesOn =
      firstWords(said, 20).split(" ").length > 4 && !/\b(?:when|whenever|in your|from your|unless)\b/.test(said);
    if (goesOn || /\b(?:in|from|of|by) (?:the|this|that|my)\b/.test(said)) return undefined;
  }
  const text = tidyText(cutAfter(clause, thing[0].length));
  return { type: "stop", text, strength: lasting ? STRENGTH.standing : STRENGTH.wished };
}

/** `not everything needs to be a list`. */
function readNotAll(clause: Clause): Wish | undefined {
  const found =
    /^(?:everything|every [\p{L}-]+|all [\p{L}-]+) (?:needs?|has|have|must) (?:to )?(?:be |have |get )?(?:an? )?(?=\p{L})/u.exec(
      restOf(clause),
    );
  return found === null || !namesBehavior(restOf(clause), 12)
    ? undefined
    : { type: "less", text: tidyText(cutAfter(clause, found[0].length)), strength: STRENGTH.complaint };
}

function readNegative(clause: Clause, { markers }: Pick<Sentence, "markers">): Wish | undefined {
  const rest = restOf(clause);
  if (
    rest === "" ||
    /^(?:stop|worry|bother|mind|know|think|care|understand|see|have|panic|rush|hurry|get me wrong|be (?:shy|afraid|sorry|late|surprised))\b/.test(
      rest,
    )
  )
    return undefined;
  if (/^be (?:so|too|that|overly|such an?) /.test(rest)) {
    return { type: "less", text: tidyText(cutAfter(clause, 3)), strength: STRENGTH.direct };
  }
  const reassures =
    (clause.weight < 0 && /^[\p{L}-]+ (?:anything|everything|it|that|this|them)(?: else)?[^\p{L}]*$/u.test(rest)) ||
    (clause.how === "should" &&
      /^(?:apologi[sz]e|thank|explain|rush|answer|reply|do (?:it|that|anything))[^\p{L}]*$/u.test(rest));
  // `not just the facts` is no do not.
  if (!clause.nominal && /^(?:the|an?|my|your|our|this|that|these|those|everything|every|all|only)\b/.test(rest))
    return readNotAll(clause);
  const weight =
    weighImperative(clause, markers) +
    (clause.how === "wish" ? 0.5 : 0) +
    (/\bso (?:many|much) /.test(rest) && namesBehavior(rest, 8) ? 1 : 0);
  if (reassures || weight < LASTS.negative) return undefined;
  const text = clause.nominal ? cutAfter(clause, 0) : verbAndRest(clause, "gerund");
  if (text === undefined) return undefined;
  const less = /\b(?:so|that|as|too) (?:much|many|often|frequently|long)\b|\ball the time\b|\bconstantly\b/.test(rest);
  const lasting = markers.standing || markers.repeated || clause.absolute || clause.how === "told";
  const strength = lasting ? STRENGTH.standing : weight >= 1.5 ? STRENGTH.direct : STRENGTH.complaint;
  return { type: less ? "less" : "stop", text: tidyText(text), strength };
}
