import { type Inline, parseInline } from "./parse-inline.ts";

export type Align = "left" | "right" | "center" | undefined;

export type Block =
  | { readonly kind: "paragraph"; readonly text: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly text: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] }
  | {
      readonly kind: "table";
      readonly aligns: readonly Align[];
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: "rule" };

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(\S.*)$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?: {1,4}(?=\S)|$)/;
const ALIGNS = /^ *\|?(?: *:?-+:? *\|)* *:?-+:? *\|? *$/;
/** Deeper nesting is shown as text. */
const DEEPEST = 12;

/**
 * Parses the Markdown that models write: headings, lists, tables, code, quotes, emphasis and links. Anything else, HTML
 * included, stays text. Every character of the input that is not syntax is part of the result.
 */
export function parseMarkdown(text: string, depth = 0): readonly Block[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  let open: string[] = [];
  const close = () => {
    if (open.length > 0) blocks.push({ kind: "paragraph", text: parseInline(open.join("\n")) });
    open = [];
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const found = line.trim() === "" ? { next: at + 1 } : blockAt(lines, at, open.length > 0, depth);
    if (found === undefined) {
      open.push(line);
      at += 1;
      continue;
    }
    close();
    if (found.block !== undefined) blocks.push(found.block);
    at = found.next;
  }
  close();
  return blocks;
}

type Found = { readonly block?: Block; readonly next: number };

/** Returns the block that starts at this line, if it is no paragraph. `inParagraph`: the line before belongs to one. */
function blockAt(lines: readonly string[], at: number, inParagraph: boolean, depth: number): Found | undefined {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line);
  if (fence !== null) return codeAt(lines, at, fence[1] ?? "", fence[2] ?? "");
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const text = (heading[2] ?? "").trimEnd();
    return { block: { kind: "heading", level: heading[1]?.length ?? 1, text: parseInline(text) }, next: at + 1 };
  }
  if (RULE.test(line)) return { block: { kind: "rule" }, next: at + 1 };
  if (depth < DEEPEST && QUOTE.test(line)) {
    const end = endOf(lines, at, (one) => QUOTE.test(one));
    const inner = lines.slice(at, end).map((one) => one.replace(QUOTE, ""));
    return { block: { kind: "quote", blocks: parseMarkdown(inner.join("\n"), depth + 1) }, next: end };
  }
  if (!inParagraph && line.includes("|") && ALIGNS.test(lines[at + 1] ?? "")) {
    const table = tableAt(lines, at);
    if (table !== undefined) return table;
  }
  const item = ITEM.exec(line);
  // In a paragraph, a line such as `2026. was a year` starts no list.
  if (depth < DEEPEST && item !== null && (!inParagraph || /^[-*+]$|^1[.)]$/.test(item[2] ?? "")))
    return listAt(lines, at, item[2] ?? "-", depth);
  return undefined;
}

/** A fence that is never closed ends with the text, as while it is being written. */
function codeAt(lines: readonly string[], at: number, fence: string, language: string): Found {
  const isEnd = (line: string) => {
    const text = line.trim();
    return text.length >= fence.length && text === (fence[0] ?? "").repeat(text.length);
  };
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end] ?? "")) end += 1;
  return { block: { kind: "code", language, text: lines.slice(at + 1, end).join("\n") }, next: end + 1 };
}

function tableAt(lines: readonly string[], at: number): Found | undefined {
  const head = cellsOf(lines[at] ?? "");
  const aligns = cellsOf(lines[at + 1] ?? "").map(alignOf);
  if (head.length !== aligns.length) return undefined;
  const end = endOf(lines, at + 2, (line) => line.trim() !== "" && line.includes("|"));
  const rows = lines.slice(at + 2, end).map(cellsOf);
  const inline = (cells: readonly string[]) => cells.map((cell) => parseInline(cell));
  return { block: { kind: "table", aligns, head: inline(head), rows: rows.map(inline) }, next: end };
}

/** Splits a row at its bars. A bar after a backslash is text. */
function cellsOf(line: string): readonly string[] {
  const text = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return text.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function alignOf(cell: string): Align {
  const [left, right] = [cell.startsWith(":"), cell.endsWith(":")];
  return left && right ? "center" : right ? "right" : left ? "left" : undefined;
}

/** A list ends before a line that is neither indented nor another item. Blank lines belong to it if it continues. */
function listAt(lines: readonly string[], at: number, mark: string, depth: number): Found {
  const isNumbered = /\d/.test(mark);
  const base = ITEM.exec(lines[at] ?? "")?.[1]?.length ?? 0;
  const items: string[][] = [];
  let next = at;
  for (let here = at; here < lines.length; here += 1) {
    const line = lines[here] ?? "";
    const item = ITEM.exec(line);
    const indent = line.length - line.trimStart().length;
    if (item !== null && indent <= base + 1 && indent >= base - 1) {
      if (/\d/.test(item[2] ?? "") !== isNumbered || RULE.test(line)) break;
      items.push([line.slice(item[0].length)]);
    } else if (line.trim() !== "" && indent <= base && (lines[here - 1] ?? "").trim() === "") break;
    else if (line.trim() !== "" && indent <= base && (FENCE.test(line) || HEADING.test(line))) break;
    else items.at(-1)?.push(line.slice(Math.min(indent, base + mark.length + 1)));
    if (line.trim() !== "") next = here + 1;
  }
  const start = isNumbered ? Number.parseInt(mark, 10) : undefined;
  return {
    block: { kind: "list", start, items: items.map((item) => parseMarkdown(item.join("\n"), depth + 1)) },
    next,
  };
}

function endOf(lines: readonly string[], from: number, belongs: (line: string) => boolean): number {
  let end = from;
  while (end < lines.length && belongs(lines[end] ?? "")) end += 1;
  return end;
}
