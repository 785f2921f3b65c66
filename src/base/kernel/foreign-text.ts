import { neutraliseTags } from "./text.ts";

const HEADING = /^( {0,3})(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** A user's or a tool's text inside a prompt: readable as it was, but it opens no section and closes no block. */
export function quoteForeign(text: string): string {
  const lines = neutraliseTags(text).split(/\r\n?|[\n\u2028\u2029]/);
  const { open, fenced } = scan(lines);
  const quoted = lines.map((line, at) => {
    if (HEADING.test(line)) return line.replace(HEADING, "$1\\$2");
    const underlines = UNDERLINE.test(line) && !fenced[at] && (lines[at - 1] ?? "").trim() !== "";
    return underlines ? line.replace(/[=-]/, "\\$&") : line;
  });
  return [...quoted, ...(open === undefined ? [] : [open])].join("\n");
}

/** A contributor's text inside a section: its own headings stay headings, below those of the sections. */
export function demoteHeadings(text: string): string {
  const lines = neutraliseTags(text).split(/\r\n?|\n/);
  const { open, fenced } = scan(lines);
  const levels = lines.map((line, at) => (fenced[at] ? 0 : levelAt(lines, at)));
  const top = Math.min(...levels.filter((level) => level > 0));
  const closed = open === undefined ? [] : [open];
  if (top >= 3) return [...lines, ...closed].join("\n");
  const demoted = lines.flatMap((line, at) => {
    const level = levels[at] ?? 0;
    if (level === 0)
      return UNDERLINE.test(line) && (levels[at - 1] ?? 0) > 0 && !HEADING.test(lines[at - 1] ?? "") ? [] : [line];
    const marks = "#".repeat(Math.min(6, level + 3 - top));
    return [HEADING.test(line) ? line.replace(HEADING, marks) : `${marks} ${line.trim()}`];
  });
  return [...demoted, ...closed].join("\n");
}

/** Level of the heading that begins in this line; 0 when none does. */
function levelAt(lines: readonly string[], at: number): number {
  const line = lines[at] ?? "";
  const marks = HEADING.exec(line)?.[2];
  if (marks !== undefined) return marks.length;
  const under = UNDERLINE.exec(lines[at + 1] ?? "")?.[1];
  // A list item or a quote over a row of dashes is no heading.
  if (under === undefined || line.trim() === "" || /^\s*([-*+>]|\d+[.)])\s/.test(line) || UNDERLINE.test(line))
    return 0;
  return under.startsWith("=") ? 1 : 2;
}

/** Which lines lie in a code block, and the fence that would close the one that is still open at the end. */
function scan(lines: readonly string[]): { readonly open: string | undefined; readonly fenced: readonly boolean[] } {
  let open: string | undefined;
  const fenced = lines.map((line) => {
    const [, marks = "", rest = ""] = FENCE.exec(line) ?? [];
    if (marks === "") return open !== undefined;
    if (open === undefined) {
      // A fence of backticks cannot have more of them after it.
      if (marks.startsWith("`") && rest.includes("`")) return false;
      open = marks;
    } else if (marks.startsWith(open) && rest.trim() === "") open = undefined;
    return true;
  });
  return { open, fenced };
}
