import { neutraliseTags } from "./text.ts";

/** Everything that a reader may treat as a line break. */
const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/;
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
/** Text that a model may read as a heading, even if it is none in markdown. */
const LIKE_HEADING = /^([\s\p{Cf}]*)(#(?=\s|$)|##)/u;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const BLANK = /^[ \t]*$/;
const FENCE = /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*[ \t]*)(`{3,}|~{3,})(.*)$/;
const CLOSING = /^([ \t]*)(`{3,}|~{3,})[ \t]*$/;
/** Lists, quotes and indented code cannot be the title above an underline. */
const NO_TITLE = /^(?: {4}| {0,3}(?:\t|>|(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)))/;

type Line = { readonly text: string; readonly code: boolean };
type Fence = { readonly marks: string; readonly indent: number };

/** Escapes a user's or tool's text for a prompt: still readable, but it can open no section and close no block. */
export function quoteForeign(text: string): string {
  const lines = closeFences(neutraliseTags(text).split(LINE_END));
  const quoted = lines.map((line, at) => {
    // The line before the first one is unknown here.
    const titled = at === 0 || !BLANK.test(lines[at - 1]?.text ?? "");
    if (titled && UNDERLINE.test(line.text)) return line.text.replace(/[=-]/, "\\$&");
    return line.text.replace(LIKE_HEADING, "$1\\$2");
  });
  return quoted.join("\n");
}

/**
 * Embeds a contributor's text in a section: demotes its headings below those of the sections and closes open code
 * blocks. Use `keep` for text that contains Conduct's own tags.
 */
export function demoteHeadings(text: string, tags: "neutralise" | "keep" = "neutralise"): string {
  const lines = closeFences((tags === "keep" ? text : neutraliseTags(text)).split(LINE_END));
  const levels = lines.map((_, at) => levelAt(lines, at));
  const down = levels.reduce((most, level) => (level > 0 ? Math.max(most, 3 - level) : most), 0);
  const demoted: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const { text: line, code } = lines[at] ?? { text: "", code: true };
    const marks = "#".repeat(Math.min(6, (levels[at] ?? 0) + down));
    if (levels[at] === 0) demoted.push(...(code ? [line] : apart(shown(line), lines[at - 1])));
    else if (HEADING.test(line)) demoted.push(down === 0 ? line : line.replace(HEADING, marks));
    else {
      demoted.push(`${marks} ${line.trim()}`);
      // Skips the underline.
      at += 1;
    }
  }
  return demoted.join("\n");
}

/** Level of the heading that starts on this line; 0 if none. */
function levelAt(lines: readonly Line[], at: number): number {
  const line = lines[at];
  if (line === undefined || line.code) return 0;
  const marks = HEADING.exec(line.text)?.[1];
  if (marks !== undefined) return marks.length;
  const next = lines[at + 1];
  const under = next === undefined || next.code ? undefined : UNDERLINE.exec(next.text)?.[1];
  if (under === undefined || line.text.trim() === "" || NO_TITLE.test(line.text) || UNDERLINE.test(line.text)) return 0;
  return under.startsWith("=") ? 1 : 2;
}

/**
 * Escapes text that only looks like a heading (no space, or invisible characters before it). Indented code stays
 * unchanged.
 */
function shown(line: string): string {
  return /^(?: {4}|\t)/.test(line) ? line : line.replace(LIKE_HEADING, "$1\\$2");
}

/** Prevents a row of `=` or `-` without a title from turning the line above it into a heading. */
function apart(line: string, before: Line | undefined): readonly string[] {
  const row = UNDERLINE.exec(line)?.[1];
  if (row === undefined || before === undefined || before.code || BLANK.test(before.text)) return [line];
  if (HEADING.test(before.text)) return [line];
  return row.startsWith("=") ? [line.replace("=", "\\=")] : ["", line];
}

/**
 * Closes every code block. An indented one, or one in a list, ends where the indentation decreases. Markdown and a
 * plain reader disagree there, so a fence is added that both accept.
 */
function closeFences(lines: readonly string[]): readonly Line[] {
  const closed: Line[] = [];
  let open: Fence | undefined;
  for (const text of lines) {
    if (open !== undefined && !BLANK.test(text) && (closes(text, open) || widthOf(text) < open.indent)) {
      closed.push(closingLine(open));
      const done = closes(text, open);
      open = undefined;
      if (done) continue;
    }
    const code = open !== undefined;
    open ??= fenceIn(text);
    closed.push({ text, code: code || open !== undefined });
  }
  return open === undefined ? closed : [...closed, closingLine(open)];
}

function fenceIn(text: string): Fence | undefined {
  const [, before = "", marks = "", rest = ""] = FENCE.exec(text) ?? [];
  // The info string of a backtick fence cannot contain backticks.
  if (marks === "" || (marks.startsWith("`") && rest.includes("`"))) return undefined;
  const indent = columns(before);
  return indent > 3 && before.trim() === "" ? undefined : { marks, indent };
}

function closes(text: string, { marks, indent }: Fence): boolean {
  const [, before = "", found = ""] = CLOSING.exec(text) ?? [];
  return found.startsWith(marks) && columns(before) <= indent + 3;
}

function closingLine({ marks, indent }: Fence): Line {
  return { text: " ".repeat(indent) + marks, code: true };
}

function widthOf(text: string): number {
  return columns(/^[ \t]*/.exec(text)?.[0] ?? "");
}

function columns(text: string): number {
  let column = 0;
  for (const character of text) column += character === "\t" ? 4 - (column % 4) : 1;
  return column;
}
