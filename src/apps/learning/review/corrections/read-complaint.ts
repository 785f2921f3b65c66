import { gerundOf, presentOf, tidyText } from "./directive-text.ts";
import { GRADED, LACKING, SPEECH, STYLE_VERBS, TALK_VERBS, WORK } from "./vocabulary.ts";
import { firstWords, namesBehavior, namesWork, type Sentence, STRENGTH, type Wish } from "./wish.ts";

const u = (pattern: string): RegExp => new RegExp(pattern, "u");
const OPEN =
  "(?:(?:and|but|also|so|ok|okay|hey|well|ugh|argh|honestly|sorry|btw|again|thanks|hmm|works|great|fine|good|seriously|oh|man|yeah|nice|cool|look|please|to be honest|tbh|imo|i think|i feel like|i feel|i find(?: that)?|it seems(?: like)?|i must say|overall|in general|generally|personally|frankly|you know)[\\s,:.!]*){0,4}";
const ADVERBS =
  "(?:really |honestly |also |just |always |still |do |kind of |kinda |absolutely |so |often |sometimes |usually |generally |definitely |simply |actually ){0,3}";
const COPULA =
  "(?:is|are|was|were|'s|'re|get|gets|got|seem|seems|look|looks|feel|feels|sound|sounds|come across as|comes across as|have been|has been|tend to be|can be|end up)";
const TOO = "(?:too|overly|excessively|unnecessarily|needlessly|ridiculously|insanely|absurdly)";
const THING = `(?:(?:all )?your [\\p{L} /-]{1,40}?|(?:the|these|those|that|this|most of the)(?: last| first| \\p{L}+)? ${SPEECH.pattern}(?: you \\p{L}+| from you| in your \\p{L}+)?|${SPEECH.pattern})`;

const TOO_THING = u(`^${OPEN}(${THING})(?: ${COPULA}|(?<=^i find.*)) (?:being )?${GRADED}${TOO} ([\\p{L}-]+)`);
const TOO_YOU = u(
  `^${OPEN}you(?:'re| are|'ve been| have been| were| sound| seem| come across as| tend to be| can be| get)(?: being)? ${GRADED}${TOO} ([\\p{L}-]+)`,
);
const TOO_THAT = u(
  `^${OPEN}(?:(?:that|that one|this)(?:'s| was| is) ${GRADED}|(?:a bit |a little |way |far |much )?(?=too \\p{L}+ for me\\b))${TOO} (long|verbose|wordy|short|terse|detailed|technical|complicated|formal|vague|chatty|informal|casual|brief)(?![\\p{L}-])`,
);
const TOO_MANY = u(
  `^${OPEN}(?:(?:that|this|it|these|those)(?:'s| was| is| were| are) |there (?:is|are|was|were) |there's |i(?:'m| am)? ?(?:get|getting|got|receive|see|keep getting) |you(?:'re| are)? ${ADVERBS}(?:use|using|give|giving|send|sending|ask|asking|add|adding|write|writing|include|including|put|putting|make|making|post|posting|have|insert|create|offer|throw in|leave) (?:me |us |in )?|(?:your|the) [\\p{L} ]{1,30} (?:have|has|contain|contains|include) )?${GRADED}(?:too|so) (many|much) (?=[\\p{L}])`,
);
const YOU_TOO_MANY = u(
  `^${OPEN}you(?:'re| are)? ${ADVERBS}(?!(?:have|had|got|are|were|need|see|get|want|find|know)\\b)([\\p{L}-]+)((?: me| us| in)?) ${GRADED}too (?:many|much) (?=[\\p{L}])`,
);
const MORE_THAN = u(
  `^${OPEN}(${THING}) ${COPULA} (?:often |always |usually |far |much |way )?more ([\\p{L}-]+) than (?:necessary|needed|required|i (?:need|want|like)|they (?:need|have|should)|it (?:needs|has|should))`,
);
const FORGOT_THING = u(
  `^${OPEN}you(?:'ve| have)? (?:again |once again |yet again )?(?:forgot|forgotten|left out|omitted|missed|skipped) ((?!to\\b|about\\b|it\\b|that\\b)[^,.]{3,50}?)(?<=\\p{L})(?: again| once more| once again)(?![\\p{L}])`,
);
const YOU_TOO_MUCH = u(
  `^${OPEN}you ${ADVERBS}([\\p{L}-]+)((?: [\\p{L}]+){0,4}?) ${GRADED}too (?:much|often|frequently|a lot)(?![\\p{L}])`,
);
const OVER = u(
  `^${OPEN}you(?:'re| are)? ${ADVERBS}(over[- ]?(?:explain|complicate|engineer|think|apologi[sz]e|do|use|react|comment|format|share|promise|analy[sz]e|simplify)\\p{L}*)`,
);
const EXCESS =
  "(?:wordy|verbose|long-winded|chatty|repetitive|noisy|pushy|patroni[sz]ing|condescending|flowery|salesy|bloated|rambling|over the top|excessive|overwhelming|preachy|long|cluttered|overkill|much)";
const EXCESSIVE = u(
  `^${OPEN}(${THING})(?: ${COPULA}|(?<=^i find.*)) (?:a bit|a little|a tad|quite|rather|very|so|really|pretty|kind of|kinda|somewhat|way|getting|extremely|a little bit)? ?(?:on the )?(${EXCESS})(?![\\p{L}-])`,
);
const YOU_EXCESS = u(
  `^${OPEN}you(?:'re| are| sound| seem|'ve been| have been| get| come across as| tend to be| can be) (?:(?:being|getting|a|bit|little|so|very|really|quite|pretty|kind|of|kinda|rather|way|extremely|often|sometimes) ){0,4}(${EXCESS})(?![\\p{L}-])`,
);
const NOT_ENOUGH = u(
  `^${OPEN}(?:there (?:is|are|was|were|'s) )?(?:not|isn't|aren't|wasn't|weren't) (?:nearly |quite )?enough (?=[\\p{L}])`,
);
const THING_NOT_ENOUGH = u(
  `^${OPEN}(${THING}) (?:${COPULA} not|isn't|aren't|wasn't|weren't|don't seem|not) ${GRADED}([\\p{L}-]+) enough(?![\\p{L}])`,
);
const THING_LACKS = u(
  `^${OPEN}${THING} (?:lack|lacks|need|needs|could use|are missing|is missing) ${GRADED}(?:more )?(?=[\\p{L}])`,
);
const YOU_NOT_ENOUGH = u(
  `^${OPEN}you (?:don't|do not|never|rarely|hardly) ([\\p{L}-]+)((?: [\\p{L}]+){0,4}?) (?:often |nearly |much )?enough(?![\\p{L}])`,
);

const BAD =
  "(?:hate|dislike|can't stand|cannot stand|don't like|do not like|don't love|don't appreciate|do not appreciate|don't enjoy|'m not (?:a (?:big |huge |great )?fan of|fond of|keen on|into)|am not (?:a (?:big |huge |great )?fan of|fond of|keen on|into)|can't deal with|detest|despise|mind|resent)";
const HATE_DOING = u(
  `^${OPEN}(?:i ${ADVERBS}${BAD}(?: it)?(?: when| that| how| the way| the fact that| if)? you(?: always| constantly| just| keep)?|it(?:'s| is| really| just| kind of| kinda)* ?(?:annoy(?:s|ing)|bother(?:s|ing)|bug(?:s|ging)|irritat(?:es|ing)|distract(?:s|ing)|confus(?:es|ing)|frustrat(?:es|ing)|drives me (?:crazy|nuts|mad)|unhelpful|not helpful|bad|rude|weird|off-putting|a pain)(?: me| for me)?(?: a lot| a bit)? (?:when|that|if|how|to me when) you(?: always| constantly| just| keep)?) (?=([\\p{L}-]+))`,
);
const HATE_THING = u(
  `^${OPEN}i ?${ADVERBS}(?:${BAD}|can do without|could do without|can live without|(?:'m|am) (?:so |really |getting )?(?:tired|sick|fed up|done|bored)(?: and tired)? (?:of|with|by))(?: all)?(?: (?:the|your|these|those|this|that|seeing|reading|getting|having to read))* (?=([\\p{L}-]+))`,
);
const TIRED = u(
  `^${OPEN}i(?:'m| am) (?:so |really |getting |a bit )?(?:tired|sick|fed up|done|annoyed|bored)(?: and tired)? (?:of|with|by|that)(?: you| your)?(?: always| constantly)? (?=([\\p{L}-]+ing)(?![\\p{L}]))`,
);
const DONT_WANT_DOING = u(
  `^${OPEN}i ${ADVERBS}(?:don't|do not|never) ${ADVERBS}(?:want|need|like|expect|ask|asked) you (?:to )?(?:keep |always |ever )?(?=([\\p{L}-]+))`,
);
const DONT_WANT = u(
  `^${OPEN}(?:i|we) ${ADVERBS}(?:don't|do not|never|no longer) ${ADVERBS}(?:need|want|care for|care about|read|asked for|ask for)(?: to (?:see|read|hear|get|know|have|be [\\p{L}]+ed(?: about| of| on)?|be told(?: about| of)?))?(?: (?:a|an|any|any more|more|the|your|all|all the|all of the|those|these|another|such))* (?=[\\p{L}\\ue000])`,
);
const KEEPS = u(
  `^${OPEN}(?:why (?:do|must|are) )?you(?:'re| are)? ${ADVERBS}(?:keep(?: on)?|kept|insist on|constantly|never stop|continue) (?:always )?(?=([\\p{L}-]+ing)(?![\\p{L}]))`,
);
const FORGETS = u(
  `^${OPEN}(?:you|u)(?:'ve| have)? (?:(?:keep|always|still|again|once again|constantly|just|yet again|often|also) ){0,2}(forget|forgetting|forgot|forgotten|fail|failed|neglect|neglected|omit)(?: again)? to (?=([\\p{L}-]+))`,
);
const UNNEEDED = u(
  `^${OPEN}(?:all )?(?:the|your|these|those|such)? ?((?:[\\p{L}-]+ ){0,3}?${SPEECH.pattern}[^,.]{0,60}?) (?:is|are|was|were) (?:really |totally |completely |just |quite |absolutely )?(?:unnecessary|not necessary|not needed|unneeded|redundant|pointless|useless|annoying|distracting|superfluous|not helpful|unhelpful|not required|not welcome|irritating|overkill)(?![\\p{L}])`,
);
const AGAIN_WITH = u(
  `^${OPEN}(?:again with|what's with|what is with|enough with|there you go again with|what did i (?:say|tell you) about) (?:all )?(?:the|your|those|these)? ?(?=[\\p{L}])`,
);
const SHOULD_HAVE = u(`^${OPEN}you (?:should|could|must) (?:really )?have ([\\p{L}-]+)`);
const THE_WAY = u(
  `^${OPEN}the way you (?:always |keep )?([\\p{L}-]+)([^,]{0,80}?) (?:is|are|feels|gets) (?:really |so |just |totally |a bit |way |too )*(?:overkill|annoying|too much|confusing|unhelpful|distracting|exhausting|irritating|patroni[sz]ing|unnecessary|on my nerves)(?![\\p{L}])`,
);
const WALL = u(
  `^${OPEN}(?:that's|that is|this is|that was) (?:such |quite |just |another )?(?:a|another) (?:(?:huge|big|giant|massive) )?(?:wall of text|novel|essay)(?![\\p{L}])`,
);
const WISH_WERE = /^i (?:just |really )?wish (?:you|your)/;

const YOU_USE =
  /\byou(?:'re)? .*?(?:use|using|write|writing|add|adding|ask|asking|make|making|insert|include|put|throw in)\b.* too (?:many|much) $/;

/** What a person complains of, without asking for anything: `your replies are too long`, `I hate it when you …`. */
export function readComplaint({ folded, markers }: Sentence): Wish | undefined {
  const text = folded.text;
  if (WISH_WERE.test(text)) return undefined;
  const strength = markers.standing || markers.repeated ? STRENGTH.standing : STRENGTH.complaint;
  return (
    readDoing(text, folded.cut, strength) ??
    (markers.once && !markers.repeated ? undefined : readTooMuch(text, folded.cut, strength))
  );
}

/** Of what is long there may be less. */
const LONG = /^(?:very |so |overly |extremely |such )?(?:long|lengthy|verbose|wordy|endless)\b/;

type Cut = (from: number, to?: number) => string;

function readDoing(text: string, cut: Cut, strength: number): Wish | undefined {
  for (const found of [TIRED, KEEPS, DONT_WANT_DOING, HATE_DOING]) {
    const match = found.exec(text);
    const verb = match?.[1];
    if (
      match === null ||
      verb === undefined ||
      /^(?:can|could|are|were|will|would|have|had|got|worrying|going|think|mean|stop)$/.test(verb)
    )
      continue;
    const forgets = FORGETS.exec(text);
    if (forgets !== null) break;
    const doing = `${gerundOf(verb)}${cut(match[0].length + verb.length)}`;
    const less = /\bso (?:much|many|often)\b|\btoo (?:much|many|often)\b/.test(text);
    return { type: less ? "less" : "stop", text: tidyText(doing), strength };
  }
  const forgets = FORGETS.exec(text);
  if (forgets !== null && /\b(?:again|always|keep|still|every time|constantly|often|yet again)\b/.test(text)) {
    return { type: "start", text: tidyText(cut(forgets[0].length)), strength };
  }
  const left = FORGOT_THING.exec(text)?.[1];
  if (left !== undefined) return { type: "start", text: tidyText(`include ${left.replace(/^my /, "")}`), strength };
  const should = SHOULD_HAVE.exec(text);
  if (should !== null && /\b(?:first|before|instead|me)\b/.test(text)) {
    const verb = should[1] ?? "";
    return {
      type: "start",
      text: tidyText(`${presentOf(verb)}${cut(should[0].length)}`),
      strength: /\b(?:first|before)\b/.test(text) ? STRENGTH.complaint : STRENGTH.unsure,
    };
  }
  for (const found of [AGAIN_WITH, DONT_WANT, HATE_THING]) {
    const match = found.exec(text);
    if (match === null) continue;
    const rest = text.slice(match[0].length);
    const much = /^(?:so|that|this|too) (?:much|many) |^(?:every|each) (?:single |little )?details?\b/.test(rest);
    if (
      !namesBehavior(rest, 5) &&
      !(found === HATE_THING && !/\b(?:the|this|that|these|those) $/.test(match[0]) && namesWork(rest, 3)) &&
      !(
        found === DONT_WANT &&
        /\b(?:never|any more|another)\b/.test(match[0]) &&
        /\b(?:see|read|hear|get)\b/.test(match[0])
      ) &&
      !/^[\p{L}\ue000 -]{2,40} in (?:the chat|chat|your \p{L}+|my inbox)\b/u.test(rest) &&
      !/\b(?:every|each) (?:reply|answer|message|response|time)\b|\beverything\b|^(?:every|each)\b|\byou (?:use|add|write|send|put)\b/.test(
        rest,
      )
    )
      continue;
    return { type: much || LONG.test(rest) ? "less" : "stop", text: tidyText(cut(match[0].length)), strength };
  }
  const way = THE_WAY.exec(text);
  if (way?.[1] !== undefined) return { type: "stop", text: tidyText(`${gerundOf(way[1])}${way[2] ?? ""}`), strength };
  const unneeded = UNNEEDED.exec(text);
  if (unneeded === null) return undefined;
  return { type: "stop", text: tidyText(unneeded[1] ?? ""), strength: STRENGTH.complaint };
}

function readTooMuch(text: string, cut: Cut, strength: number): Wish | undefined {
  const many = TOO_MANY.exec(text);
  if (
    many !== null &&
    (namesBehavior(text.slice(many[0].length), 4) || YOU_USE.test(many[0])) &&
    (/\btoo (?:many|much)/.test(many[0]) || /\byou\b/.test(many[0])) &&
    (!/\bthe [\p{L} ]+ (?:ha|con|in)/u.test(many[0]) || /\byou\b/.test(text))
  ) {
    return { type: "less", text: tidyText(cut(many[0].length)), strength };
  }
  const tooMany = YOU_TOO_MANY.exec(text);
  if (tooMany?.[1] !== undefined)
    return {
      type: "less",
      text: tidyText(`${gerundOf(tooMany[1])}${tooMany[2] ?? ""} ${cut(tooMany[0].length)}`),
      strength,
    };
  const than = MORE_THAN.exec(text);
  if (than !== null && isAgents(than[1] ?? "")) return tooAdjective(than[2] ?? "", than[1] ?? "", strength);
  const over = OVER.exec(text);
  if (over !== null)
    return {
      type: "less",
      text: tidyText(`${gerundOf((over[1] ?? "").replace(/(?<!ing)s$/, ""))}${cut(over[0].length)}`),
      strength,
    };
  const muchOf = YOU_TOO_MUCH.exec(text);
  if (
    muchOf !== null &&
    (TALK_VERBS.opens([muchOf[1] ?? ""]) ||
      STYLE_VERBS.opens([muchOf[1] ?? ""]) ||
      /^(?:log|commit|comment|refactor|think|nest|abstract|cache|mock|test|type|change)$/.test(muchOf[1] ?? "") ||
      /\bme\b/.test(muchOf[2] ?? ""))
  ) {
    return { type: "less", text: tidyText(`${gerundOf(muchOf[1] ?? "")}${muchOf[2] ?? ""}`), strength };
  }
  const thing = TOO_THING.exec(text);
  if (thing !== null && isAgents(thing[1] ?? "")) return tooAdjective(thing[2] ?? "", thing[1] ?? "", strength);
  const you = TOO_YOU.exec(text);
  if (you !== null) return tooYou(you[1] ?? "", cut(you[0].length), strength);
  const that = TOO_THAT.exec(text);
  if (that !== null) return tooAdjective(that[1] ?? "", "answers", STRENGTH.complaint);
  if (WALL.test(text)) return { type: "less", text: "long answers", strength };
  const excess = EXCESSIVE.exec(text);
  if (
    excess !== null &&
    (isAgents(excess[1] ?? "") || (/^(?:all )?your /.test(excess[1] ?? "") && !OTHERS.test(excess[1] ?? ""))) &&
    !/\blong enough\b/.test(text)
  )
    return tooAdjective(excess[2] ?? "", excess[1] ?? "", strength);
  const yours = YOU_EXCESS.exec(text);
  if (yours !== null) return tooYou(yours[1] ?? "", cut(yours[0].length), strength);
  return readTooLittle(text, cut, strength);
}

function readTooLittle(text: string, cut: Cut, strength: number): Wish | undefined {
  const none = NOT_ENOUGH.exec(text);
  if (none !== null && namesBehavior(text.slice(none[0].length), 4))
    return { type: "more", text: tidyText(cut(none[0].length)), strength };
  const thing = THING_NOT_ENOUGH.exec(text);
  if (thing !== null && isAgents(thing[1] ?? ""))
    return { type: "more", text: tidyText(`${thing[2]} ${bare(thing[1] ?? "")}`), strength };
  const lacks = THING_LACKS.exec(text);
  if (lacks !== null && /\byour\b/.test(lacks[0]) && !/^(?:to|a) /.test(text.slice(lacks[0].length))) {
    const where = /\byour ([\p{L} -]+?) (?:lack|need|could|are|is)/u.exec(lacks[0])?.[1] ?? "answers";
    return { type: "more", text: tidyText(`${firstWords(cut(lacks[0].length), 6)} in ${where}`), strength };
  }
  const you = YOU_NOT_ENOUGH.exec(text);
  return you === null
    ? undefined
    : { type: "more", text: tidyText(`${gerundOf(you[1] ?? "")}${you[2] ?? ""}`), strength };
}

const AGENTS = u(
  `(?:^|\\s)your (?:own )?(?:[\\p{L}-]+ ){0,2}(?:${SPEECH.pattern}|${WORK.pattern})|(?:^|\\s)${SPEECH.pattern}(?:$|\\s)`,
);
/** Of somebody or something else. */
const OTHERS =
  /\b(?:competitor|company|team|website|api|product|app|service|boss|users?|customers?|docs|documentation)\b/;

function isAgents(thing: string): boolean {
  return (
    AGENTS.test(thing) &&
    !OTHERS.test(thing) &&
    (!/^(?:the|this|that) /.test(thing) ||
      /s$|\byou\b|\b(?:answer|reply|response|explanation|message|greeting|preamble|sign-?off|tone|wording|formatting|jargon|noise|detail|last|previous)\b/.test(
        thing,
      )) &&
    !/^(?:the|this|that) (?:error|log|commit|email|mail|post|intro|introduction|paragraph|headline|heading|comment|link|note|option|example|alert|question|quote|joke|lecture)/.test(
      thing,
    )
  );
}

function bare(thing: string): string {
  return thing
    .replace(/^(?:all )?(?:your|the|these|those|that|this|most of the)(?: last)? /, "")
    .replace(/ (?:you \p{L}+|from you)$/u, "");
}

function tooAdjective(adjective: string, thing: string, strength: number): Wish | undefined {
  if (/^(?:many|much|late|good|close|early)$/.test(adjective) && adjective !== "much") return undefined;
  const lacking = LACKING.get(adjective);
  if (lacking !== undefined) return { type: "more", text: tidyText(`${lacking} ${bare(thing)}`), strength };
  return { type: "less", text: tidyText(`${adjective === "much" ? "" : `${adjective} `}${bare(thing)}`), strength };
}

function tooYou(adjective: string, rest: string, strength: number): Wish | undefined {
  if (/^(?:kind|good|late|early|sweet|funny|nice|smart|clever|right)$/.test(adjective)) return undefined;
  const lacking = LACKING.get(adjective);
  return {
    type: lacking === undefined ? "less" : "more",
    text: tidyText(`being ${lacking ?? adjective}${rest}`),
    strength,
  };
}
