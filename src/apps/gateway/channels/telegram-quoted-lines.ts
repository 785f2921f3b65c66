/** A part of a message that Telegram shows in its own way. Offsets count UTF-16 units, as JavaScript's strings do. */
export type TelegramEntity = { readonly type: string; readonly offset: number; readonly length: number };

/** Shown as blocks of their own: a line that they touch is theirs. */
const BLOCKS = new Set(["blockquote", "expandable_blockquote", "pre"]);
/** Shown inside a line: the line is theirs when its keyword is. Nobody types these around a keyword. */
const INLINE = new Set(["code", "text_link", "spoiler"]);

/** The lines, from 1, that are quotations or code, or whose first words are a link or hidden text, as in a paste. */
export function quotedLinesOf(text: string, entities: readonly TelegramEntity[]): readonly number[] {
  if (entities.length === 0) return [];
  const quoted: number[] = [];
  let start = 0;
  for (const [at, line] of text.split("\n").entries()) {
    const place = { start, end: start + line.length, keyword: keywordIn(line, start) };
    if (entities.some((entity) => covers(entity, place))) quoted.push(at + 1);
    start += line.length + 1;
  }
  return quoted;
}

type Span = { readonly from: number; readonly to: number };
type Line = { readonly start: number; readonly end: number; readonly keyword: Span };

/** Where a directive's keyword would stand: behind a list's marker, up to the colon. */
function keywordIn(line: string, start: number): Span {
  const [before = ""] = /^\s*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?[*_]{0,2}/.exec(line) ?? [];
  const colon = line.indexOf(":");
  return { from: start + before.length, to: start + (colon < 0 ? line.length : colon + 1) };
}

function covers({ type, offset, length }: TelegramEntity, { start, end, keyword }: Line): boolean {
  const to = offset + length;
  if (BLOCKS.has(type)) return offset < Math.max(end, start + 1) && to > start;
  return INLINE.has(type) && offset < keyword.to && to > keyword.from;
}
