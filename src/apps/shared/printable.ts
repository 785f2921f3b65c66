import { cutGraphemes } from "../../base/kernel/text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** Foreign text on one line: what could steer the terminal or turn the line around becomes a space. */
export function oneLine(text: string): string {
  return text.replace(UNSAFE, " ").trim();
}

/** The same, but where a line of a file begins counts. */
export function printableLine(text: string): string {
  return text.replace(UNSAFE, " ").trimEnd();
}

/** At most `width` characters, the cut marked. */
export function clip(text: string, width: number): string {
  return text.length <= width ? text : `${cutGraphemes(text, Math.max(0, width - 1)).trimEnd()}…`;
}

/** Lines of at most `width`, broken at spaces where there are any. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => wrapLine(oneLine(paragraph), width));
}

function wrapLine(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/ +/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    while (line.length > width) {
      const head = cutGraphemes(line, width);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return line === "" ? lines : [...lines, line];
}

/** `12,345` in every locale. */
export function count(value: number): string {
  // The tables of locales take a while to load; small numbers look the same in all of them.
  return Number.isInteger(value) && Math.abs(value) < 1_000 ? String(value) : value.toLocaleString("en-US");
}

/** `1 call`, `2 calls`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
