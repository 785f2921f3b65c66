import type { DirectiveType } from "../../../../base/words/contract.ts";
import { readForm } from "../../../../behavior/contract/parse/directive-form.ts";
import { messagePlaces } from "../../../../behavior/contract/parse/message-places.ts";

/** Replaces one character that is not the person's own: a quotation, inline code, an address. */
export const MASK = "\ue000";

const CLOSES: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“",
  "«": "»",
  "`": "`",
  "'": "'",
  "‘": "’",
};
const SINGLE = new Set(["'", "‘"]);
const MARK = /["“„«`'‘]/g;
const ADDRESS = /\b(?:https?:\/\/|www\.)\S*[^\s.,;:!?)\]]/gi;
const BEFORE = /[\s([{:,—–-]/;
/** Characters that may follow a closing quotation mark. */
const AFTER = /[\s.,;:!?)\]}…—–-]/;

/**
 * Masks all quotations of the line, keeping its length. An unclosed quotation extends to the end of the line. Linear:
 * each closing mark is searched once.
 */
function maskQuotations(line: string): string {
  const plain = line.replace(ADDRESS, (address) => MASK.repeat(address.length));
  if (plain.search(MARK) < 0) return plain;
  const closers = new Map<string, number>();
  let masked = "";
  let done = 0;
  MARK.lastIndex = 0;
  for (let match = MARK.exec(plain); match !== null; match = MARK.exec(plain)) {
    const [mark] = match;
    const from = match.index;
    if (!opens(plain, from)) continue;
    const end = closing(plain, mark, from, closers);
    if (end < 0 && (SINGLE.has(mark) || mark === "`")) continue;
    const to = end < 0 ? plain.length : end + 1;
    masked += plain.slice(done, from) + MASK.repeat(to - from);
    done = to;
    MARK.lastIndex = to;
  }
  return masked + plain.slice(done);
}

function opens(text: string, at: number): boolean {
  return (at === 0 || BEFORE.test(text[at - 1] ?? "")) && /\S/.test(text[at + 1] ?? " ");
}

/** The position of the closing mark, or -1. */
function closing(text: string, mark: string, from: number, closers: Map<string, number>): number {
  const wanted = CLOSES[mark] ?? mark;
  let at = closers.get(mark) ?? from;
  if (at === Number.POSITIVE_INFINITY) return -1;
  if (at <= from) at = from;
  do at = text.indexOf(wanted, at + 1);
  while (at >= 0 && SINGLE.has(mark) && !closesSingle(text, at));
  closers.set(mark, at < 0 ? Number.POSITIVE_INFINITY : at - 1);
  return at;
}

/** An apostrophe inside a word closes nothing. */
function closesSingle(text: string, at: number): boolean {
  return AFTER.test(text[at + 1] ?? " ") && /\S/.test(text[at - 1] ?? " ");
}

/** Which text was not written for the agent: the rest of the message from this position, or this line only. */
type Pasted = { readonly kind: "rest"; readonly from: number } | { readonly kind: "line" } | { readonly kind: "own" };

/** A mail, a forwarded message or a patch, whose end is unknown. */
const REST = [
  /^\s*(?:from|subject|sent|reply-to|von|betreff)\s*:\s+\S/i,
  /^\W{0,12}(?:forwarded|original) message\b/i,
  /^\s*begin forwarded message/i,
  /^\s*\[?(?:fwd?|wg|forwarded(?: from)?)\b\s*[:\]]/i,
  /^\s*on .{5,100}\bwrote:\s*$/i,
  /^\s*(?:diff --git|@@ |\+\+\+ |--- a\/)/,
  /^\s*dear (?!(?:agent|assistant|bot|ai|claude)\b)\p{L}/iu,
];
/** Program output, comments, data, and other people's chat messages. */
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
/** A word with a colon at the start of a line is a speaker or a label, except for those that introduce a wish. */
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

/** Classifies a line's author by its form. `more`: the message continues after it. */
function judgeLine(masked: string, more: boolean): Pasted {
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

/** Only the start of a line is classified. */
const MOST = 300;

/** A sentence in the person's own words: `text` verbatim from the message, `masked` with quotations masked. */
type OwnSentence = { readonly kind: "sentence"; readonly text: string; readonly masked: string };
/** A line in the form of a directive: `STOP: x`. */
type OwnDirective = {
  readonly kind: "directive";
  readonly text: string;
  readonly type: DirectiveType;
  readonly about: string;
};

/** Longer sentences are not chat. Fits into a candidate's piece of evidence. */
const LONGEST = 400;
/** A message with more sentences is a document. */
const MOST_SENTENCES = 200;
const END =
  /[.!?…]{1,8}["')\]*_]{0,4}(?=\s|$)|;\s|\s[–—-]{1,2}\s|(?<=[\p{L}\p{N})])\s{0,3}(?=\p{Extended_Pictographic})/gu;
const LIST = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
/** A dot after these abbreviations ends no sentence. */
const SHORT = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|prof|st|no|p\.s|approx|fig)\.$/i;

/** Without one of these a message is entirely its writer's own. */
const SET_APART = /[`<~"“”«»]|^[ \t]*>|^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+>|^(?: {4}| {0,3}\t)/m;

/** Returns the writer's own sentences of a message, in linear time. Doubtful text is left out. */
export function ownSentences(message: string): readonly (OwnSentence | OwnDirective)[] {
  const lines = message.split(/\r\n|[\n\r\u2028\u2029]/);
  const places = SET_APART.test(message) ? messagePlaces(lines) : undefined;
  const found: (OwnSentence | OwnDirective)[] = [];
  for (const [at, line] of lines.entries()) {
    if ((places !== undefined && places[at]?.kind !== "own") || line.trim() === "") continue;
    const form = line.includes(":") ? readForm(line) : undefined;
    if (form !== undefined && form.fault === undefined) {
      found.push({ kind: "directive", text: line.trim(), type: form.type, about: form.text });
      continue;
    }
    const masked = maskQuotations(line);
    const pasted = judgeLine(masked, at + 1 < lines.length);
    if (pasted.kind === "line") continue;
    takeSentences(found, line, masked.slice(0, pasted.kind === "rest" ? pasted.from : undefined));
    if (found.length > MOST_SENTENCES) return [];
    if (pasted.kind === "rest") break;
  }
  return found;
}

/** Stops after one sentence more than the limit. */
function takeSentences(found: (OwnSentence | OwnDirective)[], line: string, masked: string): void {
  let from = LIST.exec(masked)?.[0].length ?? 0;
  for (const { 0: mark, index } of masked.matchAll(END)) {
    if (found.length > MOST_SENTENCES) return;
    const end = index + mark.length;
    if (end <= from || SHORT.test(masked.slice(Math.max(from, end - 8), end))) continue;
    takeSentence(found, line, masked, from, end);
    from = end;
  }
  takeSentence(found, line, masked, from, masked.length);
}

function takeSentence(
  found: (OwnSentence | OwnDirective)[],
  line: string,
  masked: string,
  from: number,
  to: number,
): void {
  if (to - from > LONGEST) return;
  const text = line.slice(from, to).trim();
  if (text === "") return;
  const start = line.indexOf(text, from);
  found.push({ kind: "sentence", text, masked: masked.slice(start, start + text.length) });
}
