/** Words that Conduct itself writes as tags; nobody else's text may open or close one. */
const OWN_NAMES = [
  "feedback",
  "gateway_behavior_contract",
  "conduct",
  "user_instructions",
  "memory_notes",
  "conversation",
];
/** Made when it is first needed, like the segmenter below. */
let ownTags: RegExp | undefined;

/** Characters that nobody sees do not hide a name. Bounded: an endless run of them would take the engine's whole stack. */
function makeOwnTags(): RegExp {
  const names = OWN_NAMES.map((name) => [...name].join("\\p{Cf}{0,8}")).join("|");
  return new RegExp(`<([\\s\\p{Cf}]{0,64}(?:\\/[\\s\\p{Cf}]{0,64})?)(?=(?:${names})(?!\\p{Cf}?\\w))`, "giu");
}

/**
 * The longest prefix of at most `max` UTF-16 units that splits no grapheme, unless the first one alone is longer.
 * Looks at no more than a few hundred units around the cut, however long the text, and at the row of flags it is in.
 */
export function cutGraphemes(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max <= 0) return "";
  const from = Math.max(0, max - 256);
  const start = flagStart(text, isLowSurrogate(text, from) ? from - 1 : from);
  let end = start;
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { index, segment } of graphemes.segment(text.slice(start, max + 256))) {
    if (start + index + segment.length > max) break;
    end = start + index + segment.length;
  }
  return text.slice(0, end > start ? end : isLowSurrogate(text, max) ? max - 1 : max);
}

/** Lone surrogates become U+FFFD, so that the text can be encoded, hashed and stored. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Makes Conduct's own tags in foreign text harmless: they stay readable and close nothing. */
export function neutraliseTags(text: string): string {
  ownTags ??= makeOwnTags();
  return text.replace(ownTags, "&lt;$1");
}

/** Made when it is first needed: that takes a third of the time in which Node starts. */
let graphemes: Intl.Segmenter | undefined;

/** Flags are pairs of letters: in a row of them only counting from its start tells where one begins. */
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
