import { cutGraphemes } from "../../base/kernel/text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import { codePointStart } from "./windows.ts";

/** How much of the end is looked at to see what it is, and how much of it is kept at most, in characters. */
const LOOKED_AT = 2_000;
const TAIL_CHARACTERS = 4_000;
/** A cut moves to a line's end when that costs no more than this share. */
const LINE_SHARE = 0.2;

const ERROR =
  /\b(?:error|errors|exception|fail|failed|failure|failures|fatal|panic|panicked|traceback|exit code|exit status|errno|segmentation fault|killed|aborted|timed out)\b/i;
const SUMMARY =
  /\b(?:total|totals|summary|in total|done in|finished|completed|passed|succeeded|tests?:|rows? in set|\d+ rows?)\b/i;
const CLOSED_JSON = /[}\]]$/;

/** Does a text end in what the reader needs most: an error, a summary or totals, or the close of a JSON value? */
export function endMatters(text: string): boolean {
  const end = text.slice(-LOOKED_AT);
  return ERROR.test(end) || SUMMARY.test(end) || CLOSED_JSON.test(end.trimEnd());
}

/** The start of a text in at most `tokens`, at a line's end where one is near; it splits no grapheme. */
export function takeHead(text: string, tokens: number, counter: TokenCounter): string {
  const { end } = counter.fit(text, tokens);
  if (end >= text.length) return text;
  const floor = Math.ceil(end * (1 - LINE_SHARE));
  const newline = text.slice(floor, end + 1).lastIndexOf("\n");
  if (newline < 0) return cutGraphemes(text, end);
  const at = floor + newline;
  return text.slice(0, at > 0 && text[at - 1] === "\r" ? at - 1 : at);
}

/** Where the end of a text begins that takes at most `tokens` and 4,000 characters; `from` is the earliest start. */
export function tailStart(text: string, from: number, tokens: number, counter: TokenCounter): number {
  let start = codePointStart(text, Math.max(from, text.length - TAIL_CHARACTERS));
  if (counter.count(text.slice(start)) > tokens) {
    let low = start;
    let high = text.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (counter.count(text.slice(middle)) > tokens) low = middle;
      else high = middle;
    }
    start = high;
  }
  if (start === 0 || text[start - 1] === "\n") return start;
  const newline = text.slice(start, start + Math.floor((text.length - start) * LINE_SHARE)).indexOf("\n");
  return newline >= 0 ? start + newline + 1 : graphemeStart(text, start);
}

/** The next place at or after `at` where a grapheme begins; inside a very long one, where a code point does. */
function graphemeStart(text: string, at: number): number {
  const before = cutGraphemes(text, at).length;
  if (before === at) return at;
  const [first] = graphemes.segment(text.slice(before, before + 128));
  return before + (first?.segment.length ?? 0);
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
