import { cutGraphemes } from "../../base/kernel/text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import { LONGEST_TOKEN, codePointStart } from "./token-counter.ts";

/** One page of a long text. Offsets are UTF-16 units; `nextOffset` is absent on the last page. */
export type Page = {
  readonly text: string;
  readonly offset: number;
  readonly nextOffset?: number;
  readonly total: number;
};

/**
 * The page that begins at `offset` and takes at most `limitTokens`, ending after a line where one ends near.
 * Pages read one after another give the text. A page is never empty before the end, so that reading always gets on:
 * below the size of one character it holds that character.
 */
export function pageResult(
  text: string,
  options: { readonly offset: number; readonly limitTokens: number; readonly counter: TokenCounter },
): Page {
  const total = text.length;
  // To a code point and no further back: a grapheme larger than the page goes on in the next.
  const offset = codePointStart(text, Math.min(total, Math.max(0, Math.floor(options.offset) || 0)));
  if (offset >= total) return { text: "", offset, total };
  const limit = Math.max(0, Math.floor(options.limitTokens) || 0);
  const rest = text.slice(offset, offset + limit * LONGEST_TOKEN + LONGEST_TOKEN);
  const fitting = options.counter.fit(rest, limit).end;
  const end = offset + (offset + fitting >= total ? fitting : pageEnd(rest, fitting));
  const page = { text: text.slice(offset, end), offset, total };
  return end < total ? { ...page, nextOffset: end } : page;
}

function pageEnd(rest: string, fitting: number): number {
  const floor = Math.ceil(fitting * 0.8);
  const newline = rest.slice(floor, fitting).lastIndexOf("\n");
  if (newline >= 0) return floor + newline + 1;
  const whole = cutGraphemes(rest, fitting).length;
  return whole > 0 ? whole : Math.max(fitting, String.fromCodePoint(rest.codePointAt(0) ?? 0).length);
}
