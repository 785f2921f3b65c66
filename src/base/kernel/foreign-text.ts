import { neutraliseTags } from "./text.ts";

/** Whatever a reader may take for the end of a line. */
const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/;
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
/** What a model may read as a heading, though markdown asks for less before it and a space after it. */
const LIKE_HEADING = /^([\s\p{Cf}]*)(#(?=\s|$)|##)/u;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const BLANK = /^[ \t]*$/;
const FENCE = /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*[ \t]*)(`{3,}|~{3,})(.*)$/;
const CLOSING = /^([ \t]*)(`{3,}|~{3,})[ \t]*$/;
/** Lists, quotes and indented code are no title for the row below them. */
const NO_TITLE = /^(?: {4}| {0,3}(?:\t|>|(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)))/;

type Line = { readonly text: string; readonly code: boolean };
type Fence = { readonly marks: string; readonly indent: number };

/** A user's or a tool's text inside a prompt: readable as it was, but it opens no section and closes no block. */
export function quoteForeign(text: string): string {
  const lines = closeFences(neutraliseTags(text).split(LINE_END));
  const quoted = lines.map((line, at) => {
    // What stands before the first line is not known here.
    const titled = at === 0 || !BLANK.test(lines[at - 1]?.text ?? "");
    if (titled && UNDERLINE.test(line.text)) return line.text.replace(/[=-]/, "\\$&");
    return line.text.replace(LIKE_HEADING, "$1\\$2");
  });
  return quoted.join("\n");
}

/**
 * A contributor's text inside a section: its own headings stay headings, below those of the sections. Code blocks stay as
 * they are, and are closed. `keep` is for text in which Conduct has written tags itself.
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
      // Its underline.
      at += 1;
    }
  }
  return demoted.join("\n");
}

/** Level of the heading that begins in this line; 0 when none does. */
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

/** What only looks like a heading, for want of a space or behind characters that nobody sees; indented code stays. */
function shown(line: string): string {
  return /^(?: {4}|\t)/.test(line) ? line : line.replace(LIKE_HEADING, "$1\\$2");
}

/** A row of `=` or `-` that no title goes with is kept from making one of what stands before it. */
function apart(line: string, before: Line | undefined): readonly string[] {
  const row = UNDERLINE.exec(line)?.[1];
  if (row === undefined || before === undefined || before.code || BLANK.test(before.text)) return [line];
  if (HEADING.test(before.text)) return [line];
  return row.startsWith("=") ? [line.replace("=", "\\=")] : ["", line];
}

/**
 * The lines, with every code block closed. One that is indented, or begins in a list, ends where the text is less indented:
 * there markdown and a plain reader disagree, so it gets a fence on which both agree.
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
  // A fence of backticks cannot have more of them after it.
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
