import { cutGraphemes } from "../../base/kernel/text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import { codePointStart, LONGEST_TOKEN } from "./token-counter.ts";

/** Offsets are UTF-16 units; `nextOffset` is absent on the last page. */
export type Page = {
  readonly text: string;
  readonly offset: number;
  readonly nextOffset?: number;
  readonly total: number;
};

/**
 * The page at `offset` with at most `limitTokens`, ending at a near line end. Consecutive pages give the text. A page before
 * the end has at least one character.
 */
export function pageResult(
  text: string,
  options: { readonly offset: number; readonly limitTokens: number; readonly counter: TokenCounter },
): Page {
  const total = text.length;
  // To a code point, not a grapheme: one larger than the page continues on the next.
  const offset = codePointStart(text, Math.min(total, Math.max(0, Math.floor(options.offset) || 0)));
  if (offset >= total) return { text: "", offset, total };
  const limit = Math.max(0, Math.floor(options.limitTokens) || 0);
  const rest = text.slice(offset, offset + limit * LONGEST_TOKEN + LONGEST_TOKEN);
  const fitting = options.counter.fit(rest, limit).end;
  const end = offset + (offset + fitting >= total ? fitting : pageEnd(rest, fitting));
  return { text: text.slice(offset, end), offset, total, nextOffset: end < total ? end : undefined };
}

function pageEnd(rest: string, fitting: number): number {
  const floor = Math.ceil(fitting * 0.8);
  const newline = rest.slice(floor, fitting).lastIndexOf("\n");
  if (newline >= 0) return floor + newline + 1;
  const whole = cutGraphemes(rest, fitting).length;
  return whole > 0 ? whole : Math.max(fitting, String.fromCodePoint(rest.codePointAt(0) ?? 0).length);
}
