import type { TokenCounter } from "../../base/ports/token-counter.ts";

/**
 * A run with no certain token boundary in it is cut after this many UTF-16 units, because merging is quadratic in the
 * bytes of a run. A unit beyond ASCII is two or three bytes and weighs double.
 */
const RUN = 256;
/** Windows are about this long; a longer one saves nothing and a shorter one costs a call. */
const TARGET = 2048;

const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const NEWLINE = 4;
const OTHER = 5;
const SLASH = 0x2f;
const APOSTROPHE = 0x27;

/**
 * Where the window that starts at `from` ends. A window ends where both encodings always have a token boundary,
 * so that the counts of the windows add up to the count of the text; only in a run longer than `RUN` it ends by force.
 */
export function nextWindow(text: string, from: number, target = TARGET): number {
  let previous = text.charCodeAt(from);
  let run = previous < 128 ? 1 : 2;
  for (let at = from + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isBoundary(previous, unit)) {
      if (at - from >= target) return at;
      run = 0;
    } else if (run >= RUN) {
      return isHigh(previous) && isLow(unit) ? at - 1 : at;
    }
    run += unit < 128 ? 1 : 2;
    previous = unit;
  }
  return text.length;
}

/** Moves a cut off the middle of a surrogate pair, towards the start. */
export function codePointStart(text: string, at: number): number {
  return at > 0 && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1)) ? at - 1 : at;
}

const CLASSES = Uint8Array.from({ length: 128 }, (_, unit) => asciiClass(String.fromCharCode(unit)));

/** Certain for o200k and cl100k alike; where the two units alone do not tell, the answer is no. */
function isBoundary(previous: number, next: number): boolean {
  const before = previous < 128 ? (CLASSES[previous] ?? OTHER) : 0;
  const after = next < 128 ? (CLASSES[next] ?? OTHER) : 0;
  if (before === LETTER) return after === DIGIT || after >= SPACE ? next !== APOSTROPHE : false;
  if (before === DIGIT) return after === LETTER || after >= SPACE;
  if (before === NEWLINE) {
    return after === 0 ? !isWideSpace(next) : after !== SPACE && after !== NEWLINE && next !== SLASH;
  }
  if (before === SPACE) return false;
  if (after === SPACE) return before === OTHER || !isWideSpace(previous);
  if (before === OTHER) return after === DIGIT;
  return isWideLetter(previous) && isWideStop(next);
}

function asciiClass(char: string): number {
  if (/[a-z]/i.test(char)) return LETTER;
  if (/\d/.test(char)) return DIGIT;
  if (char === "\n" || char === "\r") return NEWLINE;
  return /\s/.test(char) ? SPACE : OTHER;
}

function isWideSpace(unit: number): boolean {
  return unit < 0x2000
    ? unit === 0xa0 || unit === 0x1680
    : unit <= 0x200a ||
        unit === 0x2028 ||
        unit === 0x2029 ||
        unit === 0x202f ||
        unit === 0x205f ||
        unit === 0x3000 ||
        unit === 0xfeff;
}

function isWideLetter(unit: number): boolean {
  return (
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  );
}

function isWideStop(unit: number): boolean {
  return (
    unit === 0x3001 ||
    unit === 0x3002 ||
    unit === 0xff0c ||
    unit === 0xff01 ||
    unit === 0xff1f ||
    unit === 0xff1a ||
    unit === 0xff1b
  );
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

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
