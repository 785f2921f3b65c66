import type { TokenCounter } from "../../base/ports/token-counter.ts";
import { codePointStart, nextWindow } from "./windows.ts";

const CHARACTERS_PER_TOKEN = 4;
/** No token of either encoding stands for more UTF-16 units; a test holds this against the tables. */
export const LONGEST_TOKEN = 128;
const REMEMBERED = 512;

type Counted = { readonly text: string; readonly tokens: number };

/** A counter over an encoder of short texts. A text on which the encoder fails counts four characters a token. */
export function counterOver(encoding: TokenCounter["encoding"], encode: (text: string) => number): TokenCounter {
  // A result is looked at up to three times from its start (how long, where to cut, what was kept): count it once.
  const remembered = new Map<string, Counted>();
  // A long run of one character gives the same window again and again.
  let latest: Counted = { text: "", tokens: 0 };

  function plain(text: string): number {
    try {
      return encode(text);
    } catch {
      return byCharacters(text.length);
    }
  }

  function window(text: string): number {
    if (text !== latest.text) latest = remembered.get(text) ?? remember(text);
    return latest.tokens;
  }

  function remember(text: string): Counted {
    // A copy: a slice would keep the text that it was cut from, which may have 100 MB, in memory.
    const counted = { text: ` ${text}`.slice(1), tokens: plain(text) };
    if (remembered.size >= REMEMBERED) remembered.delete(remembered.keys().next().value ?? "");
    remembered.set(counted.text, counted);
    return counted;
  }

  function countUpTo(text: string, limit: number): { tokens: number; exact: boolean } {
    let tokens = 0;
    for (let at = 0; at < text.length; ) {
      const least = tokens + Math.ceil((text.length - at) / LONGEST_TOKEN);
      if (least > limit) return { tokens: least, exact: false };
      const end = nextWindow(text, at);
      tokens += window(text.slice(at, end));
      at = end;
    }
    return { tokens, exact: tokens <= limit };
  }

  function fit(text: string, max: number): { end: number; tokens: number } {
    let tokens = 0;
    let at = 0;
    while (at < text.length) {
      const end = nextWindow(text, at);
      const more = window(text.slice(at, end));
      if (tokens + more > max) return fitWindow(text, at, end, tokens, max);
      tokens += more;
      at = end;
    }
    return { end: at, tokens };
  }

  function fitWindow(text: string, from: number, to: number, before: number, max: number) {
    let best = { end: from, tokens: before };
    let low = from;
    let high = to;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const end = codePointStart(text, middle);
      const tokens = end > from ? before + plain(text.slice(from, end)) : before;
      if (tokens <= max) {
        if (end > best.end) best = { end, tokens };
        low = middle;
      } else {
        high = middle;
      }
    }
    return best;
  }

  return {
    encoding,
    count: (text) => countUpTo(text, Number.POSITIVE_INFINITY).tokens,
    countUpTo,
    fit,
  };
}

/** What is left when no tokenizer can be had: four characters a token, rounded up. */
export const characterCounter: TokenCounter = {
  encoding: "characters",
  count: (text) => byCharacters(text.length),
  countUpTo: (text, limit) => {
    const tokens = byCharacters(text.length);
    return { tokens, exact: tokens <= limit };
  },
  fit: (text, max) => {
    const end = codePointStart(text, Math.min(text.length, Math.max(0, Math.floor(max)) * CHARACTERS_PER_TOKEN));
    return { end, tokens: byCharacters(end) };
  },
};

/** About how many tokens a long text has, from sixteen short samples spread over it. */
export function estimateTokens(text: string, counter: TokenCounter): number {
  const samples = 16;
  const size = 256;
  if (text.length <= samples * size) return counter.count(text);
  let tokens = 0;
  for (let i = 0; i < samples; i++) {
    const at = Math.floor(((text.length - size) * i) / (samples - 1));
    tokens += counter.count(text.slice(at, at + size));
  }
  return Math.ceil((tokens / (samples * size)) * text.length);
}

function byCharacters(length: number): number {
  return Math.ceil(length / CHARACTERS_PER_TOKEN);
}
