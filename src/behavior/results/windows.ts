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
