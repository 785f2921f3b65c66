import type { DirectiveType } from "../../../../base/words/contract.ts";
import { readForm } from "../../../../behavior/contract/parse/directive-form.ts";
import { KEYWORDS } from "../../../../behavior/contract/parse/keywords.ts";
import { messagePlaces } from "../../../../behavior/contract/parse/message-places.ts";
import { maskQuotations } from "./mask-quotations.ts";
import { judgeLine } from "./pasted-lines.ts";

/** A sentence in the person's own words: `text` as it stands in the message, `masked` the same with what it quotes masked. */
export type OwnSentence = { readonly kind: "sentence"; readonly text: string; readonly masked: string };
/** A line in the form of a directive: `STOP: x`. */
type OwnDirective = {
  readonly kind: "directive";
  readonly text: string;
  readonly type: DirectiveType;
  readonly about: string;
};

/** Longer ones are no chat. Fits what a candidate may keep as a piece of evidence. */
const LONGEST = 400;
/** A message with more is a document. */
const MOST_SENTENCES = 200;
const END =
  /[.!?…]{1,8}["')\]*_]{0,4}(?=\s|$)|;\s|\s[–—-]{1,2}\s|(?<=[\p{L}\p{N})])\s{0,3}(?=\p{Extended_Pictographic})/gu;
const LIST = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
/** A dot after these ends no sentence. */
const SHORT = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|prof|st|no|p\.s|approx|fig)\.$/i;

/** Without one of these a message is its writer's own, line by line. */
const SET_APART = /[`<~"“”«»]|^[ \t]*>|^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+>|^(?: {4}| {0,3}\t)/m;

/** What of a message its writer says in their own words, sentence by sentence, in linear time. When in doubt it is left out. */
export function ownSentences(message: string): readonly (OwnSentence | OwnDirective)[] {
  const lines = message.split(/\r\n|[\n\r\u2028\u2029]/);
  const places = SET_APART.test(message) ? messagePlaces(lines) : undefined;
  const found: (OwnSentence | OwnDirective)[] = [];
  for (const [at, line] of lines.entries()) {
    if ((places !== undefined && places[at]?.kind !== "own") || line.trim() === "") continue;
    const form = line.includes(":") ? readForm(line, KEYWORDS) : undefined;
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

/** Up to one more than a message may have. */
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
