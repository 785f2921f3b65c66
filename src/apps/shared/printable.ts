import { cutGraphemes } from "../../base/kernel/text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** Foreign text on one line: characters that control the terminal or reverse the line become spaces. */
export function oneLine(text: string): string {
  return text.replace(UNSAFE, " ").trim();
}

/** Like `oneLine`, but keeps the indentation. */
export function printableLine(text: string): string {
  return text.replace(UNSAFE, " ").trimEnd();
}

/** At most `width` characters, with a mark where it was cut. */
export function clip(text: string, width: number): string {
  return text.length <= width ? text : `${cutGraphemes(text, Math.max(0, width - 1)).trimEnd()}…`;
}

/** A narrower column cannot be read. */
const LEAST = 16;

/** Lines of at most `width` characters, broken at spaces where possible. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => wrapLine(oneLine(paragraph), Math.max(LEAST, width)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that colour a text.
const COLOUR = /\u001b\[\d+m/g;

/** The text after a lead, which may be coloured; further lines align below the text. */
export function hang(lead: string, text: string, columns: number): readonly string[] {
  const width = lead.replace(COLOUR, "").length;
  const [first = "", ...more] = wrap(text, columns - width - 1);
  return [`${lead}${first}`, ...more.map((line) => `${" ".repeat(width)}${line}`)];
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
  // Loading the locale tables takes half as long as starting Node, so whole numbers do without them.
  return Number.isSafeInteger(value) ? String(value).replace(/\B(?=(\d{3})+$)/g, ",") : value.toLocaleString("en-US");
}

/** `1 call`, `2 calls`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Quotes a word for a shell. */
export function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
