/** What in a sentence says that it holds from now on, that it was said before, or that it holds only now. */
const STANDING =
  /\b(?:from (?:now|here|today|this point|here on|now on)(?: on)?(?: out)?(?:wards?)?|going forwards?|moving forwards?|in (?:the )?future|for (?:the |all )?future|next time|henceforth|as of (?:today|now)|starting (?:today|now|tomorrow)|by default|any ?more|ever again|in general|at all times|(?:every|each) (?:single )?(?:time|reply|response|answer|message|report|commit|pr|turn|session|conversation|update|task|change)|(?:all|any) (?:of )?your|whenever|as a (?:general )?rule|without exception|no exceptions|permanently|for good|consistently|every day|daily|on a regular basis|make it a habit|habit of)\b|^(?:and |also |please |so )*every (?:morning|evening|week|month|quarter|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/;
const ABSOLUTE = /\b(?:always|never)\b/;
const REPEATED =
  /\b(?:i(?:'ve| have)? (?:already |just |clearly |specifically |explicitly |literally |repeatedly |keep )?(?:told|asked|said|telling|asking|saying|mentioned)|like i said|as i said|as i (?:already )?(?:mentioned|told|asked)|how many times|for the (?:last|second|third|\w+th|umpteenth) time|once again|once more|didn't i|not again|yet again|i repeat)\b|^(?:again|once again|and again)\b[\s,:]/;
const ONCE =
  /\b(?:yet|for now|right now|today|tonight|this (?:time|once|one|morning|afternoon|evening|week)|just (?:this )?once|(?:for|in|on|to|from|with|of) (?:this|that|these|those) (?!on\b|point\b|style\b|format\b|way\b|manner\b|tone\b|kind\b|form\b|project\b|repo\b|repository\b|codebase\b|account\b|client\b|customer\b|team\b|channel\b|workspace\b|company\b|please\b|reports\b|answers\b|replies\b|messages\b|updates\b|summaries\b)\w+|at the moment|for the moment|until (?:i|we|the|it|tomorrow|monday|he|she|they)|for a (?:moment|minute|second|while|bit|sec)|still need|hold on|wait a|in the meantime|temporarily|before (?:lunch|monday|tuesday|wednesday|thursday|friday|the (?:demo|meeting|release|weekend))|meanwhile|currently|as well as the|this afternoon|so far|just now)\b|\bt?here[.!]*$|(?<!\bdo )\bnow[.!]*$/;

/** A sentence that says of the one before that it was said already, or that it holds always. */
const SAID_BEFORE =
  /^(?:(?:and|but|so|seriously|again|really)[\s,]+)*(?:i (?:keep|kept) (?:having to |on )?(?:say|saying|tell|telling|repeat|repeating|ask|asking)|i(?:'ve| have)? (?:already |now )?(?:said|told you|asked(?: you)?|mentioned|explained) (?:this|that|it|so|you|twice|before|already|\w+ times)|i (?:said|told you) so|how (?:many times|often)|this is the (?:second|third|\w+th) time|not for the first time|we(?:'ve| have) been over this|we talked about this|we've had this)/;
const HOLDS =
  /^(?:and )?(?:always|every (?:single )?time|each time|from now on|(?:always )?in that order|no exceptions?|without exceptions?|as a rule|(?:that|this)(?:'s| is) a (?:hard |strict |general )?rule|(?:that|this) (?:goes|applies|holds|is) (?:for|to) (?:all|every|each|any|everything)[\p{L} ]*|in general|make (?:it|that) a (?:habit|rule)|that's how (?:we|i) (?:work|do (?:it|this|things)|like (?:it|things))(?: here)?|i mean (?:it|always))(?: please)?[.!]*$/u;
const LONGEST_REMARK = 80;

export type Markers = {
  readonly standing: boolean;
  readonly absolute: boolean;
  readonly repeated: boolean;
  readonly once: boolean;
};

/** Of a folded sentence, and what the next one says of it. */
export function markersOf(sentence: string, next = ""): Markers {
  const remark = next.length > LONGEST_REMARK ? "" : next;
  const standing = STANDING.test(sentence) || HOLDS.test(remark);
  return {
    standing,
    absolute: ABSOLUTE.test(sentence),
    repeated: REPEATED.test(sentence) || SAID_BEFORE.test(remark),
    once: ONCE.test(
      sentence.replace(
        /\blike (?:this|that) one\b|\bfrom (?:now|today)(?: on)?\b|\bas of now\b|\bstarting (?:today|now)\b|\bas of today\b/g,
        "",
      ),
    ),
  };
}
