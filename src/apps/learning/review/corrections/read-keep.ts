import { gerundOf, presentOf, tidyText } from "./directive-text.ts";
import type { Folded } from "./fold-sentence.ts";
import { SPEECH, TALK_VERBS, WORK } from "./vocabulary.ts";
import { namesBehavior, type Sentence, STRENGTH, type Wish } from "./wish.ts";

const u = (pattern: string): RegExp => new RegExp(pattern, "u");
const OPEN =
  "(?:(?:and|but|also|so|ok|okay|hey|well|honestly|btw|thanks|thank you|hmm|great|fine|good|oh|yeah|yes|nice|cool|wow|perfect|please|awesome|excellent|really|just|from now on|going forward|haha|by the way|overall|i must say|tbh)[\\s,:.!]*){0,4}";
const ADVERBS =
  "(?:really |absolutely |do |just |also |kinda |actually |totally |particularly |especially |very much |so |quite |always |still |genuinely |truly ){0,3}";
const LIKES = `(?:(?:it's |it is |that's )?(?:really |so |super |very |pretty )?(?:great|helpful|nice|good|useful|awesome|handy|cool|lovely)(?= (?:that|how|when|to see that) you )|i'm (?:so |really |very )?(?:glad|happy|grateful|thankful|pleased)(?= (?:that |how |when )?you )|i ${ADVERBS}(?:love|like|liked|loved|appreciate|appreciated|enjoy|enjoyed|value|adore|dig)|(?:${ADVERBS})(?:love|loving|loved|liking|like|appreciate|digging)|i'm (?:a fan of|really liking|liking|loving|happy with)|big fan of)`;

/** Each time. */
const AGAIN = /\b(?:before|when|whenever|while|after) (?:you\b|\p{L}+ing\b|big\b)/u;
const TALKING = u(`^(?:${TALK_VERBS.all.map(gerundOf).join("|")})(?![\\p{L}])`);

/** To go on with a doing. */
const GO_ON = u(
  `^${OPEN}(?:keep(?: on)?|continue|carry on|go on|don't stop|do not stop|never stop|continue with) (?=(?:to )?([\\p{L}-]+))`,
);
const TASKS =
  /^(?:going|trying|looking|working|digging|waiting|running|testing|searching|investigating|moving|at|it|on|with|that|this|the|in|an|a|to|your|me|them|those|these|up|calm|track|monitoring|polling|pushing|processing|debugging|reading|coding|thinking)$/;
const KEEP_THAT = u(
  `^(?:${OPEN}|.*?[,.!] ?(?:please |pls |and |so |do )*)(?:keep (?:it|that|this|them|those|these|[\\p{L}]+ing (?:it|that|this|them|those|these|so)|doing (?:it|that|this|so|those|them|these)|on doing (?:it|that|this))(?: up| coming| like (?:this|that|it is|they are)| that way| this way| going| as (?:is|it is|they are)| exactly(?: like this)?)?|(?:don't|never|do not) (?:ever )?(?:change|stop)(?: that| this| it| them| a thing| those| doing (?:that|this|it))?|continue (?:to do|doing|with|like) (?:that|this|it|so|those|these)|do (?:that|this|it) (?:every time|always|again|from now on|more often|all the time)|always do (?:that|this|it)(?: please)?|more of (?:that|this|those|these|the same)|(?:please )?(?:stick|stay|go on|carry on|continue) (?:with|to) (?:that|this|it|them)|stay (?:that|this) way|stay like (?:that|this)|continue like (?:that|this))(?: please)?[\\s.!)❤️👍🙏]*$`,
);
const DONT_LOSE = u(
  `^${OPEN}(?:don't|do not|never) (?:ever )?(?:lose|give up|ditch|abandon) (?:the|your|that|those) (?=\\p{L})`,
);
const KEEP_UP = u(
  `^${OPEN}keep up (?:the|with the|with|your|those|these|this) (?!good work|great work|nice work|pace|awesome work|hard work|work|with me)(?=[\\p{L}])`,
);
const KEEP_THING = u(
  `^${OPEN}(?:keep|leave|stick (?:with|to)|retain|preserve) (?:the|your|those|these|this|that|using (?:the|this)) ((?:[\\p{L}-]+ ){0,3}(?:${SPEECH.pattern}|${WORK.pattern}|format|structure|layout|length|level))( (?:up|coming|as (?:is|it is|they are)|like (?:this|that|it is|they are)|that way|this way|exactly[^,.]*|going))?(?=\\s*(?:[,.!)]|$|please|for (?:the|every|each|all|my)|in (?:every|each|all|your)|with|towards?|when|because|they|it's))`,
);
const LIKE_DOING = u(
  `^${OPEN}${LIKES}(?: it)?(?: the way| how| that| when| the fact that| the part where|(?<=glad|happy|grateful|thankful|pleased)) you(?:'re| are|'ve| have)?(?: always| now| only| first| just| already| usually){0,2} (?=([\\p{L}-]+))|^${OPEN}${LIKES} you(?: always| usually| often)? (?=([\\p{L}-]+ing)(?![\\p{L}]))`,
);
const DOING_IS = u(
  `^${OPEN}(?=([\\p{L}-]+ing) (?:me|you|the|a|my|your|things|it|before|first)\\b)([^,]{4,90}?) (?:was|is|works|helps|really helps|makes) `,
);
const LIKE_THING = u(`^${OPEN}${LIKES} (?:the|your|these|those|all the|how) (?=([\\p{L} /-]{1,60}))`);
const LIKE_THUS = u(
  `^${OPEN}${LIKES}(?: it)?(?: that| how| when) your ([\\p{L} -]{2,30}?) (?:is|are|stays?) (?:so |now |always |nice and |that |this )*([\\p{L}-]+)`,
);
const THE_WAY = u(`^${OPEN}the way you(?:'re| always| now)? (?=([\\p{L}-]+))`);
const POSITIVE =
  /\b(?:great|perfect|spot on|excellent|awesome|amazing|helpful|useful|handy|fantastic|brilliant|wonderful|lovely|just right|exactly (?:right|what|how)|ideal|love|works? (?:well|great|really|nicely|perfectly|for me)|helps?|good|nice|super|clear|gold(?:en)?|a lifesaver|on point|a joy|makes (?:it|things|my)|saved? me|saves me|appreciated?|thank|thanks|like|liked|better)\b/;
const GREAT_THING = u(
  `^${OPEN}(?:your |these |those |the |such |)((?:[\\p{L}/-]+ ){0,4}?(?:${SPEECH.pattern}|${WORK.pattern})(?: (?:with|of|in|at|for|you|before|after|on) [\\p{L} /-]{1,50}?)?)(?: like (?:this|that|these|those)(?: one| ones)?)? (?:is|are|was|were|look|looks|works?|helps?|really|have been|has been)(?![\\p{L}])`,
);
const THANKS_FOR = u(
  `^(?:(?:hey|ok|and|oh|also|many|big|lots of)[\\s,]+)*(?:thanks|thank you|kudos|props|good call|nice touch|great job|good job|nice job|well done|good idea|good thinking|great call|nice call|good move)(?: (?:so much|a lot|again|very much))?(?: (?:for|on|with|by))?(?: (?:always|consistently))? (?=([\\p{L}-]+ing)(?![\\p{L}]))`,
);
const REFERS = u(
  `(?<![\\p{L}-])(?:${SPEECH.pattern}(?![\\p{L}])|(?:love|like|liked|loved|appreciate|enjoy) (?:the|your|these|those|how|that you) |\\byour (?:[\\p{L}-]+ )?${WORK.pattern}|\\byou(?:'re|'ve)? [\\p{L}]+|\\bthe way you|asking|table|format|list|structure)`,
);

/** What is liked and named: praise that names nothing keeps nothing. */
export function readKeep(sentence: Sentence): Wish | undefined {
  const { folded, markers } = sentence;
  if (
    markers.once &&
    !markers.standing &&
    !/^(?:i|i'm) (?:[\p{L}]+ )?(?:love|like|glad|appreciate)\b/u.test(folded.text)
  )
    return undefined;
  const going = readGoOn(sentence);
  if (going !== undefined) return going;
  const praised = readPraise(sentence);
  const kept = KEEP_THAT.test(folded.text);
  if (praised !== undefined) return kept ? { ...praised, strength: STRENGTH.direct } : praised;
  return kept ? readReferent(sentence) : undefined;
}

function readGoOn({ folded, markers }: Sentence): Wish | undefined {
  const text = folded.text;
  const strength = markers.standing || markers.repeated ? STRENGTH.standing : STRENGTH.direct;
  const on = GO_ON.exec(text);
  const verb = on?.[1] ?? "";
  if (
    on !== null &&
    (/ing$/.test(verb) || /\bto [\p{L}-]+$/u.test(on[0]) || text.slice(on[0].length).startsWith("to ")) &&
    !TASKS.test(verb)
  ) {
    const rest = text.slice(on[0].length).replace(/^to /, "");
    const doing = /^([\p{L}-]+)(.*)$/u.exec(rest);
    const said = folded.cut(text.length - rest.length + (doing?.[1]?.length ?? 0));
    const pointed = /^[\p{L}-]+ (?:that|this|it|so|those|them|these)(?:[^\p{L}]|$)(?! ?\p{L})/u.test(rest);
    const standing =
      /\b(?:me|your)\b/.test(rest) ||
      TALKING.test(rest) ||
      AGAIN.test(rest) ||
      namesBehavior(rest, 6) ||
      POSITIVE.test(text) ||
      markers.standing;
    if (!pointed && standing && doing !== null)
      return { type: "keep", text: tidyText(`${gerundOf(doing[1] ?? "")}${said}`), strength };
  }
  const lose = DONT_LOSE.exec(text);
  if (lose !== null && namesBehavior(text.slice(lose[0].length), 3))
    return { type: "keep", text: tidyText(folded.cut(lose[0].length)), strength };
  const up = KEEP_UP.exec(text);
  if (up !== null && !/^(?:it|good|great|nice)\b/.test(text.slice(up[0].length)))
    return { type: "keep", text: tidyText(folded.cut(up[0].length)), strength };
  const thing = KEEP_THING.exec(text);
  if (thing === null) return undefined;
  const [, what = "", how] = thing;
  if (/ (?:to|under|below|within) /.test(what)) return undefined;
  const liked =
    how !== undefined ||
    POSITIVE.test(text) ||
    markers.standing ||
    /\byour\b/.test(thing[0]) ||
    /\b(?:tone|style|voice|humou?r)$/.test(what);
  return liked &&
    (namesBehavior(what) || /^(?:keep|stick) your|your/.test(thing[0]) || (how !== undefined && POSITIVE.test(text)))
    ? { type: "keep", text: tidyText(what), strength: STRENGTH.wished }
    : undefined;
}

function readPraise({ folded, markers }: Sentence, kept = KEEP_THAT.test(folded.text)): Wish | undefined {
  const text = folded.text;
  const strength = markers.standing ? STRENGTH.standing : STRENGTH.complaint;
  const like = LIKE_DOING.exec(text);
  const liked = like?.[1] ?? like?.[2];
  if (like !== null && liked !== undefined && /you(?:'re| are)(?: \w+)? $/.test(like[0]) && !liked.endsWith("ing")) {
    return { type: "keep", text: tidyText(`being ${folded.cut(like[0].length)}`), strength };
  }
  if (
    like !== null &&
    liked !== undefined &&
    !/^(?:can|could|will|would|are|were|have|did|do|had|think)$/.test(liked)
  ) {
    return {
      type: "keep",
      text: tidyText(`${gerundOf(presentOf(liked))}${folded.cut(like[0].length + liked.length)}`),
      strength,
    };
  }
  const thus = LIKE_THUS.exec(text);
  if (thus?.[1] !== undefined && namesBehavior(`your ${thus[1]}`))
    return { type: "keep", text: tidyText(`${thus[2]} ${thus[1]}`), strength };
  const way = THE_WAY.exec(text);
  if (way?.[1] !== undefined && POSITIVE.test(text)) {
    const whole = folded
      .cut(way[0].length + way[1].length)
      .replace(/,? (?:is|are|was|works|helps|makes|really)\b.*$/i, "");
    return { type: "keep", text: tidyText(`${gerundOf(presentOf(way[1]))}${whole}`), strength };
  }
  const doing = DOING_IS.exec(text);
  if (doing !== null && POSITIVE.test(text.slice(doing[0].length)) && KEEP_THAT.test(text))
    return { type: "keep", text: tidyText(doing[2] ?? ""), strength };
  const thing = LIKE_THING.exec(text);
  if (
    thing !== null &&
    (namesBehavior(thing[1] ?? "", 5) ||
      /^(?:[\p{L}-]+ ){1,3}you (?!could\b|can\b|should\b|just\b|sent\b|made\b|did\b)[\p{L}]+/u.test(thing[1] ?? ""))
  )
    return { type: "keep", text: tidyText(folded.cut(thing[0].length)), strength };
  const thanks = THANKS_FOR.exec(text);
  if (thanks?.[1] !== undefined && /\b(?:always|every time|each time|consistently|keep)\b/.test(text)) {
    return { type: "keep", text: tidyText(folded.cut(thanks[0].length)), strength };
  }
  const great = GREAT_THING.exec(text);
  if (
    great === null ||
    !POSITIVE.test(text.slice(great[0].length - 5)) ||
    /\b(?:not|isn't|aren't|would|could|but|too|less|more|should|need|needs)\b/.test(text)
  )
    return undefined;
  if (!/^(?:[\p{L}]+[\s,]+)*your\b/u.test(great[0]) && !kept) return undefined;
  return { type: "keep", text: tidyText(great[1] ?? ""), strength: kept ? STRENGTH.direct : STRENGTH.unsure };
}

/** `keep that up`: what that is, here or in the sentence before. */
function readReferent({ folded, before }: Sentence): Wish | undefined {
  const here =
    /^(.{8,}?)[,.!] ?(?:please |pls |and |so |do )*(?:keep|don't|never|continue|do (?:that|this|it)|always|more of|stick|stay|carry on|go on)/.exec(
      folded.text,
    )?.[1];
  const named =
    here !== undefined && REFERS.test(here)
      ? { text: here, cut: (from: number) => folded.cut(from, here.length) }
      : before;
  if (
    named === undefined ||
    !REFERS.test(named.text) ||
    !(POSITIVE.test(`${named.text} ${folded.text}`) || /\bstay\b/.test(folded.text) || /\byour\b/.test(named.text))
  )
    return undefined;
  const praised = readPraise(
    { folded: named as Folded, markers: { standing: false, absolute: false, repeated: false, once: false } },
    true,
  );
  const text = praised?.text ?? tidyText(named.cut(0));
  return { type: "keep", text, strength: praised === undefined ? STRENGTH.complaint : STRENGTH.direct };
}
