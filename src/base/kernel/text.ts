/** Names of Conduct's own tags. Foreign text may neither open nor close one. */
const OWN_NAMES = [
  "feedback",
  "gateway_behavior_contract",
  "conduct",
  "user_instructions",
  "memory_notes",
  "conversation",
];
/** Created on first use, like the segmenter below. */
let ownTags: RegExp | undefined;

/**
 * Matches names despite invisible characters. Bounded, because an endless run of them would overflow the regex stack.
 */
function makeOwnTags(): RegExp {
  const names = OWN_NAMES.map((name) => [...name].join("\\p{Cf}{0,8}")).join("|");
  return new RegExp(`<([\\s\\p{Cf}]{0,64}(?:\\/[\\s\\p{Cf}]{0,64})?)(?=(?:${names})(?!\\p{Cf}?\\w))`, "giu");
}

/**
 * The longest prefix of at most `max` UTF-16 units that splits no grapheme, unless the first one alone is longer.
 * Reads only a few hundred units around the cut, plus the row of flags there.
 */
export function cutGraphemes(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max <= 0) return "";
  const from = Math.max(0, max - 256);
  const start = flagStart(text, isLowSurrogate(text, from) ? from - 1 : from);
  let end = start;
  for (const { index, segment } of segmentGraphemes(text.slice(start, max + 256))) {
    if (start + index + segment.length > max) break;
    end = start + index + segment.length;
  }
  return text.slice(0, end > start ? end : isLowSurrogate(text, max) ? max - 1 : max);
}

/** Replaces lone surrogates with U+FFFD, so that the text can be encoded, hashed and stored. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Escapes Conduct's own tags in foreign text: they stay readable and close nothing. */
export function neutraliseTags(text: string): string {
  ownTags ??= makeOwnTags();
  return text.replace(ownTags, "&lt;$1");
}

/** Created on first use, because it takes a third of Node's start time. */
let graphemes: Intl.Segmenter | undefined;

/** The graphemes of a text with their positions. */
export function segmentGraphemes(text: string): Intl.Segments {
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return graphemes.segment(text);
}

/** A flag is a pair of letters, so its start is found by counting from the start of the row. */
function flagStart(text: string, at: number): number {
  let start = at;
  while (isFlagLetter(text, start - 2)) start -= 2;
  return (at - start) % 4 === 0 ? at : at - 2;
}

function isFlagLetter(text: string, at: number): boolean {
  const low = text.charCodeAt(at + 1);
  return text.charCodeAt(at) === 0xd83c && low >= 0xdde6 && low <= 0xddff;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
