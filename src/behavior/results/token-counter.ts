import type { TokenCounter } from "../../base/ports/token-counter.ts";

export type Encoding = "o200k" | "cl100k";
type Encoder = {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
  setMergeCacheSize(size: number): void;
};

/** Models older than gpt-4o; all others are counted with o200k. */
const CL100K = /^(?:gpt-3\.5|gpt-35|gpt-4(?![.\do])|text-embedding-(?:3|ada-002))/;

/** The encoding of a model name, with or without a provider (`openai/gpt-4`). */
export function encodingOf(model: string | undefined): Encoding {
  const name = (model ?? "").toLowerCase().split("/").at(-1) ?? "";
  return CL100K.test(name) ? "cl100k" : "o200k";
}

const loaded = new Map<Encoding, Promise<TokenCounter>>();

/** Loads an encoding once, on first use. Never rejects: if that fails it counts characters, and the next call tries again. */
export function loadTokenizer(
  encoding: Encoding = "o200k",
  load: (encoding: Encoding) => Promise<Encoder> = importEncoder,
): Promise<TokenCounter> {
  const known = loaded.get(encoding);
  if (known !== undefined) return known;
  const counter = load(encoding).then(
    (encoder) => {
      encoder.setMergeCacheSize(1000);
      // `<|endoftext|>` in a result is plain text.
      const options = { disallowedSpecial: new Set<string>() };
      return counterOver(encoding, (text) => encoder.countTokens(text, options));
    },
    () => {
      loaded.delete(encoding);
      return characterCounter;
    },
  );
  loaded.set(encoding, counter);
  return counter;
}

function importEncoder(encoding: Encoding): Promise<Encoder> {
  return encoding === "cl100k"
    ? import("gpt-tokenizer/encoding/cl100k_base")
    : import("gpt-tokenizer/encoding/o200k_base");
}

/**
 * A run without a certain token boundary is cut after this many UTF-16 units, because merging is quadratic. Units beyond ASCII
 * count double.
 */
const RUN = 256;

/** The approximate length of a window. */
const TARGET = 2048;

const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const NEWLINE = 4;
const OTHER = 5;
const SLASH = 0x2f;
const APOSTROPHE = 0x27;

/**
 * The end of the window that starts at `from`: a token boundary of both encodings, so that the counts of windows add up. Only
 * a run longer than `RUN` is cut elsewhere.
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

/** Moves a cut back out of a surrogate pair. */
export function codePointStart(text: string, at: number): number {
  return at > 0 && isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1)) ? at - 1 : at;
}

const CLASSES = Uint8Array.from({ length: 128 }, (_, unit) => asciiClass(String.fromCharCode(unit)));

/** True only if certain for both encodings. */
function isBoundary(previous: number, next: number): boolean {
  const before = previous < 128 ? (CLASSES[previous] ?? OTHER) : 0;
  const after = next < 128 ? (CLASSES[next] ?? OTHER) : 0;
  if (before === LETTER) return after === DIGIT || after >= SPACE ? next !== APOSTROPHE : false;
  if (before === DIGIT) return after === LETTER || after >= SPACE;
  if (before === NEWLINE) {
    return after === 0 ? !WIDE_SPACES.has(next) : after !== SPACE && after !== NEWLINE && next !== SLASH;
  }
  if (before === SPACE) return false;
  if (after === SPACE) return before === OTHER || !WIDE_SPACES.has(previous);
  if (before === OTHER) return after === DIGIT;
  return isWideLetter(previous) && WIDE_STOPS.has(next);
}

function asciiClass(char: string): number {
  if (/[a-z]/i.test(char)) return LETTER;
  if (/\d/.test(char)) return DIGIT;
  if (char === "\n" || char === "\r") return NEWLINE;
  return /\s/.test(char) ? SPACE : OTHER;
}

const WIDE_SPACES = unitsOf(
  "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
);

/** Full-width punctuation. */
const WIDE_STOPS = unitsOf("\u3001\u3002\uff0c\uff01\uff1f\uff1a\uff1b");

function unitsOf(text: string): ReadonlySet<number> {
  return new Set([...text].map((unit) => unit.charCodeAt(0)));
}

function isWideLetter(unit: number): boolean {
  return (
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  );
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

const CHARACTERS_PER_TOKEN = 4;

/** No token of either encoding has more UTF-16 units; a test checks the tables. */
export const LONGEST_TOKEN = 128;
const REMEMBERED = 512;

type Counted = { readonly text: string; readonly tokens: number };

/** A counter over an encoder of short texts. If the encoder fails, four characters count as a token. */
export function counterOver(encoding: TokenCounter["encoding"], encode: (text: string) => number): TokenCounter {
  // A result is counted up to three times (size, cut, rest), so windows are cached.
  const remembered = new Map<string, Counted>();
  // A long run of one character repeats the same window.
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
    // A copy, because a slice would keep the whole text in memory.
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

  return { encoding, count: (text) => countUpTo(text, Number.POSITIVE_INFINITY).tokens, countUpTo, fit };
}

/** The fallback without a tokenizer: four characters a token, rounded up. */
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

/** Estimates the tokens of a long text from sixteen samples. */
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
