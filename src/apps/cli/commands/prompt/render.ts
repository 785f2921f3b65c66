import type { BuiltPrompt, BuiltSection, ContributorSource } from "../../../../base/words/prompt.ts";
import type { Paint, Style } from "../../line/paint.ts";
import { clip, count, oneLine } from "../../line/printable.ts";

/** Steers the terminal, turns the line around or cannot be seen. Joiners stay: letters and emoji are made with them. */
const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A line of a prompt as a person should see it: what would hide shows itself, as `⟨U+202E⟩`. */
export function visible(line: string): string {
  return line
    .replaceAll("\t", "  ")
    .replace(HIDDEN, (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** A visible line in pieces of at most `width` columns, broken at spaces where there are any; further ones are indented alike. */
export function wrapLine(line: string, width: number): readonly string[] {
  const indent = Math.min(/^ *(?:[-*] |\d+\. )?/.exec(line)?.[0].length ?? 0, Math.floor(width / 2));
  const hang = " ".repeat(indent);
  const pieces: string[] = [];
  let rest = line;
  while (widthOf(rest) > width) {
    const end = breakAt(rest, width, indent);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = `${hang}${rest.slice(end).trimStart()}`;
  }
  return [...pieces, rest];
}

/** At the last space that fits behind the indentation, else within the word. */
function breakAt(text: string, width: number, indent: number): number {
  let columns = 0;
  let space = -1;
  for (const { index, segment } of graphemes.segment(text)) {
    columns += widthOf(segment);
    if (segment === " " && index > indent && columns <= width + 1) space = index;
    if (columns > width) return space > 0 ? space : Math.max(index, indent + segment.length);
  }
  return text.length;
}

/** One colour for each source; the table names it. */
export const SOURCE_STYLES: Readonly<Record<ContributorSource, Style>> = {
  builtin: "cyan",
  agent: "blue",
  config: "magenta",
  plugin: "green",
  workspace: "amber",
};

const WIDEST_NAME = 18;

export type PromptLayout = { readonly columns: number; readonly paint: Paint };

/** The prompt with its contributors in the margin, and a line where the cache ends. */
export function renderPrompt(prompt: BuiltPrompt, layout: PromptLayout): string {
  const { sections } = prompt;
  const width = Math.max(0, ...sections.map(({ contributor }) => shortName(contributor).length));
  const boundary = sections.findIndex(({ zone }) => zone === "turn");
  const blocks = sections.map((section, at) => {
    const lines = sectionLines(section, width, layout);
    return at === boundary ? [boundaryLine(prompt, layout), "", ...lines] : lines;
  });
  if (boundary < 0) blocks.push([boundaryLine(prompt, layout)]);
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

/** `identity` of `builtin:identity`, `task` of `section:001:task`. */
export function shortName(contributor: string): string {
  return clip(oneLine(contributor.replace(/^(?:builtin:|workspace:|section:\d+:)/, "")), WIDEST_NAME);
}

function sectionLines(section: BuiltSection, width: number, { columns, paint }: PromptLayout): readonly string[] {
  const style = SOURCE_STYLES[section.source];
  const room = Math.max(20, columns - width - 5);
  let named = false;
  return section.text.split("\n").flatMap((line, at) => {
    const heading = at === 0 && section.heading !== undefined;
    return wrapLine(visible(line).trimEnd(), room).map((piece) => {
      const name = named ? "" : shortName(section.contributor);
      named = true;
      const margin = `  ${paint(style, `${name.padStart(width)} │`)}`;
      return piece === "" ? margin : `${margin} ${heading ? paint("bold", piece) : piece}`;
    });
  });
}

function boundaryLine({ sections, prefixTokens, tokens }: BuiltPrompt, { columns, paint }: PromptLayout): string {
  const turn = tokens - prefixTokens;
  const above = `cached above, ${count(prefixTokens)} tokens`;
  const text =
    sections.length === 0
      ? " nothing is told "
      : turn === 0
        ? ` ${above} · nothing below `
        : ` ${above} · changes every turn below, ${count(turn)} `;
  const rest = Math.max(0, columns - 4 - widthOf(text));
  const left = Math.min(4, rest);
  return `  ${paint("dim", `${"─".repeat(left)}${text}${"─".repeat(rest - left)}`)}`;
}
