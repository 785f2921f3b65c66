/** Where what follows was not written for the agent: from this place to the end of the message, or this line alone. */
type Pasted = { readonly kind: "rest"; readonly from: number } | { readonly kind: "line" } | { readonly kind: "own" };

/** A mail, a forwarded message, a patch: nobody knows where it ends. */
const REST = [
  /^\s*(?:from|subject|sent|reply-to|von|betreff)\s*:\s+\S/i,
  /^\W{0,12}(?:forwarded|original) message\b/i,
  /^\s*begin forwarded message/i,
  /^\s*\[?(?:fwd?|wg|forwarded(?: from)?)\b\s*[:\]]/i,
  /^\s*on .{5,100}\bwrote:\s*$/i,
  /^\s*(?:diff --git|@@ |\+\+\+ |--- a\/)/,
  /^\s*dear (?!(?:agent|assistant|bot|ai|claude)\b)\p{L}/iu,
];
/** What programs print, comments, data, and what somebody else said in a chat. */
const LINE = [
  /^\W{0,2}\d{4}-\d\d-\d\d|^\s*\[?\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?\]?\s/i,
  /^\W{0,2}(?:error|err|warn|warning|info|debug|fatal|trace|notice|npm|panic|critical)\b(?:\[[^\]]{0,40}\])?\s?(?:!|:|\])/i,
  /^npm (?:err|warn|notice)\b/i,
  /^\s*(?:at [\w$.<>]+[ (]|File "|Traceback |Caused by)/,
  /^\s*(?:\/\/|#|\/\*|--|;|%|\|)\s?\S/,
  /^\s*["{}[\]]/,
  /^\s*[$%>] ?\S/,
  /^\s*<[^>\s]{1,40}>/,
];
/** A word with a colon at the start of a line is a speaker or a label, but for those with which people begin what they want. */
const LABEL = /^\s*(?:[-*+•]\s+)?\*{0,2}(\p{L}[\p{L}.'-]{0,20}(?: \p{Lu}[\p{L}.'-]{0,20})?)\*{0,2}:\s/u;
const OWN_LABEL =
  /^(?:(?:please |oh |and |but |so |also )?(?:note|again|once again|once more|reminder|friendly reminder|also|ps|p\.s\.?|fyi|btw|by the way|requests?|feedback|rules?|tip|correction|and|so|important|style|general|in general|seriously|reminder|heads up|one (?:more |small |other |last )?(?:thing|request|note|rule)|(?:quick|small|minor|two|few|some) (?:note|thing|request|reminder|correction|feedback)s?|(?:for )?(?:the )?(?:future|future reference)|from now on|going forward|next time|for the last time|as i said|like i said|i (?:said|repeat)|i told you|my preferences?|preferences?|less is more|stop|start|keep|more|less|wish|ask|no|yes|ok|okay|ugh|listen|look|agent|assistant|bot|claude))$/i;

const INTRO_NOUN =
  /\b(?:e-?mails?|mail|letter|logs?|output|errors?|trace|prompt|transcript|ticket|issue|spec|docs?|text|draft|quote|snippet|comments?|say|says|said|wrote|writes|reads?|got|get|gave|shows?|prints?|following|below|sentences?|paragraphs?|message|post|tweet|review|article|poem|readme|guidelines?|policy|config|file|result|answered|replied|asked|told me|slack|chat)\b[^:]{0,40}:/i;
const INTRO_VERB =
  /^\s*(?:(?:please|pls|hey|hi|can you|could you|would you)\s+)*(?:translate|proofread|improve|rewrite|fix|review|summari[sz]e|polish|correct|rephrase|paraphrase|check|read|analy[sz]e|explain|reply to|respond to|reword|edit|shorten|classify|grade)\b[^:]{0,80}:/i;
const TO_THE_AGENT =
  /\b(?:from now on|preferences?|rules for you|feedback for you|on your|about your|i told you|i said)\b/i;
const TEXT_TASK =
  /^\s*(?:(?:please|pls|hey|can you|could you|would you)\s+)*(?:translate|proofread|rephrase|paraphrase|summari[sz]e|tl;?dr|polish|reword|classify)\b/i;

/** Whose words a line is, by its form. `more`: the message goes on after it. */
export function judgeLine(masked: string, more: boolean): Pasted {
  const line = masked.length > MOST ? masked.slice(0, MOST) : masked;
  if (REST.some((found) => found.test(line))) return { kind: "rest", from: 0 };
  if (LINE.some((found) => found.test(line))) return { kind: "line" };
  const intro =
    line.includes(":") && !TO_THE_AGENT.test(line) ? (INTRO_VERB.exec(line) ?? INTRO_NOUN.exec(line)) : null;
  if (intro !== null) return { kind: "rest", from: intro.index + intro[0].length };
  if (more && TEXT_TASK.test(line)) return { kind: "rest", from: line.length };
  const [, label] = LABEL.exec(line) ?? [];
  return label !== undefined && !OWN_LABEL.test(label.trim()) ? { kind: "line" } : { kind: "own" };
}

/** Forms are told by how a line begins. */
const MOST = 300;
