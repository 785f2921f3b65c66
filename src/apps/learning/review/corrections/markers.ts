/** What in a sentence says that it holds from now on, that it was said before, or that it holds only now. */
const STANDING =
  /\b(?:from (?:now|here|today|this point|here on|now on)(?: on)?(?: out)?(?:wards?)?|going forwards?|moving forwards?|in (?:the )?future|for (?:the |all )?future|next time|henceforth|as of (?:today|now)|starting (?:today|now|tomorrow)|by default|any ?more|ever again|in general|at all times|(?:every|each) (?:single )?(?:time|reply|response|answer|message|report|commit|pr|turn|session|conversation|update|task|change)|(?:all|any) (?:of )?your|whenever|as a (?:general )?rule|without exception|no exceptions|permanently|for good|consistently|every day|daily|on a regular basis|make it a habit|habit of)\b/;
const ABSOLUTE = /\b(?:always|never)\b/;
const REPEATED =
  /\b(?:i(?:'ve| have)? (?:already |just |clearly |specifically |explicitly |literally |repeatedly |keep )?(?:told|asked|said|telling|asking|saying|mentioned)|like i said|as i said|as i (?:already )?(?:mentioned|told|asked)|how many times|for the (?:last|second|third|\w+th|umpteenth) time|once again|once more|didn't i|not again|yet again|i repeat)\b|^(?:again|once again|and again)\b[\s,:]/;
const ONCE =
  /\b(?:yet|for now|right now|today|tonight|this (?:time|once|one|morning|afternoon|evening|week)|just (?:this )?once|(?:for|in|on|to|from|with|of) (?:this|that|these|those) (?!on\b|point\b|style\b|format\b|way\b|manner\b|tone\b|kind\b|form\b)\w+|at the moment|for the moment|until (?:i|we|the|it|tomorrow|monday|he|she|they)|for a (?:moment|minute|second|while|bit|sec)|still need|hold on|wait a|in the meantime|temporarily|before (?:lunch|monday|tuesday|wednesday|thursday|friday|the (?:demo|meeting|release|weekend))|meanwhile|currently|as well as the|this afternoon|so far|just now)\b|\bhere[.!]*$|(?<!\bdo )\bnow[.!]*$/;

export type Markers = {
  readonly standing: boolean;
  readonly absolute: boolean;
  readonly repeated: boolean;
  readonly once: boolean;
};

/** Of a folded sentence. */
export function markersOf(sentence: string): Markers {
  const standing = STANDING.test(sentence);
  return {
    standing,
    absolute: ABSOLUTE.test(sentence),
    repeated: REPEATED.test(sentence),
    once: ONCE.test(sentence.replace(/\bfrom now on\b|\bas of now\b|\bstarting (?:today|now)\b|\bas of today\b/g, "")),
  };
}
